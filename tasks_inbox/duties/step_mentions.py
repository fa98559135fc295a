"""Who was mentioned in a comment on a step of a draft is told so, as things are when the mail is sent."""

from email.message import EmailMessage
from urllib.parse import urlencode

from django.conf import settings
from django.urls import reverse

from accounts.models import User
from accounts.outgoing import DueMail
from accounts.people import called
from accounts.queries import readers_of
from engine.step_titles import step_title
from steps.catalogue import CATALOGUE
from tasks_inbox.mail import step_mentions
from workflows.models import StepComment, StepMention, Workflow


def message_of(due: DueMail, user: User, *, sender: str) -> EmailMessage | None:
    """What is to be said to somebody; None where the comment is gone, or they may not read the workflow now."""
    mentions = StepMention.objects.for_tenant(due.tenant).filter(mail_id=due.id)
    comments = StepComment.objects.for_tenant(due.tenant).select_related("by", "thread__workflow")
    comment = comments.filter(pk__in=mentions.values("comment")).first()
    if comment is None:
        return None
    workflow, node = comment.thread.workflow, comment.thread.node
    if not readers_of(due.tenant, workflow.folder_id).filter(user=user).exists():
        return None
    return step_mentions.written(
        id=due.id,
        by=called(comment.by),
        workflow=workflow.title or workflow.name,
        step=_title_of(workflow, node),
        sender=sender,
        to=user.email,
        link=f"{settings.HANDOFF_URL}{reverse('workflow-edit', args=[workflow.name])}?{urlencode({'step': node})}",
    )


def _title_of(workflow: Workflow, node: str) -> str:
    """What a step of the draft is called; its id where it is gone."""
    nodes = workflow.draft_definition.get("nodes")
    steps = [one for one in nodes if isinstance(one, dict)] if isinstance(nodes, list) else []
    return next((step_title(one, CATALOGUE) for one in steps if one.get("id") == node), node)
