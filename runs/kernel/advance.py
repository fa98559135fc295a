"""The imperative shell: endings → plan → one transaction, whose statements depend on the depth, not on the batch.

*Light* endings (successors, joins, plain sinks) share their runs with whoever else moves them forward. *Heavy* ones
(a run fails, or its end leaves steps to cancel) have theirs alone from the start, in a transaction of their own:
upgrading the lock would let two failing branches wait for each other (docs/engine.md, "Advance").
"""

import logging
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import psycopg
from django.db import transaction

from engine.catalogue import Json
from engine.statuses import RUN_CLOSING, RUN_OPEN, RUN_UNDOING, RunStatus
from lib import crash_points
from lib.blobs import BlobAway, BlobError
from runs.kernel import compensation, late, live, scopes, step_logs
from runs.kernel.counting import count_ended
from runs.kernel.graphs import BrokenVersion, graph_of
from runs.kernel.plan import Affinity, Planned, child_ends, closing_row, plan, plan_hopeless, runs_of
from runs.kernel.transition import Result, Transition
from runs.store import hot, payloads, waits
from runs.store.attempts import AttemptResult, ClaimedStep, Errored, LockedRun, Succeeded, Suspended
from runs.store.children import count_children

log = logging.getLogger(__name__)

BAD_VALUE = ("22", "23", "54")
TRY_AGAIN = ("40001", "40P01", "55P03")
TRIES = 10

Write = Callable[[list[Planned], Affinity | None, Result], list[Planned]]


class _NeedsAlone(Exception):
    """These runs turned out to fail on the way: they must be had alone."""

    def __init__(self, runs: Iterable[str]) -> None:
        super().__init__()
        self.runs = frozenset(runs)


def advance(
    endings: Sequence[tuple[ClaimedStep, AttemptResult]],
    keep: Affinity | None = None,
    into: Result | None = None,
) -> Result:
    """Commit what ended and start what follows; steps that their holder lost drop out with all that hangs on them.

    Each step's scope must be loaded (`scopes.load`). `keep` lets successors stay with the worker. Raises what the
    database raises once retries and bisection are over; then nothing of the rest is committed, and `into` has what was.
    """
    result = Result() if into is None else into
    scopes.load_ends(step for step, _ in endings)
    plans = [_planned(step, attempt) for step, attempt in endings]
    heavy = [planned for planned in plans if planned.is_heavy]
    try:
        heavy += _commit(_light, [planned for planned in plans if not planned.is_heavy], keep, result)
        _commit(_heavy, heavy, None, result)
    except BaseException:
        live.tell(_changes(result))
        raise
    crash_points.hit("after_commit")
    live.tell(_changes(result))
    if keep is not None:
        late.keep(_lost(endings, result, keep.worker))
    return result


def _lost(
    endings: Sequence[tuple[ClaimedStep, AttemptResult]], result: Result, worker: str
) -> Iterator[late.LateResult]:
    """What a worker of ours made of steps that it had lost meanwhile."""
    for step, attempt in endings:
        if step.id not in result.applied and isinstance(attempt, Succeeded | Errored):
            output, error = (
                (attempt.output, None) if isinstance(attempt, Succeeded) else (None, attempt.error)
            )
            yield late.LateResult(step.id, step.epoch, "lease_lost", output, error, worker)


def _changes(result: Result) -> Iterator[live.Change]:
    for planned in result.written:
        if (step := planned.step).id in result.applied:
            # With any step its run may have ended.
            status = RunStatus.COMPLETED if step.run_id in result.completed else None
            yield live.Change(
                step.tenant_id, step.run_id, True, live.node_of(step), planned.row["status"], status
            )


def _planned(step: ClaimedStep, result: AttemptResult) -> Planned:
    result = payloads.fitted_result(step, result)
    try:
        graph = graph_of(step.version_id)
    except BrokenVersion as error:
        failure = {"code": "BrokenVersion", "message": str(error), "retryable": False}
        return plan_hopeless(step, failure, result)
    return plan(step, result, graph, jitter=random.random())  # noqa: S311


def _commit(write: Write, plans: list[Planned], keep: Affinity | None, result: Result) -> list[Planned]:
    """Write a batch; on a value that the database refuses, bisect down to the ending that carries it and fail that."""
    tries = TRIES
    while plans:
        try:
            return write(plans, keep, result)
        except BlobAway:
            raise
        except (psycopg.Error, hot.Unstorable, BlobError) as error:
            state, tries = getattr(error, "sqlstate", None) or "", tries - 1
            if state in TRY_AGAIN and tries:
                continue
            if isinstance(error, psycopg.Error) and state[:2] not in BAD_VALUE:
                raise
            if len(plans) > 1:
                half = len(plans) // 2
                return [
                    *_commit(write, plans[:half], keep, result),
                    *_commit(write, plans[half:], keep, result),
                ]
            plans = _refused(plans[0], error)
            if plans and plans[0].is_heavy and write is _light:
                return plans
    return []


