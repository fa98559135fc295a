"""Whether an author's `fail` step ended a run, or a run below it, and what it says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from engine.catalogue import Json
from engine.graph import Node
from engine.statuses import RunStatus
from runs.kernel import graphs
from runs.limits import REQUEST_FAILED_RUNS
from runs.models import Run
from runs.reading.request_states import Failure
from runs.store import payloads
from steps.catalogue import EXECUTABLE

_FAILED = (RunStatus.FAILED, RunStatus.COMPENSATED, RunStatus.FAILING, RunStatus.COMPENSATING)


@dataclass(frozen=True, slots=True)
class FailedRun:
    """A run that failed: its version, its error, and `step`, the step of the run above that began it."""

    id: UUID
    root: UUID
    parent: UUID | None
    step: str | None
    version_id: int
    error: Json


def failures_of(tenant: int, runs: Sequence[FailedRun]) -> dict[UUID, Failure]:
    """How each of these runs failed; one statement where one of them failed by a step that runs others."""
    around = {run.root: run.id for run in runs if (node := _node_of(run)) is not None and _runs_others(node)}
    below: dict[UUID | None, list[FailedRun]] = {}
    if around:
        rows = Run.objects.for_tenant(tenant).filter(tree_id__in=around, status__in=_FAILED).order_by("id")
        columns = rows.values_list("pk", "root_id", "parent_id", "place", "version_id", "error")
        for pk, root, parent, place, version, error in columns[:REQUEST_FAILED_RUNS]:
            step = place[-1][0] if place else None
            below.setdefault(parent, []).append(FailedRun(pk, root, parent, step, version, error))
    return {run.id: _failure(run, below) for run in runs}


def _failure(run: FailedRun, below: Mapping[UUID | None, Sequence[FailedRun]]) -> Failure:
    node = _node_of(run)
    if node is None:
        return Failure()
    if _fails(node) or (node.body is not None and _fails(node.body)):
        return Failure(True, _message(run.error))
    # A run that goes on for a chain counts as the one that it continues: they have the same place.
    children = [_failure(one, below) for one in below.get(run.id, ()) if one.step == node.id]
    if not children or not all(one.is_authored for one in children):
        return Failure()
    return children[0]


def _node_of(run: FailedRun) -> Node | None:
    """The step that failed a run; None where it is not known."""
    name = run.error.get("node") if isinstance(run.error, dict) else None
    if not isinstance(name, str):
        return None
    version = graphs.shown_or_none(run.version_id)
    return None if version is None else version.graph.steps.get(name)


def _fails(node: Node) -> bool:
    return node.type in EXECUTABLE and EXECUTABLE[node.type].fails


def _runs_others(node: Node) -> bool:
    return node.body is not None or (node.type in EXECUTABLE and EXECUTABLE[node.type].begins_run)


def _message(error: Json) -> str:
    message = error.get("message")
    return message if isinstance(message, str) and not payloads.has_references(error) else ""
