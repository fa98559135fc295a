"""One task of a bulk job: whether a verb can be done to it, and doing it, as if it were done alone."""

from uuid import UUID

from accounts.principal import Principal
from accounts.roles import TASKS_ASSIGN, TASKS_DECIDE
from lib.refusals import Conflict, Invalid
from tasks_inbox.actions import assignment, deciding, notes
from tasks_inbox.actions.bulk import ASSIGN, CLAIM, DECIDE, SNOOZE, BulkCommand, outcomes_of
from tasks_inbox.actions.decision import Decision, check_decision
from tasks_inbox.eligibility import identity
from tasks_inbox.eligibility.quorum import needs_several
from tasks_inbox.eligibility.refusals import being_decided, conflict, open_task
from tasks_inbox.eligibility.standing import Standing, standing
from tasks_inbox.evidence import presentation
from tasks_inbox.models import FOR_OPERATORS, ManualTask
from tasks_inbox.reading import listing
from tasks_inbox.reading.sources import View, parts_of
from tasks_inbox.store import queries, statements

VERBS = (CLAIM, ASSIGN, SNOOZE, DECIDE)
"""What a bulk job may do to all tasks that a search has found."""


def check_command(principal: Principal, command: BulkCommand) -> BulkCommand:
    """Let pass what can be asked for at all; gives it with the username of whom it names.

    Raises Forbidden, and Invalid at the field, also for what a verb doesn't take.
    """
    principal.require(TASKS_DECIDE)
    if command.action not in VERBS:
        raise Invalid(f"This must be one of {', '.join(VERBS)}.", code="unknown_verb", field="verb")
    takes = {ASSIGN: ("assignee",), SNOOZE: ("until",), DECIDE: ("outcome", "comment")}.get(
        command.action, ()
    )
    for name in ("assignee", "until", "outcome", "comment"):
        if name not in takes and getattr(command, name):
            raise Invalid(f"`{command.action}` takes no `{name}`.", field=name)
    for name in takes[:1]:
        if not getattr(command, name):
            raise Invalid(f"`{command.action}` needs this.", code="required", field=name)
    if command.action != ASSIGN:
        return command
    principal.require(TASKS_ASSIGN)
    taker = assignment.assignee_of(principal.tenant_id, command.assignee)
    return BulkCommand(ASSIGN, assignee=taker.name, reason=command.reason)


def found_tasks(
    principal: Principal, view: View | None, text: str, run: UUID | None, most: int
) -> list[tuple[UUID, UUID]]:
    """The tasks that a search finds in a view of who asks, or in a run: the run and the task, at most one more than so
    many. Raises Invalid at `query`.
    """
    who = identity.who_is(principal)
    parts = parts_of(who, run=run) if run else parts_of(who, view=view)
    rows = (part.values_list("run_id", "pk")[: most + 1] for part in listing.found(who, parts, text, "query"))
    return list(dict.fromkeys(row for part in rows for row in part))[: most + 1]


def one_of_type(tenant_id: int, ids: list[UUID]) -> ManualTask | None:
    """One of these tasks, where all are of one step of one workflow; None where they are not. Two statements."""
    tasks = ManualTask.objects.for_tenant(tenant_id).filter(pk__in=ids)
    types = list(tasks.order_by().values_list("workflow_id", "node").distinct()[:2])
    return tasks.order_by("-pk").first() if len(types) == 1 else None


def require_one_type(tenant_id: int, ids: list[UUID]) -> ManualTask | None:
    """Let pass tasks that may be decided together; gives one of them. Raises Invalid that says why not."""
    task = one_of_type(tenant_id, ids)
    if ids and task is None:
        message = "These tasks are of several steps. Search for those of one: workflow:refunds with words of its title."
        raise Invalid(message, code="not_one_type", field="query")
    return task


def check_task(principal: Principal, task_id: UUID, command: BulkCommand) -> str:
    """Let pass a task to which this can be done now; gives the hash of what a decision of it is about. Changes nothing;
    raises as `act_on`.
    """
    match command.action:
        case "assign":
            assignment.check_assign(principal, task_id, command.assignee)
        case "snooze":
            open_task(principal, task_id)
        case "claim":
            stands = _standing(principal, task_id)
            assignment.check_claim(principal, stands)
            if not stands.is_free:
                raise conflict(stands.task)
        case _:
            stands = _standing(principal, task_id)
            _check_decision(principal, stands, command)
            return presentation.hash_of(stands.task, principal.username)
    return ""


def act_on(principal: Principal, task_id: UUID, command: BulkCommand, seen: str | None) -> None:
    """Do it. A decision counts at once; `seen`: the hash of what it is about. Raises Refusal and RunRefused as for this
    task alone.
    """
    match command.action:
        case "assign":
            assignment.assign_task(principal, task_id, command.assignee, reason=command.reason)
        case "snooze":
            notes.snooze_task(principal, task_id, until=command.until, reason=command.reason)
        case "claim":
            assignment.claim(principal, _standing(principal, task_id), reason=command.reason)
        case _:
            stands = _standing(principal, task_id)
            _check_decision(principal, stands, command)
            decision = Decision(command.outcome, comment=command.comment, seen=seen, reason=command.reason)
            deciding.decide(principal, stands, decision)


def _standing(principal: Principal, task_id: UUID) -> Standing:
    return standing(principal, queries.task_of(principal.tenant_id, task_id))


def _check_decision(principal: Principal, stands: Standing, command: BulkCommand) -> None:
    task = stands.task
    stands.require()
    if not stands.is_free:
        raise conflict(task)
    if task.kind in FOR_OPERATORS:
        raise Conflict("Failed compensations are settled one by one.", code="not_in_bulk")
    if command.outcome not in {one["name"] for one in outcomes_of(task)}:
        message = (
            "This outcome needs its own input or a signature, or does not exist: decide this task alone."
        )
        raise Invalid(message, code="not_in_bulk", field="outcome")
    check_decision(task, Decision(command.outcome, comment=command.comment))
    if not needs_several(task.quorum) and (other := statements.held_by_another(task.pk, principal.username)):
        raise being_decided(task, other)
