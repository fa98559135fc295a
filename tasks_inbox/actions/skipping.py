"""Skipping a step that asks people is deciding it, by the same rules and with the same evidence (R-149).

Who is barred from a decision is barred here. Whom the task asks decides as ever. Others need the right to say whom it
asks, a reason, and one of the outcomes; the record says that the decision was made outside the task, and how the votes
stood.
"""

from collections.abc import Sequence

from django.db.models import Q, QuerySet

from accounts.names import key_of
from accounts.principal import Principal
from engine.bodies import ONLY_STEP
from engine.catalogue import Json
from engine.statuses import StepStatus
from lib.refusals import Conflict, Invalid, NotAllowed
from runs.commands.human_skips import Skip
from runs.kernel.graphs import shown
from runs.models import Run, StepExecution
from tasks_inbox.actions import deciding
from tasks_inbox.actions.decision import Decision, check_decision
from tasks_inbox.eligibility import policies
from tasks_inbox.eligibility.assigning import require_assign
from tasks_inbox.eligibility.standing import standing
from tasks_inbox.models import FOR_OPERATORS, OPEN, ManualTask

MOST_INSIDE = 1000
"""So many open tasks in a container are asked whether they bar who skips it."""


def decide_skipped(skip: Skip) -> bool:
    """Decide the open task of a step that is skipped; gives whether it had one.

    Where a container is skipped, none of the tasks in it may bar who skips it. Raises NotAllowed and Forbidden for
    those who may not, Invalid for what is none of the outcomes, Conflict where the step has asked nobody yet.
    """
    place = skip.place
    steps = StepExecution.objects.for_tenant(skip.tenant).filter(
        run_id=place.run, node=place.node, index=place.index
    )
    step = steps.first()
    if step is None:
        return False
    own = _tasks(skip.tenant).filter(step_id=step.pk).order_by("-id").first()
    if step.undoes is not None:
        # It is done by hand, which operators say; but for those whom its own question bars.
        if (
            own is not None
            and skip.who is not None
            and (why := policies.why_excluded(own, skip.who.username))
        ):
            raise NotAllowed(why, code="excluded")
        return False
    if own is not None and own.status == OPEN:
        _decide(_person(skip), own, skip)
        return True
    inside = _inside(skip)
    if len(inside) == 1 and inside[0].node == ONLY_STEP:
        # What an item does is one step, which asks people: its outcome is what the item gives.
        _decide(_person(skip), inside[0], skip)
        return True
    for task in inside:
        _require_outside(_person(skip), task, skip.reason)
    outcomes = _outcomes_of(step)
    if own is not None:
        _require_outside(_person(skip), own, skip.reason)
        _check_outcome(skip.output, [one["name"] for one in own.outcomes])
    elif outcomes is not None:
        _check_unasked(_person(skip), step, skip, outcomes)
    return False


def _tasks(tenant: int) -> QuerySet[ManualTask]:
    return ManualTask.objects.for_tenant(tenant).exclude(kind__in=FOR_OPERATORS)


def _inside(skip: Skip) -> list[ManualTask]:
    """The open tasks in what a step contains: of its items, and of the runs below it."""
    place = skip.place
    run = Run.objects.for_tenant(skip.tenant).only("id", "tree_id", "root_id", "place").get(pk=place.run)
    depth = len(run.place or ())
    below = Run.objects.for_tenant(skip.tenant).filter(
        tree_id=run.tree_id or run.root_id, **{f"place__{depth}__0": place.node}
    )
    if place.index is not None:
        below = below.filter(**{f"place__{depth}__1": place.index})
    if run.place:
        below = below.filter(**{f"place__{at}": each for at, each in enumerate(run.place)})
    items = Q(run_id=place.run, node=place.node) if place.index is None else Q(pk=None)
    open_tasks = _tasks(skip.tenant).filter(status=OPEN)
    return list(open_tasks.filter(items | Q(run_id__in=below.values("id")))[:MOST_INSIDE])


def _outcomes_of(step: StepExecution) -> tuple[str, ...] | None:
    """The outcomes of a step that asks people, as far as its version knows them; None of any other."""
    node = shown(step.version_id).graph.steps.get(step.node)
    node = node.body if node is not None and step.index is not None else node
    if node is None or not node.spec.asks_people:
        return None
    return node.outcomes or ()


def _person(skip: Skip) -> Principal:
    if skip.who is None:
        raise NotAllowed("Only a person can decide what this step asks people.", code="not_a_candidate")
    return skip.who


def _decide(who: Principal, task: ManualTask, skip: Skip) -> None:
    stands = standing(who, task)
    output = skip.output if isinstance(skip.output, dict) else {}
    outcome = _check_outcome(skip.output, [one["name"] for one in task.outcomes])
    comment = output.get("comment") or skip.reason
    decision = Decision(outcome, output.get("data"), str(comment), reason=skip.reason or None)
    if stands.may_decide:
        deciding.decide(who, stands, decision, confirms=False)
        return
    _require_outside(who, task, skip.reason)
    if next(one for one in task.outcomes if one["name"] == outcome).get("sign"):
        raise Conflict("This outcome is signed: decide it at its task.", code="signed")
    check_decision(task, decision)
    deciding.end_outside(who, task, decision)


def _require_outside(who: Principal, task: ManualTask, reason: str) -> None:
    """Let pass who may decide a task that does not ask them, or take it away."""
    if why := policies.why_excluded(task, who.username):
        raise NotAllowed(why, code="excluded")
    _require_right(who, task, reason)


def _require_right(who: Principal, place: ManualTask | Run, reason: str) -> None:
    require_assign(who, place)
    if not reason.strip():
        raise Invalid("Say why this is decided outside its task.", code="required", field="reason")


def _check_unasked(who: Principal, step: StepExecution, skip: Skip, outcomes: Sequence[str]) -> None:
    """A step that failed before it could ask: nobody knows whom it would have barred but who asked for the run."""
    if step.status != StepStatus.FAILED:
        message = "The step has asked nobody yet. Skip it once it has, or decide its task."
        raise Conflict(message, code="not_asked_yet")
    run = Run.objects.for_tenant(skip.tenant).get(pk=skip.place.run)
    if key_of(run.created_by) == key_of(who.username):
        raise NotAllowed("You started this run; somebody else must decide for this step.", code="excluded")
    _require_right(who, run, skip.reason)
    _check_outcome(skip.output, outcomes)


def _check_outcome(output: Json, outcomes: Sequence[str]) -> str:
    """The outcome that an output names as its `branch`. Raises Invalid for what is none of them."""
    branch = output.get("branch", output.get("outcome")) if isinstance(output, dict) else None
    if not isinstance(branch, str) or (outcomes and branch not in outcomes):
        names = ", ".join(outcomes) or "one of its outcomes"
        message = f"People decide this step: let `branch` of the output name the outcome ({names})."
        raise Invalid(message, code="unknown_outcome", field="output.branch")
    return branch