def _refused(planned: Planned, error: Exception) -> list[Planned]:
    """What an ending becomes that the database refuses: a failure; refused as one, the failure of its run."""
    message = f"This can't be stored: {error}".strip()
    failure: Mapping[str, Json] = {"code": "BadOutput", "message": message, "retryable": False}
    if isinstance(error, BlobError):
        failure = payloads.unread(error).error
    if not isinstance(planned.result, Errored):
        return [_planned(planned.step, Errored(failure, timer=planned.result.timer))]
    if planned.graph is not None:
        return [plan_hopeless(planned.step, failure, planned.result)]
    log.error("Step %s of run %s can't be ended: %s", planned.step.id, planned.step.run_id, error)
    return []


def _light(plans: list[Planned], keep: Affinity | None, result: Result) -> list[Planned]:
    """Move open runs forward; gives the endings that belong to runs which must be had alone."""
    transition = Transition(keep and replace(keep))
    try:
        with transaction.atomic():
            locked = hot.lock_light(runs_of(plans))
            mine, alone = _sorted(plans, locked)
            # Beside a failure each may be the last that goes on.
            alone += [planned for planned in mine if locked[planned.step.run_id].has_failed]
            if mine := [planned for planned in mine if not locked[planned.step.run_id].has_failed]:
                _forward(transition, mine, locked)
            logs = _write_logs(plans, transition.result)
            crash_points.hit("before_commit")
    except _NeedsAlone as conflict:
        refused = [planned for planned in plans if planned.step.run_id in conflict.runs]
        rest = [planned for planned in plans if planned.step.run_id not in conflict.runs]
        return refused + (_light(rest, keep, result) if rest else [])
    step_logs.keep(logs)
    result.add(transition.result)
    count_ended(transition.result)
    return alone


def _write_logs(plans: Sequence[Planned], result: Result) -> step_logs.LogCounts:
    """Write what the attempts have said that ended here."""
    return step_logs.write(planned.step for planned in plans if planned.step.id in result.applied)


def _sorted(plans: list[Planned], locked: Mapping[str, LockedRun]) -> tuple[list[Planned], list[Planned]]:
    """The endings in open runs and those in closing ones; a run that is over takes none."""
    status = {run: run_row.status for run, run_row in locked.items()}
    mine = [planned for planned in plans if status.get(planned.step.run_id) in RUN_OPEN]
    closing = [planned for planned in plans if status.get(planned.step.run_id) in RUN_CLOSING]
    return mine, closing


def _forward(transition: Transition, plans: list[Planned], locked: Mapping[str, LockedRun]) -> None:
    if sinking := runs_of(planned for planned in plans if planned.may_sink):
        hot.lock_sinks(sinking)
    transition.complete(plans, locked)
    if over := {run for run, _ in transition.containers_over}:
        raise _NeedsAlone(over)
    transition.finish(locked)
    if transition.failures:
        raise _NeedsAlone(transition.failures)


def _undoing(plans: list[Planned], locked: Mapping[str, LockedRun]) -> list[Planned]:
    """The endings of compensations, in runs that undo what they did."""
    return [
        planned
        for planned in plans
        if planned.is_undo
        and planned.step.run_id in locked
        and locked[planned.step.run_id].status in RUN_UNDOING
    ]


def _as_timers_left_them(plans: list[Planned]) -> list[Planned]:
    """The plans anew of steps whose boundary timers fired meanwhile: those edges are resolved already."""
    timed = [planned.step.id for planned in plans if planned.graph is not None and planned.is_timed]
    fired = waits.fired_edges(timed) if timed else {}
    return [
        _planned(replace(planned.step, fired=frozenset(fired[planned.step.id])), planned.result)
        if planned.step.id in fired
        else planned
        for planned in plans
    ]


def _heavy(plans: list[Planned], keep: Affinity | None, result: Result) -> list[Planned]:
    """Have the runs alone: end their steps, finish or fail them, or just record what ended while they close."""
    transition = Transition()
    with transaction.atomic():
        locked = hot.lock_heavy(runs_of(plans))
        mine, closing = _sorted(plans, locked)
        if mine:
            waiting = [planned for planned in mine if isinstance(planned.result, Suspended)]
            over = [planned for planned in mine if not isinstance(planned.result, Suspended)]
            transition.complete(_as_timers_left_them(over), locked)
            if waiting:
                transition.suspend(waiting, locked)
            transition.end_containers(locked)
            transition.finish(locked)
            transition.fail(locked)
        if closing:
            closing = [
                replace(planned, row=closing_row(planned, locked[planned.step.run_id])) for planned in closing
            ]
            rows = [planned.row | {"anchor": planned.anchor} for planned in closing]
            done = hot.advance(worker=None, ended=rows, anchors=[], steps=[], arrivals=[])
            transition.result.applied |= {*done.ended.values()}
            transition.result.written += closing
            applied = [planned for planned in closing if planned.anchor in done.ended]
            transition.set_given(applied)
            if ends := child_ends(applied):
                count_children(ends)
            transition.result.wake |= compensation.close(runs_of(closing))
        undoing = _undoing(plans, locked)
        if over := [planned for planned in undoing if not isinstance(planned.result, Suspended)]:
            transition.end_compensations(over)
        if waiting := [planned for planned in undoing if isinstance(planned.result, Suspended)]:
            transition.suspend(waiting, locked)
        logs = _write_logs(plans, transition.result)
        crash_points.hit("before_commit")
    step_logs.keep(logs)
    result.add(transition.result)
    count_ended(transition.result)
    return []
