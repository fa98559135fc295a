"""What somebody has typed to decide a task and not sent yet: kept for them alone, unchecked, until it is decided.

Nobody else is ever shown it, admins included; it leaves no trace in history or audit log.
"""

from uuid import UUID

from accounts.names import key_of
from accounts.principal import Principal
from engine.catalogue import Json
from lib.refusals import Conflict, Invalid, Missing, TooLarge
from lib.strict_json import BadJson, JsonTooLarge, strict_dumps
from lib.uuid7 import uuid7
from tasks_inbox.eligibility.refusals import open_task, require_answer
from tasks_inbox.evidence import presentation
from tasks_inbox.limits import TASK_DRAFT_BYTES
from tasks_inbox.models import FOR_OPERATORS, OPEN, ManualTask, TaskDraft
from tasks_inbox.store import queries, statements


def draft_of(principal: Principal, task: ManualTask) -> TaskDraft | None:
    """The draft that they have of a task, if any."""
    if task.status != OPEN:
        return None
    drafts = TaskDraft.objects.for_tenant(principal.tenant_id).filter(
        task_id=task.pk, user_id=principal.user_id
    )
    return drafts.first()


def find_draft(principal: Principal, task_id: UUID) -> TaskDraft:
    """As `draft_of`. Raises Missing, also where there is no draft, and Forbidden."""
    task = queries.task_of(principal.tenant_id, task_id)
    require_answer(principal, task)
    draft = draft_of(principal, task)
    if draft is None:
        raise Missing("You have no draft of this task.")
    return draft


def save_draft(principal: Principal, task_id: UUID, *, data: Json, comment: str = "") -> TaskDraft:
    """Keep what they have typed, right or wrong, instead of what they had kept before.

    Raises Missing, Forbidden, Conflict for a task that is closed or decided by them, and Invalid for what is too large.
    """
    require_answer(principal, queries.task_of(principal.tenant_id, task_id))
    task = open_task(principal, task_id)
    if task.kind in FOR_OPERATORS:
        raise Conflict(
            "The task of a compensation has no form: it takes no drafts.", code="is_a_compensation"
        )
    try:
        text = strict_dumps(data, max_bytes=TASK_DRAFT_BYTES).decode()
    except JsonTooLarge as error:
        raise TooLarge(error.message, field="data") from None
    except BadJson as error:
        raise Invalid(error.message, code="bad_json", field="data") from None
    is_saved = statements.save_draft(
        uuid7(),
        tenant=task.tenant_id,
        task=task_id,
        user=principal.user_id,
        key=key_of(principal.username),
        data=text,
        comment=comment,
        shown_hash=presentation.hash_of(task, principal.username),
    )
    if not is_saved:
        raise Conflict("This task is decided: it takes no more drafts.", code="task_closed")
    return find_draft(principal, task_id)


def start_draft(principal: Principal, task_id: UUID, *, comment: str) -> None:
    """Keep a comment as their draft, unless they have typed something else already. Raises as `save_draft`."""
    if draft_of(principal, queries.task_of(principal.tenant_id, task_id)) is None:
        save_draft(principal, task_id, data={}, comment=comment)


def drop_draft(principal: Principal, task_id: UUID) -> None:
    """Forget what they have typed, if anything. Raises Missing and Forbidden."""
    task = queries.task_of(principal.tenant_id, task_id)
    require_answer(principal, task)
    TaskDraft.objects.for_tenant(principal.tenant_id).filter(
        task_id=task.pk, user_id=principal.user_id
    ).delete()


def is_outdated(principal: Principal, draft: TaskDraft, task: ManualTask) -> bool:
    """Whether they were shown something else when they typed it."""
    return draft.shown_hash != presentation.hash_of(task, principal.username)


def draft_row(principal: Principal, draft: TaskDraft, task: ManualTask) -> dict[str, Json]:
    """A draft as it is shown to who typed it."""
    row = {"data": draft.data, "comment": draft.comment, "saved_at": draft.saved_at}
    return row | {"outdated": is_outdated(principal, draft, task)}
