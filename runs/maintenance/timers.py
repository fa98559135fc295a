"""The timer tick: waits that are over, signals that did not come, boundary timers of steps (R-115, R-116, H-9).

A timer and its effect are one transaction: the step's own transition decides, a timer whose step was ended by somebody
else finds it so and does nothing. The database's clock says what is due.
"""

import logging
import time
from collections.abc import Sequence

from engine.catalogue import Json
from engine.decide import ring
from engine.effects import Effects
from engine.statuses import RUN_OPEN
from lib.apart import in_batches
from lib.uuid7 import uuid7
from runs.kernel import dispatch, scopes, wait_kinds
from runs.kernel.advance import advance
from runs.kernel.graphs import compiled
from runs.kernel.plan import Anchor
from runs.kernel.unit_of_work import unit_of_work
from runs.store import hot, waits
from runs.store.attempts import AttemptResult, Errored, Succeeded, TimerFired
from runs.store.waits import Due

log = logging.getLogger(__name__)

BATCH = 500
TICK_SECONDS = 0.8


def fire(seconds: float = TICK_SECONDS) -> int:
    """Fire what is due, in bounded batches for at most `seconds`; gives how many timers were found.

    Those of one run fire in the order of their times, however late the tick is.
    """
    until = time.monotonic() + seconds
    count, last = 0, None
    while batch := waits.due_timers(BATCH, last):
        count, last = count + len(batch), batch[-1]
        is_over = _fire(batch, until)
        if is_over and len(batch) < BATCH:
            break
        if not is_over or time.monotonic() >= until:
            # The next tick of the clock is a moment away: who is late already does not wait for it.
            dispatch.tick("timers")
            break
    return count


def _fire(batch: list[Due], until: float) -> bool:
    """Fire a batch, in turns; whether all of it was, or the time was over first: what is left stays due."""
    for turn, together in enumerate(_turns(batch)):
        if turn and time.monotonic() >= until:
            return False
        in_batches([due for due in together if _limits_start(due)], _give_up, log, _not_fired)
        in_batches([due for due in together if _ends(due) and not _limits_start(due)], _end, log, _not_fired)
        in_batches([due for due in together if not _ends(due)], _ring, log, _not_fired)
    return True


def _turns(batch: list[Due]) -> list[list[Due]]:
    """The batch in turns, in each of which any order will do: of one run either one timer that ends a step, or others.

    So a batch of many runs with a timer each is one turn, and few runs have more than two that are due at once.
    """
    turns: list[list[Due]] = []
    latest: dict[str, tuple[int, bool]] = {}
    for due in batch:
        turn, ended = latest.get(due.step.run_id, (0, False))
        if due.step.run_id in latest and (ended or _ends(due)):
            turn += 1
        if turn == len(turns):
            turns.append([])
        turns[turn].append(due)
        latest[due.step.run_id] = turn, _ends(due)
    return turns


def _ends(due: Due) -> bool:
    """Whether it ends its step, or what the step waits for."""
    return due.kind != "boundary" or due.interrupting


def _limits_start(due: Due) -> bool:
    """Whether it only says by when somebody must have begun the step."""
    return due.kind == "boundary" and due.target is None


def _not_fired(due: Due) -> str:
    return f"The timer {due.id} of {due.step.node} in run {due.step.run_id} can't fire"


def _end(batch: Sequence[Due]) -> list[None]:
    """Timers that end their step."""
    endings = [(due.step, _ending(due)) for due in batch]
    scopes.load(step for step, _ in endings)
    dispatch.wake(advance(endings).wake)
    return []


def _give_up(batch: Sequence[Due]) -> list[None]:
    """Steps that somebody should have begun by now: those that nobody has fail."""
    limits = {due.id: _start_seconds(due) for due in batch}
    late = waits.unbegun(limits)
    endings = [(due.step, _unbegun(due, limits[due.id])) for due in batch if due.id in late]
    scopes.load(step for step, _ in endings)
    dispatch.wake(advance(endings).wake)
    return []


def _start_seconds(due: Due) -> int:
    return compiled(due.step.version_id).graph.nodes[due.step.node].start_seconds or 0


def _unbegun(due: Due, seconds: int) -> Errored:
    message = f"No worker began it within {seconds:,} s of when it could be begun."
    # Another attempt would wait in the same queue.
    error = {"code": "ScheduleToStartTimeout", "message": message, "retryable": False}
    return Errored(error, timer=due.id, unbegun=True)


def _ending(due: Due) -> AttemptResult:
    match due.kind:
        case "wait":
            return Succeeded({"fired_at": due.fired_at}, timer=due.id)
        case "timeout":
            return Errored(wait_kinds.timed_out(due.wait or {}), timer=due.id)
    return TimerFired(str(due.target), _fired(due), timer=due.id)


def _fired(due: Due) -> dict[str, Json]:
    return {"fired_at": due.fired_at, "timer_of": due.step.node}


def _ring(batch: Sequence[Due]) -> list[None]:
    """Boundary timers beside which their step goes on: their edge is taken, with the moment as its output."""
    with unit_of_work() as change:
        locked = change.locked = hot.lock_heavy({due.step.run_id for due in batch})
        mine = [
            due for due in batch if due.step.run_id in locked and locked[due.step.run_id].status in RUN_OPEN
        ]
        versions = waits.ring_timers(due.id for due in mine)
        fired = [_on(due, versions[due.id]) for due in mine if due.id in versions]
        scopes.load(due.step for due in fired)
        for due in fired:
            # One after another: two of one run may meet in a join.
            anchor = Anchor.beside(due.step, locked[due.step.run_id], id=uuid7())
            change.transition.apply_effects([(anchor, _effects(due))])
        change.runs |= {(due.step.tenant_id, due.step.run_id) for due in fired}
    return []


def _on(due: Due, version: int) -> Due:
    """It with its step on the version that holds now, as nobody else can change that."""
    due.step.version_id = version
    return due


def _effects(due: Due) -> Effects:
    graph = compiled(due.step.version_id).graph
    return ring(graph, graph.nodes[due.step.node], str(due.target), _fired(due), due.step.scope)
