"""Sends what the outbox holds. No transaction is open while a mail server is talked to.

A mail that the server took, of which nobody could be told (the process died), is sent again with the same Message-ID.
"""

import logging
import time
from dataclasses import replace

from accounts.models import Membership
from accounts.queries import find_member
from accounts.reading import reader_of
from lib.mail import MailError, SmtpServer, send
from lib.refusals import Missing
from steps import outside
from tasks_inbox.mail import links, mails, notices, outbox
from tasks_inbox.mail.outbox import GIVEN_UP, Due
from tasks_inbox.models import ManualTask
from tasks_inbox.store import queries

log = logging.getLogger("handoff.mail")

TICK_SECONDS = 2.0
ANSWER_SECONDS = 5.0
"""The queue on which this runs has other work, so a mail server that hangs is left soon."""
MOST_ATTEMPTS = 10
NO_SERVER = f"No mail server is configured ({outside.SMTP_URL})."


def tick(seconds: float = TICK_SECONDS) -> int:
    """Send what is due, for about so many seconds; gives how many notifications were looked at."""
    mail = outside.mail()
    outbox.forget()
    if mail.server is None:
        return outbox.drop_all(NO_SERVER)
    server = replace(mail.server, timeout_seconds=ANSWER_SECONDS)
    until, count = time.monotonic() + seconds, 0
    while time.monotonic() < until and (due := outbox.next_due()):
        count += 1
        if not _done(due, server, mail.sender):
            # What befell this one most likely befalls the next.
            break
    return count


def _done(due: Due, server: SmtpServer, sender: str) -> bool:
    """Do what is to be done with one; False where the mail server did not take it."""
    try:
        task = queries.task_of(due.tenant, due.task)
    except Missing:
        outbox.note_not_sent(due.id, "The task is gone.", for_good=True)
        return True
    if due.username is None:
        outbox.address(due.id, notices.people_of(task, due.kind, due.audience))
        return True
    member = find_member(due.tenant, due.username)
    why = notices.why_not(task, due.kind, member)
    if member is None or why:
        outbox.note_not_sent(due.id, why or "", for_good=True)
        return True
    return _sent(due, task, member, server, sender)


def _sent(due: Due, task: ManualTask, member: Membership, server: SmtpServer, sender: str) -> bool:
    to = member.user.email
    workflow = queries.workflows_of(due.tenant, [task])[task.workflow_id].title
    # As the row has it, which the link must name.
    link = links.written(links.Link(due.id, due.tenant, due.task, due.username or ""), due.made)
    message = mails.written(
        due.kind, task, workflow, id=due.id, sender=sender, to=to, reader=reader_of(member.user), link=link
    )
    try:
        send(server, message, sender=sender, recipients=[to])
    except MailError as error:
        _not_taken(due, error.without(to))
        return False
    outbox.note_sent(due.id)
    return True


def _not_taken(due: Due, error: str) -> None:
    over = due.attempts >= MOST_ATTEMPTS
    reason = f"{GIVEN_UP} after {due.attempts} attempts. {error}" if over else error
    outbox.note_not_sent(due.id, reason, for_good=over)
    if over:
        log.error("A mail to %s about task %s is given up: %s", due.username, due.task, error)
    else:
        log.warning("A mail to %s about task %s waits: %s", due.username, due.task, error)
