"""Sends mails about tasks."""

from collections.abc import Sequence
from datetime import datetime

from accounts.models import Membership
from accounts.queries import find_member
from accounts.reading import reader_of
from lib.refusals import Missing
from tasks_inbox.limits import MAILS_BEFORE_DIGEST
from tasks_inbox.mail import links, mails, notices, outbox
from tasks_inbox.mail.outbox import OUTBOX, Due, address
from tasks_inbox.mail.posting import TICK_SECONDS, Post, send_due
from tasks_inbox.models import (
    ASKED,
    ASSIGNED,
    CANCELS,
    DELEGATED,
    ESCALATED,
    REMINDED,
    SENT_AGAIN,
    ManualTask,
)
from tasks_inbox.store import queries

COLLECTED = (ASKED, ASSIGNED, DELEGATED, REMINDED, ESCALATED, SENT_AGAIN, CANCELS)
"""Kinds of mails that are collected where somebody gets many; of the others each is about one person's own matter."""


def tick(seconds: float = TICK_SECONDS) -> int:
    """Send what is due, for about so many seconds; gives how many notifications were looked at."""
    return send_due(OUTBOX, _done, seconds)


def _done(due: Due, post: Post) -> bool:
    """Do what is to be done with one; False where the mail server did not take it."""
    try:
        task = queries.task_of(due.tenant, due.task)
    except Missing:
        OUTBOX.note_skipped(due.id, "The task is gone.")
        return True
    if due.username is None:
        address(due.id, notices.people_of(task, due.kind, due.audience))
        return True
    member = _recipient(due, task)
    if member is None:
        return True
    if due.kind not in COLLECTED:
        return _sent(due, task, member, post)
    count, until = outbox.mails_lately(due)
    is_busy = count >= MAILS_BEFORE_DIGEST
    if is_busy and until and not _is_due_before(task, until):
        outbox.put_off(due.id, until)
        return True
    others = outbox.take_collected(due, COLLECTED, whole=is_busy and until is None)
    pairs = [(due, task), *_still_wanted(others)]
    return _sent(due, task, member, post) if len(pairs) == 1 else _sent_together(pairs, member, post)


def _is_due_before(task: ManualTask, moment: datetime) -> bool:
    return task.due_at is not None and task.due_at <= moment


def _recipient(due: Due, task: ManualTask) -> Membership | None:
    """Who gets a mail; None where nobody does any more, which is noted."""
    member = find_member(due.tenant, due.username or "")
    why = notices.why_not(task, due.kind, member)
    if member is None or why:
        OUTBOX.note_skipped(due.id, why or "")
        return None
    return member


def _still_wanted(others: Sequence[Due]) -> list[tuple[Due, ManualTask]]:
    pairs = []
    for due in others:
        try:
            task = queries.task_of(due.tenant, due.task)
        except Missing:
            OUTBOX.note_skipped(due.id, "The task is gone.")
            continue
        if _recipient(due, task) is not None:
            pairs.append((due, task))
    return pairs


def _sent_together(pairs: Sequence[tuple[Due, ManualTask]], member: Membership, post: Post) -> bool:
    """Send one mail for several; what becomes of it becomes of each."""
    (first, _), *_ = pairs
    to, reader = member.user.email, reader_of(member.user)
    workflows = queries.workflows_of(first.tenant, [task for _, task in pairs])
    rows = [
        mails.Collected(due.kind, task, workflows[task.workflow_id].title, _link(due)) for due, task in pairs
    ]
    message = mails.collected(rows, id=first.id, sender=post.sender, to=to, reader=reader)
    is_sent = post.send(OUTBOX, first, message, to, f"to {first.username} about {len(pairs)} tasks")
    for due, _ in pairs[1:]:
        if is_sent:
            OUTBOX.note_sent(due.id)
        else:
            OUTBOX.note_failed(due.id, "It was part of a mail that was not sent.", due.attempts)
    return is_sent


def _link(due: Due) -> str:
    # As the row has it, which the link must name.
    return links.written(links.Link(due.id, due.tenant, due.task, due.username or ""), due.made)


def _sent(due: Due, task: ManualTask, member: Membership, post: Post) -> bool:
    to = member.user.email
    workflow = queries.workflows_of(due.tenant, [task])[task.workflow_id].title
    message = mails.written(
        due.kind,
        task,
        workflow,
        id=due.id,
        sender=post.sender,
        to=to,
        reader=reader_of(member.user),
        link=_link(due),
    )
    return post.send(OUTBOX, due, message, to, f"to {due.username} about task {due.task}")
