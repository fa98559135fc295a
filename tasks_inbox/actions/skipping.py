"""Skipping a step that asks people is deciding it, by the same rules and with the same evidence (R-149).

Who is barred from a decision is barred here. Whom the task asks decides as ever. Others need the right to say whom it
asks, a reason, and one of the outcomes; the record says that the decision was made outside the task, and how the votes
stood. Who skips a container in which people are not done deciding decides for them, by the rules for those others.
"""

from collections.abc import Sequence
from functools import partial

from django.db.models import QuerySet

from accounts.principal import Principal
from engine.bodies import ONLY_STEP
from engine.catalogue import Json
from engine.graph import Node
from engine.statuses import StepStatus
from lib.refusals import Conflict, Invalid, NotAllowed
from runs.commands.human_skips import Record, Skip
from runs.kernel.graphs import shown
from runs.models import Run, StepExecution
from tasks_inbox.actions import deciding
from tasks_inbox.actions.decision import Decision, check_decision
from tasks_inbox.actions.leaving import check_closed, check_failed, check_inside
from tasks_inbox.actions.outside import Question, record_outside
from tasks_inbox.eligibility import policies
from tasks_inbox.eligibility.assigning import require_assign
from tasks_inbox.eligibility.standing import standing
from tasks_inbox.models import FOR_OPERATORS, OPEN, ManualTask
from tasks_inbox.store.trees import Inside

SHOWN_QUESTIONS = 20
"""So many of the open tasks in a container are named in the record of who skips it."""
SKIPPED: Json = [{"name": "skipped", "label": "Skip it"}]


def decide_below(skip: Skip) -> bool:
    """Decide the task of an item that is one step which asks people; gives whether there was an open one.

    It belongs to the item's own run, which is locked for it. Raises as `decide_here`.
    """
    place = skip.place
    items = StepExecution.objects.for_tenant(skip.tenant).filter(
        run_id=place.run, node=place.node, index=place.index
    )
    runs = Run.objects.for_tenant(skip.tenant).filter(
        parent_id=place.run, parent_step_id__in=items.values("id"), is_part=True
    )
    run = runs.only("id", "version_id").order_by("-id").first()
    if run is None or [*shown(run.version_id).graph.nodes] != [ONLY_STEP]:
        return False
    task = _tasks(skip.tenant).filter(run_id=run.pk, status=OPEN).first()
    if task is None:
        return False
    _decide(_person(skip), task, skip)
    return True


def decide_here(skip: Skip) -> Record | None:
    """Decide the open task of a step that is skipped, which ends it so: gives None then.

    Otherwise gives what writes down that who skips what people are not done deciding has decided it. The run is held.
    Raises NotAllowed and Forbidden for those who may not, Invalid for what is none of the outcomes, Conflict where the
    step has asked nobody yet.
    """
    place = skip.place
    steps = StepExecution.objects.for_tenant(skip.tenant).filter(
        run_id=place.run, node=place.node, index=place.index
    )
    step = steps.first()
    node = None if step is None else shown(step.version_id).graph.steps.get(step.node)
    if step is None or node is None:
        return _no_record
    if node.spec.asks_people:
        return _decide_step(step, node, skip)
    if step.index is not None or node.spec.has_children or node.spec.begins_run:
        return _decide_inside(step, node, skip)
    return _no_record


def _no_record() -> None:
    """Nobody was asked."""


def _tasks(tenant: int) -> QuerySet[ManualTask]:
    return ManualTask.objects.for_tenant(tenant).exclude(kind__in=FOR_OPERATORS)


