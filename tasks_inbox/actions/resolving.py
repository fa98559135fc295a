"""Settling what is no step's question: a compensation that failed for good, or an incident (R-136, R-140)."""

from uuid import UUID

from django.db import transaction

from accounts import audit
from accounts.principal import Principal
from accounts.roles import RUNS_OPERATE, TASKS_DECIDE
from lib.refusals import Conflict, Invalid
from runs.access import guard_run
from runs.commands import dead_letters, lifecycle
from runs.kernel import live
from runs.kernel.compensation import How
from runs.kernel.refused import lock_runs
from runs.kernel.unit_of_work import changing
from runs.models import DeadLetter
from tasks_inbox.eligibility.identity import Who
from tasks_inbox.eligibility.refusals import claimed, conflict, open_task
from tasks_inbox.eligibility.standing import standing, to_decide
from tasks_inbox.lifecycle.compensations import ABANDON, DONE
from tasks_inbox.models import COMPENSATION, INCIDENT, ManualTask
from tasks_inbox.store import queries, statements


def settle(
    principal: Principal, task_id: UUID, *, resolution: str, reason: str = "", who: Who | None = None
) -> ManualTask:
    """Settle an incident: `retry` or `abandon` what failed, or say that it is `done`.

    Raises as `resolve_task`, Invalid for a resolution that it doesn't have, and RunRefused where the run can't
    go on.
    """
    principal.require(TASKS_DECIDE)
    principal.require(RUNS_OPERATE)
    task = to_decide(principal, task_id, who).task
    guard_run(principal, RUNS_OPERATE, task.run_id)
    if resolution not in {one["name"] for one in task.outcomes}:
        names = ", ".join(one["name"] for one in task.outcomes)
        raise Invalid(f"Choose one of {names}.", code="unknown_outcome", field="resolution")
    with changing(task.tenant_id, [str(task.run_id)]):
        if not statements.settle_incident(task_id, outcome=resolution, comment=reason, by=principal.username):
            raise conflict(queries.task_of(principal.tenant_id, task_id))
        if resolution != DONE:
            _see_to(principal, task, resolution, reason)
        audit.record(principal, f"resolve {resolution}", f"task {task_id}", reason=reason)
        live.tell_inboxes([task.tenant_id])
    return queries.task_of(principal.tenant_id, task_id)


def _see_to(principal: Principal, task: ManualTask, resolution: str, reason: str) -> None:
    letters = DeadLetter.objects.for_tenant(task.tenant_id).filter(pk=task.step_id)
    open_letters = list(letters.filter(resolution=None))
    if not open_letters:
        raise Conflict("Its dead letter was already handled.", code="resolved")
    if resolution == ABANDON:
        dead_letters.discard(principal, open_letters, reason=reason)
        return
    for refusal in dead_letters.redrive(principal, open_letters, reason=reason).refused.values():
        raise refusal


def resolve_task(
    principal: Principal,
    task_id: UUID,
    *,
    resolution: How,
    reason: str | None = None,
    who: Who | None = None,
) -> ManualTask:
    """Settle the failed compensation of a task, and let its run go on undoing, or neither (R-140); or an incident.

    `retry` it, it was `done` by hand, or `abandon` it. `who` as in `standing`. Raises Missing; NotAllowed for those
    whom it doesn't ask; Conflict where the task is no such one, was resolved already or is claimed by somebody else;
    RunRefused where the run no longer waits for it.
    """
    principal.require(TASKS_DECIDE)
    task = queries.task_of(principal.tenant_id, task_id)
    if task.kind == INCIDENT:
        return settle(principal, task_id, resolution=resolution, reason=reason or "", who=who)
    if task.kind != COMPENSATION:
        message = "This task is not about a compensation: decide it with /complete."
        raise Conflict(message, code="not_a_compensation")
    standing(principal, task, who).require()
    guard_run(principal, RUNS_OPERATE, task.run_id)
    run = str(task.run_id)
    with transaction.atomic():
        lock_runs(task.tenant_id, [run])
        # Asked behind the lock: this task may be settled, and another be open because it failed once more.
        open_task(principal, task_id)
        cause = {"by": principal.username, "reason": reason or "", "via": principal.via}
        lifecycle.resolve_compensation(task.tenant_id, run, task.step_id, resolution, way="task", **cause)
        resolved_task = queries.task_of(principal.tenant_id, task_id)
        if resolved_task.assignee not in (None, principal.username):
            raise claimed(resolved_task)
        audit.record(principal, f"resolve {resolution}", f"task {task_id}", reason=reason)
    live.tell_inboxes([task.tenant_id])
    return resolved_task
