"""Mails about tasks, told to `runs`, which shows those that were tried in vain."""

from runs.reading.mails import MailSource, UnsentMail
from tasks_inbox.models import Notification
from tasks_inbox.models.comments import ANSWERED, ASKED, SENT_AGAIN, SENT_BACK
from tasks_inbox.models.notifications import (
    ASSIGNED,
    CANCELS,
    DELEGATED,
    ESCALATED,
    MENTIONED,
    QUESTION,
    REMINDED,
)

_ABOUT = {
    ASKED: "A new task",
    ASSIGNED: "A task that was given to them",
    DELEGATED: "A task that was handed to them",
    REMINDED: "A reminder of a task",
    ESCALATED: "A task that was escalated to them",
    MENTIONED: "A mention in a comment on a task",
    QUESTION: "A question about a task",
    ANSWERED: "An answer about a task",
    SENT_BACK: "A task that was returned for changes",
    SENT_AGAIN: "A task that was sent again",
    CANCELS: "A task that is no longer needed",
}


def _shown(mail: Notification) -> UnsentMail:
    return UnsentMail(
        mail.username or "whom the task asks",
        _ABOUT.get(mail.kind, "A task"),
        mail.error,
        mail.created_at,
        mail.next_at,
        mail.run_id,
    )


MAILS = MailSource(Notification, _shown, of_runs=True)
