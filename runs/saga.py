"""The saga: when a run has closed, its completed steps are undone, the last completed first, one by one (R-134…).

A compensation is an ordinary step without edges: same leases, retries and history. Who calls has the runs alone.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from engine.graph import UNDO
from lib.clock import now_or_none
from lib.uuid7 import uuid7
from runs import store
from runs.graphs import BrokenVersion, graph_of
from runs.store import SQL, Row, document

Json = Any

HandedOver = Callable[[Iterable[str]], None]
_told_of_failures: list[HandedOver] = []


def tell_of_failures(listener: HandedOver) -> None:
    """Have `listener` told, within the transaction, of the runs that wait for a person now: a compensation failed."""
    _told_of_failures.append(listener)


def has_compensations(version_id: int) -> bool:
    """Whether a run of this version may have something to undo."""
    try:
        return bool(graph_of(version_id).compensations)
    except BrokenVersion:
        return False


def close(runs: Iterable[str]) -> set[str]:
    """Go on with those closing runs that have no running step left: undo, or end. Gives queues that have work now."""
    found = SQL.value("closed_runs", {"runs": sorted(runs)})
    undoing = {run: version for run, version, undo in found if undo and has_compensations(version)}
    queues = _undo_next(undoing)
    over = {run for run, _, _ in found} - queues.keys()
    if over:
        store.end_closing_runs(over)
    return set(queues.values())


def go_on(runs: Mapping[str, int]) -> set[str]:
    """Undo the next step of runs (id → version) whose last compensation is over, or end them. Gives queues."""
    queues = _undo_next(runs)
    if over := runs.keys() - queues.keys():
        SQL.execute("end_compensating", {"runs": sorted(over), "now": now_or_none()})
    return set(queues.values())


def hand_over(runs: Iterable[str]) -> None:
    """A compensation of these runs failed for good: they wait for a person."""
    waiting = sorted(runs)
    SQL.execute("hand_over", {"runs": waiting, "now": now_or_none()})
    for listener in _told_of_failures:
        listener(waiting)


def resolve(run: str, node: str, how: str, payload: Row) -> tuple[str, str] | None:
    """Settle a failed compensation: `retry`, `done` or `abandon`; its status and queue, or None where none failed."""
    params = {"run": run, "node": node, "how": how, "payload": document(payload), "now": now_or_none()}
    found = SQL.value("resolve_compensation", params)
    return None if found is None else (found[0], found[1])


def began(runs: Iterable[str]) -> set[str]:
    """Those of the runs in which something was undone already, or is."""
    return set(SQL.value("began_compensating", {"runs": sorted(runs)}))


def _undo_next(runs: Mapping[str, int]) -> dict[str, str]:
    """Queue the next compensation of each run; run → its queue, of those that have one."""
    rows = [row for run, version in runs.items() for row in _rows(run, version)]
    if not rows:
        return {}
    params = {"runs": sorted(runs), "nodes": document(rows), "now": now_or_none()}
    found: dict[str, str] = SQL.value("next_compensations", params)
    return found


def _rows(run: str, version: int) -> Iterable[Row]:
    graph = graph_of(version)
    for rank, (name, undo) in enumerate(graph.compensations.items()):
        yield {
            "run_id": run,
            "id": uuid7(),
            "node": name,
            "undo": f"{name}{UNDO}",
            "rank": rank,
            "unknown": graph.nodes[name].undoes_unknown,
            "type": undo.type,
            "queue": undo.queue,
            "priority": undo.priority,
            "lease_seconds": undo.lease_seconds,
            "timeout_seconds": undo.timeout_seconds,
        }
