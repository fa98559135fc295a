"""What somebody notes of a task for themselves, binding nobody else: not before that time, and that they watch it."""

from datetime import datetime
from uuid import UUID

from accounts import audit
from accounts.principal import Principal
from accounts.roles import TASKS_DECIDE, TASKS_READ
from lib.clock import now_here
from lib.refusals import Invalid
from lib.uuid7 import uuid7
from runs.kernel import live
from tasks_inbox.eligibility.refusals import open_task
from tasks_inbox.limits import SNOOZE_PERIOD
from tasks_inbox.models import ManualTask
from tasks_inbox.store import queries, statements


def snooze_task(
    principal: Principal, task_id: UUID, *, until: datetime | None = None, reason: str | None = None
) -> ManualTask:
    """Keep an open task out of one's own lists until then; without a time, take that back.

    Raises Missing, Forbidden, Conflict for a task that is closed, and Invalid for a time that is over or too far away.
    """
    principal.require(TASKS_DECIDE)
    task = open_task(principal, task_id)
    now = now_here()
    if until is not None and not now < until <= now + SNOOZE_PERIOD:
        message = f"This must be a future time, at most {SNOOZE_PERIOD.days} days from now."
        raise Invalid(message, code="bad_time", field="until")
    statements.snooze_task(uuid7(), tenant=task.tenant_id, task=task_id, by=principal.username, until=until)
    _noted(principal, task, "snooze" if until else "wake", reason)
    return task


def watch_task(
    principal: Principal, task_id: UUID, *, watching: bool, reason: str | None = None
) -> ManualTask:
    """Watch a task, or no more. Raises Missing and Forbidden."""
    principal.require(TASKS_READ)
    task = queries.task_of(principal.tenant_id, task_id)
    statements.watch_task(
        uuid7(), tenant=task.tenant_id, task=task_id, by=principal.username, watching=watching
    )
    _noted(principal, task, "watch" if watching else "unwatch", reason)
    return task


def _noted(principal: Principal, task: ManualTask, verb: str, reason: str | None) -> None:
    audit.record(principal, verb, f"task {task.pk}", reason=reason)
    live.tell_inboxes([task.tenant_id])
