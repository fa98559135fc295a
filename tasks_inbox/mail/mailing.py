"""Sends mails about tasks."""

from accounts.models import Membership
from accounts.queries import find_member
from accounts.reading import reader_of
from lib.refusals import Missing
from tasks_inbox.mail import links, mails, notices
from tasks_inbox.mail.outbox import OUTBOX, Due, address
from tasks_inbox.mail.posting import TICK_SECONDS, Post, send_due
from tasks_inbox.models import ManualTask
from tasks_inbox.store import queries


def tick(seconds: float = TICK_SECONDS) -> int:
    """Send what is due, for about so many seconds; gives how many notifications were looked at."""
    return send_due(OUTBOX, _done, seconds)


def _done(due: Due, post: Post) -> bool:
    """Do what is to be done with one; False where the mail server did not take it."""
    try:
        task = queries.task_of(due.tenant, due.task)
    except Missing:
        OUTBOX.note_not_sent(due.id, "The task is gone.", for_good=True)
        return True
    if due.username is None:
        address(due.id, notices.people_of(task, due.kind, due.audience))
        return True
    member = find_member(due.tenant, due.username)
    why = notices.why_not(task, due.kind, member)
    if member is None or why:
        OUTBOX.note_not_sent(due.id, why or "", for_good=True)
        return True
    return _sent(due, task, member, post)


def _sent(due: Due, task: ManualTask, member: Membership, post: Post) -> bool:
    to = member.user.email
    workflow = queries.workflows_of(due.tenant, [task])[task.workflow_id].title
    # As the row has it, which the link must name.
    link = links.written(links.Link(due.id, due.tenant, due.task, due.username or ""), due.made)
    message = mails.written(
        due.kind,
        task,
        workflow,
        id=due.id,
        sender=post.sender,
        to=to,
        reader=reader_of(member.user),
        link=link,
    )
    return post.send(OUTBOX, due, message, to, f"to {due.username} about task {due.task}")
