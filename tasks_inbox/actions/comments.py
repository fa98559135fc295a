"""What people say of an open task: comments, which nobody changes or takes back, questions and answers (R-146)."""

from uuid import UUID

from accounts import audit
from accounts.principal import Principal
from accounts.roles import TASKS_DECIDE, TASKS_READ
from lib.refusals import Conflict, Invalid, NotAllowed
from lib.uuid7 import uuid7
from runs.kernel import live
from runs.kernel.unit_of_work import changing
from tasks_inbox.actions.recording import printed_name
from tasks_inbox.eligibility.identity import Who
from tasks_inbox.eligibility.refusals import conflict, open_task
from tasks_inbox.eligibility.standing import to_decide
from tasks_inbox.evidence import ledger
from tasks_inbox.limits import TASK_COMMENT_CHARACTERS
from tasks_inbox.mail.mentions import mentioned
from tasks_inbox.models import ANSWERED, ASKED, INCIDENT, OPEN, SAID, ManualTask, TaskComment
from tasks_inbox.store import queries, statements, task_files


def add_comment(
    principal: Principal, task_id: UUID, text: str, *, id: str | None = None, reason: str | None = None
) -> TaskComment:
    """Say something of an open task. `id`: one that was set apart for it, so that asking twice says it once.

    Raises Missing, Forbidden, Invalid for what is no comment, and Conflict `task_closed` for a task that is decided or
    cancelled: what was known when it was decided stays as it was.
    """
    principal.require(TASKS_DECIDE)
    task = queries.task_of(principal.tenant_id, task_id)
    content, comment_id = checked(text), id or uuid7()
    with changing(task.tenant_id, [str(task.run_id)]):
        if _add(principal, task, comment_id, content, SAID):
            audit.record(principal, "comment", f"task {task_id}", reason=reason)
            live.tell_inboxes([task.tenant_id])
        return _written(task, comment_id)


def ask(
    principal: Principal, task_id: UUID, text: str, *, reason: str | None = None, who: Who | None = None
) -> ManualTask:
    """Ask something before one decides: the task's clock stands still until it is answered. `who` as in `standing`.

    Raises as `add_comment`; NotAllowed for who may not decide it, Conflict `asked_already` where a question is open.
    """
    task = to_decide(principal, task_id, who).task
    if task.kind == INCIDENT:
        raise Conflict("This has no clock to stop: ask in a comment instead.", code="is_an_incident")
    content = checked(text)
    with changing(task.tenant_id, [str(task.run_id)]):
        if not statements.stop_clock(task_id, by=principal.username):
            _still_open(task)
            raise Conflict("A question is already open and waits for its answer.", code="asked_already")
        keep(principal, task, content, ASKED)
        audit.record(principal, "ask", f"task {task_id}", reason=reason)
    return queries.task_of(principal.tenant_id, task_id)


def answer(principal: Principal, task_id: UUID, text: str, *, reason: str | None = None) -> ManualTask:
    """Answer what was asked: everything is as much later as the question was open.

    For who started the run, and for whoever may decide tasks. Raises as `ask`; Conflict `nothing_asked`.
    """
    principal.require(TASKS_READ)
    task = open_task(principal, task_id)
    if TASKS_DECIDE not in principal.scopes and not queries.is_requester(task, principal.username):
        raise NotAllowed("Only whoever started the run, or may decide tasks, can answer.", code="not_asked")
    content = checked(text)
    with changing(task.tenant_id, [str(task.run_id)]):
        if not statements.start_clock(task_id, by=principal.username):
            _still_open(task)
            raise Conflict("There is no question, or it is already answered.", code="nothing_asked")
        keep(principal, task, content, ANSWERED)
        audit.record(principal, "answer", f"task {task_id}", reason=reason)
    return queries.task_of(principal.tenant_id, task_id)


def keep(principal: Principal, task: ManualTask, text: str, kind: str) -> None:
    """Keep what was said of an open task as a comment of that kind; the inboxes are told. Raises Conflict."""
    comment_id = uuid7()
    live.tell_inboxes([task.tenant_id])
    _add(principal, task, comment_id, text, kind)
    _written(task, comment_id)


def _add(principal: Principal, task: ManualTask, comment_id: str, text: str, kind: str) -> bool:
    """Write it as a comment and as a link of the tenant's chain, behind the locks of run and task."""
    if not task_files.hold_open_task(task.tenant_id, task.pk):
        return False
    current, chain = (
        queries.task_of(task.tenant_id, task.pk),
        statements.hold_chain(task.tenant_id, ledger.FIRST),
    )
    by: dict[str, object] = {
        "username": principal.username,
        "user_id": principal.user_id,
        "via": principal.via,
    }
    by["name"] = printed_name(principal)
    record = ledger.remark_of(
        current, chain, id=comment_id, tenant=principal.tenant_slug, by=by, kind=kind, text=text
    )
    link = {"seq": record.seq, "record": record.text, "digest": record.digest, "at": record.at}
    fields = {"by": principal.username, "text": text, "kind": kind}
    mentions = mentioned(principal, text)
    return statements.add_comment(
        comment_id, tenant=task.tenant_id, task=task.pk, mentions=mentions, link=link, **fields
    )


def _still_open(task: ManualTask) -> None:
    current = queries.task_of(task.tenant_id, task.pk)
    if current.status != OPEN:
        raise conflict(current)


def _written(task: ManualTask, comment_id: str) -> TaskComment:
    comment = queries.comments_of(task).filter(pk=comment_id).first()
    if comment is None:
        raise Conflict("This task is closed: it takes no more comments.", code="task_closed")
    return comment


def checked(text: str, field: str = "text") -> str:
    """The text of a comment as it is kept. Raises Invalid at `field` for what is none."""
    content = text.replace("\r\n", "\n").strip()
    if not content:
        raise Invalid("Write something.", code="blank", field=field)
    if len(content) > TASK_COMMENT_CHARACTERS:
        raise Invalid(
            f"A comment has at most {TASK_COMMENT_CHARACTERS:,} characters.", code="max_length", field=field
        )
    if "\x00" in content:
        raise Invalid("A comment has no NUL characters.", code="bad_text", field=field)
    return content