def _decide_step(step: StepExecution, node: Node, skip: Skip) -> Record | None:
    """Decide for a step that asks people itself, as `decide_here`."""
    own = _tasks(skip.tenant).filter(step_id=step.pk).order_by("-id").first()
    if step.undoes is not None:
        # It is done by hand, which operators say; but for those whom its own question bars.
        if own is not None and skip.who is not None:
            _require_free(skip.who, own)
        return _no_record
    who = _person(skip)
    if own is not None and own.status == OPEN:
        _decide(who, own, skip)
        return None
    if own is None and step.status != StepStatus.FAILED:
        message = "The step has asked nobody yet. Skip it once it has, or decide its task."
        raise Conflict(message, code="not_asked_yet")
    if own is not None:
        check_closed(who.username, own)
    else:
        check_failed(skip.tenant, who.username, str(step.run_id), (step.version_id, step.node))
    _require_right(who, step, skip.reason)
    outcomes = (
        own.outcomes if own is not None else [{"name": one, "label": one} for one in node.outcomes or ()]
    )
    outcome = _check_outcome(skip.output, [one["name"] for one in outcomes])
    title = f"Decision for the step “{node.title}”, whose question is closed"
    question = Question(title, [], outcomes or [{"name": outcome, "label": outcome}])
    return partial(record_outside, who, step, question, _decision(skip, outcome))


def _decide_inside(step: StepExecution, node: Node, skip: Skip) -> Record:
    """Decide for all whom a container, or an item of it, asks or has not asked yet: its skip takes that away."""
    place = Inside(step.run_id, step.node, step.index)
    by = "" if skip.who is None else skip.who.username
    inside, unasked = check_inside(skip.tenant, by, place, SHOWN_QUESTIONS)
    if not inside.open and not unasked:
        return _no_record
    who = _person(skip)
    _require_right(who, step, skip.reason)
    names = [f"Task {task} at {node} of run {run}" for task, run, node in inside.first]
    facts: list[Json] = [{"label": "Open tasks in it", "value": inside.open}]
    facts += [{"label": "The first of them", "value": names}] if names else []
    facts += [{"label": "Steps in it have asked nobody yet", "value": unasked}]
    at = "" if step.index is None else f", item {step.index}"
    question = Question(f"Skip of “{node.title}”{at}, in which people decide", facts, SKIPPED)
    decision = Decision("skipped", None, skip.reason, reason=skip.reason or None)
    return partial(record_outside, who, step, question, decision)


def _person(skip: Skip) -> Principal:
    if skip.who is None:
        raise NotAllowed("Only a person can decide what this step asks people.", code="not_a_candidate")
    return skip.who


def _decide(who: Principal, task: ManualTask, skip: Skip) -> None:
    stands = standing(who, task)
    outcome = _check_outcome(skip.output, [one["name"] for one in task.outcomes])
    decision = _decision(skip, outcome)
    if stands.may_decide:
        deciding.decide(who, stands, decision, confirms=False)
        return
    _require_free(who, task)
    _require_right(who, task, skip.reason)
    if next(one for one in task.outcomes if one["name"] == outcome).get("sign"):
        raise Conflict("This outcome is signed: decide it at its task.", code="signed")
    check_decision(task, decision)
    deciding.end_outside(who, task, decision)


def _decision(skip: Skip, outcome: str) -> Decision:
    output = skip.output if isinstance(skip.output, dict) else {}
    comment = output.get("comment") or skip.reason
    return Decision(outcome, output.get("data"), str(comment), reason=skip.reason or None)


def _require_free(who: Principal, task: ManualTask) -> None:
    """Let pass whom a task does not bar. Raises NotAllowed."""
    if why := policies.why_excluded(task, who.username):
        raise NotAllowed(why, code="excluded")


def _require_right(who: Principal, place: ManualTask | StepExecution, reason: str) -> None:
    run = (
        place
        if isinstance(place, ManualTask)
        else Run.objects.for_tenant(place.tenant_id).get(pk=place.run_id)
    )
    require_assign(who, run)
    if not reason.strip():
        raise Invalid("Say why this is decided outside its task.", code="required", field="reason")


def _check_outcome(output: Json, outcomes: Sequence[str]) -> str:
    """The outcome that an output names as its `branch`. Raises Invalid for what is none of them."""
    branch = output.get("branch", output.get("outcome")) if isinstance(output, dict) else None
    if not isinstance(branch, str) or (outcomes and branch not in outcomes):
        names = ", ".join(outcomes) or "one of its outcomes"
        message = f"People decide this step: let `branch` of the output name the outcome ({names})."
        raise Invalid(message, code="unknown_outcome", field="output.branch")
    return branch
