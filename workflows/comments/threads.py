"""What is said of the steps of a draft: written by who may edit it, read by who may read it."""

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from accounts import audit
from accounts.principal import Forbidden, Principal
from accounts.roles import WORKFLOWS_WRITE
from engine.dialects import DialectError, to_native
from lib.refusals import Conflict, Invalid, Missing
from workflows import queries
from workflows.comments import mentions
from workflows.comments.following import tell
from workflows.limits import THREAD_COMMENTS
from workflows.models import StepComment, StepThread, Workflow


def comments_of(tenant_id: int, name: str) -> QuerySet[StepComment]:
    """All that is said of a workflow's steps. Raises Missing for an unknown workflow."""
    return _comments(queries.get_workflow(tenant_id, name))


def _comments(workflow: Workflow) -> QuerySet[StepComment]:
    rows = StepComment.objects.for_tenant(workflow.tenant_id)
    return rows.select_related("by", "thread__resolved_by").filter(thread__workflow=workflow)


def write(principal: Principal, name: str, *, step: str, text: str, reason: str | None = None) -> StepComment:
    """Say something of a step, in its open thread or a new one; whom it mentions is mailed.

    Raises Missing; Invalid for a step that isn't there and for no text; Conflict for an archived workflow and for a
    thread that is full.
    """
    principal.require(WORKFLOWS_WRITE)
    content = text.replace("\r\n", "\n").strip()
    if not content:
        raise Invalid("Write something.", code="blank", field="text")
    with transaction.atomic():
        workflow = queries.lock_workflow(principal.tenant_id, name)
        thread = _thread_for(workflow, step)
        comment = StepComment.objects.create(
            tenant_id=workflow.tenant_id, thread=thread, text=content, by_id=principal.user_id
        )
        mentions.tell(principal, workflow, comment)
        tell(workflow)
        audit.record(principal, "workflow.comment", name, reason=reason)
    return _comment(workflow, comment.pk)


def _thread_for(workflow: Workflow, step: str) -> StepThread:
    threads = StepThread.objects.for_tenant(workflow.tenant_id).filter(workflow=workflow, node=step)
    thread = threads.filter(resolved_at=None).order_by("-id").first()
    if thread is None:
        if not _has_step(workflow, step):
            raise Invalid(f"The draft has no step {step}.", code="no_step", field="step")
        return StepThread.objects.create(tenant_id=workflow.tenant_id, workflow=workflow, node=step)
    if thread.comments.count() >= THREAD_COMMENTS:
        message = f"A thread has at most {THREAD_COMMENTS} comments: resolve it, and begin another."
        raise Conflict(message, code="thread_full", field="step")
    return thread


def _has_step(workflow: Workflow, step: str) -> bool:
    try:
        nodes = to_native(workflow.draft_definition, None, workflow.name).get("nodes")
    except DialectError:
        return False
    return isinstance(nodes, list) and any(isinstance(one, dict) and one.get("id") == step for one in nodes)


def resolve(principal: Principal, name: str, comment_id: int, *, reason: str | None = None) -> StepComment:
    """The thread of a comment is settled. Raises Missing, and Conflict for an archived workflow."""
    return _settle(principal, name, comment_id, resolved=True, reason=reason)


def reopen(principal: Principal, name: str, comment_id: int, *, reason: str | None = None) -> StepComment:
    """The thread of a comment is open again. Raises as `resolve`."""
    return _settle(principal, name, comment_id, resolved=False, reason=reason)


def _settle(
    principal: Principal, name: str, comment_id: int, *, resolved: bool, reason: str | None
) -> StepComment:
    principal.require(WORKFLOWS_WRITE)
    with transaction.atomic():
        workflow = queries.lock_workflow(principal.tenant_id, name)
        thread = _comment(workflow, comment_id).thread
        if (thread.resolved_at is not None) != resolved:
            StepThread.objects.for_tenant(workflow.tenant_id).filter(pk=thread.pk).update(
                resolved_at=Now() if resolved else None,
                resolved_by_id=principal.user_id if resolved else None,
            )
            tell(workflow)
            act = "workflow.resolve_comments" if resolved else "workflow.reopen_comments"
            audit.record(principal, act, name, reason=reason)
    return _comment(workflow, comment_id)


def delete(principal: Principal, name: str, comment_id: int, *, reason: str | None = None) -> None:
    """Take back what one wrote oneself; with its last comment a thread is gone.

    Raises Missing; Forbidden for somebody else's; Conflict for an archived workflow.
    """
    principal.require(WORKFLOWS_WRITE)
    with transaction.atomic():
        workflow = queries.lock_workflow(principal.tenant_id, name)
        comment = _comment(workflow, comment_id)
        if comment.by_id != principal.user_id:
            raise Forbidden("Only its author can delete a comment.")
        comment.delete()
        if not comment.thread.comments.exists():
            comment.thread.delete()
        tell(workflow)
        audit.record(principal, "workflow.delete_comment", name, reason=reason)


def _comment(workflow: Workflow, comment_id: int) -> StepComment:
    comment = _comments(workflow).filter(pk=comment_id).first()
    if comment is None:
        raise Missing(f"The workflow {workflow.name} has no such comment.")
    return comment
