"""The saga: when a run has closed, its completed steps are undone, the last completed first, one by one (R-134…), or
branches at the same time where its workflow says so (R-139).

A compensation is an ordinary step without edges: same leases, retries and history. Who calls has the runs alone.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from engine.catalogue import Json
from engine.statuses import StepStatus
from engine.undoing import free_to_undo
from lib.clock import now_or_none
from lib.uuid7 import uuid7
from runs.kernel import alerts, messages, wait_kinds
from runs.kernel.graphs import BrokenVersion, graph_of
from runs.store import hot, waits
from runs.store.hot import SQL, document
from runs.store.rows import CompensationRow, LeftRow

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


_told_of_failures: list[Callable[[Sequence[Failed]], None]] = []
_told_of_settling: list[Callable[[Settled], None]] = []


def tell_of_failures(listener: Callable[[Sequence[Failed]], None]) -> None:
    """Have `listener` told, within the transaction, of compensations that wait for a person now: they failed."""
    _told_of_failures.append(listener)


def tell_of_settling(listener: Callable[[Settled], None]) -> None:
    """Have `listener` told, within the transaction, of a failed compensation that was settled, by whatever way."""
    _told_of_settling.append(listener)


def has_compensations(version_id: int) -> bool:
    """Whether a run of this version may have something to undo."""
    try:
        return bool(graph_of(version_id).compensations)
    except BrokenVersion:
        return False


def close(runs: Iterable[str]) -> set[str]:
    """Go on with those closing runs that have no running step left: undo, or end. Gives queues that have work now."""
    rows = SQL.value("closed_runs", {"runs": sorted(runs)})
    undoing = {run: version for run, version, undo in rows if undo and has_compensations(version)}
    begun = _undo_next(undoing)
    over = {run for run, _, _ in rows} - {run for run, _ in begun}
    queues = {queue for _, queue in begun}
    if over and hot.end_closing_runs(over):
        queues.add(messages.QUEUE)
    return queues


def compensate_next(runs: Mapping[str, int]) -> set[str]:
    """Undo what is next in runs (id → version) of which a compensation is over, or end them. Gives queues."""
    begun = _undo_next(runs)
    over = runs.keys() - {run for run, _ in begun}
    queues = {queue for _, queue in begun}
    if over and SQL.value("end_compensating", {"runs": sorted(over), "now": now_or_none()}):
        queues.add(messages.QUEUE)
    return queues


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
        for listener in _told_of_failures:
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
    for listener in _told_of_settling:
        listener(Settled(step, how, by, reason, via, way))
    return status, queue


def began(runs: Iterable[str]) -> set[str]:
    """Those of the runs in which something was undone already, or is."""
    return set(SQL.value("began_compensating", {"runs": sorted(runs)}))


def _undo_next(runs: Mapping[str, int]) -> list[tuple[str, str]]:
    """Queue the next compensation of each run, or all that are free; each with its run and its queue."""
    free = _free_together(
        {run: version for run, version in runs.items() if graph_of(version).undoes_together}
    )
    rows = [row for run, version in runs.items() for row in _rows(run, version, free.get(run))]
    if not rows:
        return []
    params = {"runs": sorted(runs), "nodes": document(rows), "now": now_or_none()}
    return [(run, queue) for run, queue in SQL.value("next_compensations", params)]


def _free_together(runs: Mapping[str, int]) -> dict[str, list[str]]:
    """Of runs whose branches are undone at the same time, which steps can be undone now."""
    if not runs:
        return {}
    rows: list[LeftRow] = [
        {"run_id": run, "node": name, "unknown": graph_of(version).nodes[name].undoes_unknown}
        for run, version in runs.items()
        for name in graph_of(version).compensations
    ]
    stand = SQL.value("left_to_undo", {"runs": sorted(runs), "nodes": document(rows)})
    left: dict[str, set[str]] = {run: set() for run in runs}
    undoing: dict[str, set[str]] = {run: set() for run in runs}
    for of_runs, pairs in ((left, stand["left"]), (undoing, stand["undoing"])):
        for run, name in pairs:
            of_runs[run].add(name)
    return {run: free_to_undo(graph_of(version), left[run], undoing[run]) for run, version in runs.items()}


def _rows(run: str, version: int, free: Collection[str] | None) -> Iterable[CompensationRow]:
    """The compensations of a run as rows; only those of the steps that are `free`, where any are undone together."""
    graph = graph_of(version)
    for rank, (name, undo) in enumerate(graph.compensations.items()):
        if free is not None and name not in free:
            continue
        yield {
            "run_id": run,
            "id": uuid7(),
            "node": name,
            "undo": undo.id,
            "rank": rank,
            "unknown": graph.nodes[name].undoes_unknown,
            "together": graph.undoes_together,
            "type": undo.type,
            "queue": undo.queue,
            "priority": undo.priority,
            "lease_seconds": undo.lease_seconds,
            "timeout_seconds": undo.timeout_seconds,
        }
