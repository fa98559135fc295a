"""The saga: when a run has closed, its completed steps are undone, the last completed first, one by one (R-134…).

A compensation is an ordinary step without edges: same leases, retries and history. Who calls has the runs alone.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from engine.catalogue import Json
from engine.statuses import StepStatus
from lib.clock import now_or_none
from lib.uuid7 import uuid7
from runs.kernel import alerts, messages, wait_kinds
from runs.kernel.graphs import BrokenVersion, graph_of
from runs.store import hot
from runs.store.hot import SQL, document
from runs.store.rows import CompensationRow

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
    queues = _undo_next(undoing)
    over = {run for run, _, _ in rows} - queues.keys()
    woken = set(queues.values())
    if over and hot.end_closing_runs(over):
        woken.add(messages.QUEUE)
    return woken


def compensate_next(runs: Mapping[str, int]) -> set[str]:
    """Undo the next step of runs (id → version) whose last compensation is over, or end them. Gives queues."""
    queues = _undo_next(runs)
    over = runs.keys() - queues.keys()
    woken = set(queues.values())
    if over and SQL.value("end_compensating", {"runs": sorted(over), "now": now_or_none()}):
        woken.add(messages.QUEUE)
    return woken


def await_operator(runs: Iterable[str]) -> None:
    """A compensation of these runs failed for good: they wait for a person, and that alerts (not of tests; R-136)."""
    rows = SQL.value("await_operator", {"runs": sorted(runs), "now": now_or_none()})
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
    hot.cancel_timers([run])
    wait_kinds.waits_ended([run])
    for listener in _told_of_settling:
        listener(Settled(step, how, by, reason, via, way))
    return status, queue


def began(runs: Iterable[str]) -> set[str]:
    """Those of the runs in which something was undone already, or is."""
    return set(SQL.value("began_compensating", {"runs": sorted(runs)}))


def _undo_next(runs: Mapping[str, int]) -> dict[str, str]:
    """Queue the next compensation of each run; run → its queue, of those that have one."""
    rows = [row for run, version in runs.items() for row in _rows(run, version)]
    if not rows:
        return {}
    params = {"runs": sorted(runs), "nodes": document(rows), "now": now_or_none()}
    queues: dict[str, str] = SQL.value("next_compensations", params)
    return queues


def _rows(run: str, version: int) -> Iterable[CompensationRow]:
    graph = graph_of(version)
    for rank, (name, undo) in enumerate(graph.compensations.items()):
        yield {
            "run_id": run,
            "id": uuid7(),
            "node": name,
            "undo": undo.id,
            "rank": rank,
            "unknown": graph.nodes[name].undoes_unknown,
            "type": undo.type,
            "queue": undo.queue,
            "priority": undo.priority,
            "lease_seconds": undo.lease_seconds,
            "timeout_seconds": undo.timeout_seconds,
        }
