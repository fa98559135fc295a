"""What happened in a tree of runs, as rows and history say, for `tree_model`."""

from collections.abc import Mapping
from uuid import UUID

from engine.catalogue import Json
from engine.statuses import RUN_ENDED
from runs.models import HistoryEvent, Run, StepExecution, UndoEntry
from tests.runs.tree_model import RunFact, StepFact, Undoing
from tests.runs.tree_player import Player


def facts_of(player: Player) -> list[RunFact]:
    """What happened in the tree: its root, and the runs as which it went on."""
    facts: dict[str, RunFact] = {}
    closings, ends = _of_runs()
    for run in Run.unsafe_all_tenants.select_related("version").order_by("depth", "pk"):
        definition = run.version.definition
        closing, told = closings.get(run.pk, ("", {}))
        fact = RunFact(
            id=str(run.pk),
            status=run.status,
            nodes=definition["nodes"],
            edges=definition["edges"],
            # The steps of a container undo as the definition says that they stand in.
            together=facts[str(run.parent_id)].together
            if run.is_part
            else definition.get("compensation") == "parallel",
            failed=closing == "RUN_FAILING",
            cancelled=closing == "RUN_CANCELLING",
            undoes=closing == "RUN_FAILING" or (closing == "RUN_CANCELLING" and bool(told.get("compensate"))),
            ended=ends.get(run.pk, 0),
        )
        facts[fact.id] = fact
        if run.parent_id:
            facts[str(run.parent_id)].children.setdefault(run.place[-1][0], []).append(fact)
    _add_steps(player, facts)
    _add_undoings(facts)
    return [facts[str(run.pk)] for run in Run.unsafe_all_tenants.filter(parent_id=None)]


def _of_runs() -> tuple[dict[UUID, tuple[str, Json]], dict[UUID, int]]:
    """By run how its last life closed, with what history says of that, and when it ended."""
    closings, ends = {}, {}
    for event in HistoryEvent.unsafe_all_tenants.filter(node=None).order_by("id"):
        if event.type in ("RUN_FAILING", "RUN_CANCELLING", "RUN_REOPENED"):
            closings[event.run_id] = event.type, event.payload
        if event.type in {f"RUN_{status}" for status in RUN_ENDED}:
            ends[event.run_id] = event.id
    return closings, ends


def _add_steps(player: Player, facts: Mapping[str, RunFact]) -> None:
    places = {}
    ends = [f"STEP_{status}" for status in ("COMPLETED", "FAILED", "CANCELLED", "SKIPPED")]
    for event in HistoryEvent.unsafe_all_tenants.filter(type__in=ends).order_by("id"):
        if "index" not in event.payload:
            places[str(event.run_id), event.node] = event.id
    for step in StepExecution.unsafe_all_tenants.filter(index=None, undoes=None):
        key = run, node = str(step.run_id), step.node
        at = step.completed_at.timestamp() if step.completed_at else 0
        facts[run].steps[node] = StepFact(step.status, at, places.get(key, 0), _is_unknown(player, step))


def _is_unknown(player: Player, step: StepExecution) -> bool:
    """Whether nobody knows if a step did its work: a worker was lost with it, or it was stopped in the middle."""
    run = str(step.run_id)
    if step.status == "FAILED":
        return step.error["code"] == "LeaseLost"
    return step.status == "CANCELLED" and (run, step.node, None) in player.unknown


def _add_undoings(facts: Mapping[str, RunFact]) -> None:
    began, ended = {}, {}
    for event in HistoryEvent.unsafe_all_tenants.filter(node__endswith=":compensate").order_by("id"):
        key = str(event.run_id), event.node
        if event.type == "COMPENSATE_RUN":
            began[key] = event.id
        ended[key] = event.id
    entries = UndoEntry.unsafe_all_tenants.exclude(node=None).values_list("target_id", "node", "run_id")
    drivers = {(str(target), node): str(driver) for target, node, driver in entries}
    for step in StepExecution.unsafe_all_tenants.filter(undoes__isnull=False):
        run, given_up = str(step.run_id), step.cancel_cause == "abandoned"
        facts[run].undoings[step.undoes] = Undoing(
            began[run, step.node], ended[run, step.node], given_up, drivers[run, step.undoes]
        )
