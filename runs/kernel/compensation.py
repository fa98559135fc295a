"""The saga: when a run has closed, its completed steps and those of its child runs are undone (R-134…).

A compensation is an ordinary step without edges: same leases, retries and history. In which order they are undone is a
plan (`undo_plans`). Who calls has the runs alone.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from engine.catalogue import Json
from engine.statuses import RUN_CLOSING, RUN_UNDOING, StepStatus
from lib.clock import now_or_none
from lib.ports import Port
from runs.kernel import alerts, messages, notices, undo_plans, wait_kinds
from runs.store import hot, undo_entries, waits
from runs.store.hot import SQL, document
from runs.store.undo_entries import EntryKey, SettledEntry, UndoEntry

How = Literal["retry", "done", "abandon"]
Way = Literal["task", "dead letter", "step", "command"]
"""Where somebody settled a compensation: at its task, by its dead letter, at the step itself, or on the server."""


class Failed(NamedTuple):
    """A compensation that failed for good; its run waits for a person now."""

    run: str
    tenant: int
    step: str
    node: str
    version: int
    attempts: int
    code: str | None
    is_test: bool


@dataclass(frozen=True, slots=True)
class Settled:
    """What `by`, who came `via`, decided about the compensation `step` that had failed, and in which `way`."""

    step: str
    how: How
    by: str
    reason: str
    via: str
    way: Way


FAILED_COMPENSATIONS: Final = Port[Callable[[Sequence[Failed]], None]]()
"""Takes, within the transaction, compensations that wait for a person now: they failed."""
SETTLED_COMPENSATIONS: Final = Port[Callable[[Settled], None]]()
"""Takes, within the transaction, a failed compensation that was settled, by whatever way."""


def close(runs: Iterable[str]) -> set[str]:
    """Go on with those closing runs that have no running step left: undo, or end. Gives queues that have work now.

    A run whose child runs are open waits for them; where those only undo what they did, so does the run.
    """
    rows = SQL.value("closed_runs", {"runs": sorted(runs)})
    queues: set[str] = set()
    # One that waits for a person, because a child did, may be told that the child has ended before it is told the rest.
    standing = {run for run, _, status, _, awaits in rows if awaits or status in RUN_UNDOING}
    if standing and undo_entries.restate(standing):
        queues.add(messages.QUEUE)
    ready = {run: (version, status, undo) for run, version, status, undo, awaits in rows if not awaits}
    planned, busy = undo_plans.make({run: version for run, (version, _, undo) in ready.items() if undo})
    if busy:
        undo_entries.close_later(busy)
    queues |= _progress([], planned)
    over = ready.keys() - planned - busy
    if (closing := {run for run in over if ready[run][1] in RUN_CLOSING}) and hot.end_closing_runs(closing):
        queues.add(messages.QUEUE)
    return queues | _end(over - closing)


def compensate_next(runs: Iterable[str]) -> set[str]:
    """Go on where compensations of these runs are over: undo what is next, or end. Gives queues that have work now."""
    entries = undo_entries.settle_entries(runs)
    if not entries and (unplanned := undo_entries.without_entries(runs)):
        drivers, _ = undo_plans.make(undo_plans.versions_of(unplanned))
        return _progress([], drivers) | _end(unplanned - drivers)
    return _go_on(entries)


def look_again(run: str) -> set[str]:
    """Go on with whatever is to be undone of a run that nothing moves any more; gives queues that have work."""
    queues = close([run]) | compensate_next([run])
    if lost := undo_entries.entries_without_step([run]):
        queues |= undo_here(lost)
    queues |= _progress([], [run])
    undo_entries.restate([run])
    return queues


def undo_here(entries: Sequence[UndoEntry]) -> set[str]:
    """Queue the compensations of entries in the runs that hold them, or settle those of which nothing is to be undone.

    Gives queues that have work.
    """
    queues, empty = undo_plans.queue_compensations(entries)
    return queues | _go_on(empty)


def stand(runs: Collection[str]) -> set[str]:
    """Have runs stand by what their child runs do, and end those that waited for nothing else; gives queues."""
    queues = {messages.QUEUE} if undo_entries.restate(runs) else set[str]()
    return queues | close(runs) | _end(undo_entries.with_entries(runs))


def go_on(settled: Sequence[EntryKey], runs: Iterable[str]) -> set[str]:
    """Go on with the plans of these runs, of which runs below have settled these entries; gives queues with work."""
    return _progress(settled, runs)


def end_below(entries: Sequence[UndoEntry]) -> set[str]:
    """End the undoing of runs in which nothing is left to undo, as runs above ask by these entries; gives queues."""
    runs = {entry.target for entry in entries}
    parents = undo_entries.begin_undoing(runs)
    # It may not have been told yet that a person has seen to what a run below waited with.
    parents += undo_entries.restate(runs)
    queues = _end(runs) | ({messages.QUEUE} if parents else set())
    undo_entries.end_entries([entry.key for entry in entries])
    return queues | _go_on([SettledEntry(entry.run, entry.seq, entry.target) for entry in entries])


def _go_on(entries: Sequence[SettledEntry]) -> set[str]:
    """Go on behind entries that are settled in these runs: with plans of their own, or by telling other drivers."""
    own = undo_plans.tell_others(entries)
    return _progress([entry.key for entry in own], {entry.run for entry in own})


def _progress(settled: Sequence[EntryKey], runs: Iterable[str]) -> set[str]:
    drivers = {*runs}
    return undo_plans.progress(settled, drivers) | _end(drivers) if drivers else set()


def _end(runs: Iterable[str]) -> set[str]:
    """End those of these runs in which all is undone."""
    ids = sorted(runs)
    if ids and SQL.value("end_compensating", {"runs": ids, "now": now_or_none()}):
        return {messages.QUEUE}
    return set()


def await_operator(runs: Iterable[str], steps: Iterable[str] | None = None) -> None:
    """Compensations of these runs failed for good: these `steps`, or whichever have.

    The runs wait for a person, and that alerts (not of tests; R-136).
    """
    only = None if steps is None else sorted(steps)
    rows = SQL.value("await_operator", {"runs": sorted(runs), "steps": only, "now": now_or_none()})
    failed = [Failed(*row) for row in rows]
    alerts.send(
        [
            alerts.Alert(
                "compensation_failed",
                one.tenant,
                one.run,
                one.node,
                {"code": one.code, "attempts": one.attempts},
            )
            for one in failed
            if not one.is_test
        ]
    )
    if failed:
        notices.after_commit((), [messages.QUEUE])
        for listener in FAILED_COMPENSATIONS:
            listener(failed)


def resolve(
    run: str,
    node: str,
    how: How,
    *,
    by: str,
    reason: str,
    via: str = "command",
    way: Way = "command",
    statuses: Sequence[StepStatus] = (StepStatus.FAILED,),
    output: Json = None,
) -> tuple[str, str] | None:
    """Settle the compensation of `node` that stands at one of `statuses`: `retry`, `done` (with `output`), `abandon`.

    Gives its status and queue, or None where it stands otherwise. The caller has the run alone.
    """
    params = {
        "run": run,
        "node": node,
        "how": how,
        "statuses": list(statuses),
        "output": None if output is None else document(output),
        "payload": document({"by": by, "reason": reason}),
        "now": now_or_none(),
    }
    row = SQL.value("resolve_compensation", params)
    if row is None:
        return None
    status, queue, step = row
    waits.settle_timers([run], [step], ())
    wait_kinds.waits_ended([run])
    # A compensation of a child run may wait for a person still; parents are told how the run stands.
    undo_entries.restate([run])
    notices.after_commit((), [messages.QUEUE])
    for listener in SETTLED_COMPENSATIONS:
        listener(Settled(step, how, by, reason, via, way))
    return status, queue


def began(runs: Iterable[str]) -> set[str]:
    """Those of the runs that have undone something, or of which something is undone, with a run above them, too."""
    return set(SQL.value("began_compensating", {"runs": sorted(runs)}))
