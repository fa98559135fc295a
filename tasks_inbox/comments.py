"""What people say of an open task: comments, which nobody changes or takes back (R-146)."""

from uuid import UUID

from django.db import transaction

from accounts import audit
from accounts.principal import Principal
from accounts.roles import TASKS_DECIDE
from lib.refusals import Conflict, Invalid
from lib.uuid7 import uuid7
from runs import live
from tasks_inbox import queries, store
from tasks_inbox.models import TaskComment

MAX_TEXT = 4_000


def add_comment(
    principal: Principal, task_id: UUID, text: str, *, id: str | None = None, reason: str | None = None
) -> TaskComment:
    """Say something of an open task. `id`: one that was set apart for it, so that asking twice says it once.

    Raises Missing, Forbidden, Invalid for what is no comment, and Conflict `task_closed` for a task that is decided or
    cancelled: what was known when it was decided stays as it was.
    """
    principal.require(TASKS_DECIDE)
    task = queries.task_of(principal.tenant_id, task_id)
    said, made = _checked(text), id or uuid7()
    if store.add_comment(made, tenant=task.tenant_id, task=task_id, by=principal.username, text=said):
        audit.record(principal, "comment", f"task {task_id}", reason=reason)
        transaction.on_commit(lambda: live.tell_inboxes([task.tenant_id]))
    comment = queries.comments_of(task).filter(pk=made).first()
    if comment is None:
        raise Conflict("This task is closed: nothing more is said of it.", code="task_closed")
    return comment


def _checked(text: str) -> str:
    said = text.replace("\r\n", "\n").strip()
    if not said:
        raise Invalid("Write something.", code="blank", field="text")
    if len(said) > MAX_TEXT:
        raise Invalid(f"A comment has at most {MAX_TEXT:,} characters.", code="max_length", field="text")
    if "\x00" in said:
        raise Invalid("A comment has no NUL characters.", code="bad_text", field="text")
    return said
