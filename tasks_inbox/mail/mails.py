"""The mail of a notification: the question, who asks, until when, and a link. No facts: mail is read by others, too."""

import hashlib
from datetime import datetime
from email.message import EmailMessage
from email.utils import formatdate
from uuid import UUID

from django.utils.html import format_html

from lib.reader import Reader, reading_as
from lib.visible import visible
from lib.visible_pages import visible_html
from tasks_inbox.forms.texts import title_of
from tasks_inbox.limits import MAIL_TITLE_CHARACTERS
from tasks_inbox.models import (
    ANSWERED,
    ASKED,
    ASSIGNED,
    CANCELS,
    DELEGATED,
    ESCALATED,
    MENTIONED,
    QUESTION,
    REMINDED,
    SENT_AGAIN,
    SENT_BACK,
    ManualTask,
)

_FOOT = "The link opens the task once, after you log in, and decides nothing. You choose what you get in your settings."
_SAYS = {
    ASKED: "A task waits for you, or for somebody else whom it asks.",
    ASSIGNED: "A task was given to you.",
    DELEGATED: "A task was handed to you: you decide it for somebody else.",
    REMINDED: "A task still waits for you.",
    ESCALATED: "A task has waited a long time: now you are asked, too.",
    MENTIONED: "You were mentioned in a comment on a task.",
    QUESTION: "Somebody needs to know more before they decide. The task waits for your answer.",
    ANSWERED: "Your question about a task was answered.",
    SENT_BACK: "This was returned to you for changes. The task waits until you send it again.",
    SENT_AGAIN: "What was returned for changes was sent again: it waits for your decision.",
    CANCELS: "A task that was yours is no longer needed.",
}
_BEFORE = {
    REMINDED: "Reminder: ",
    ESCALATED: "Escalated: ",
    QUESTION: "Question: ",
    ANSWERED: "Answered: ",
    SENT_BACK: "Returned: ",
    SENT_AGAIN: "Sent again: ",
    CANCELS: "No longer needed: ",
}


def written(
    kind: str, task: ManualTask, workflow: str, *, id: UUID, sender: str, to: str, reader: Reader, link: str
) -> EmailMessage:
    """The message for a `reader`, of a workflow by its title. Its Message-ID is the notification's: who has had it
    knows it again.
    """
    with reading_as(reader):
        title = line_of(title_of(task))
    about = [_SAYS[kind], f"Asked by the workflow “{line_of(workflow)}”."]
    if task.due_at is not None and kind != CANCELS:
        about.append(f"Due {moment(task.due_at, reader)}.")
    message = headed(f"notification:{id}", sender=sender, to=to, subject=_BEFORE.get(kind, "") + title)
    body = '<p><strong>{}</strong></p><p>{}</p><p><a href="{}">Open the task</a></p><p><small>{}</small></p>'
    text = "\n".join([title, "", *about, "", f"Open the task: {link}", "", _FOOT])
    fill(message, text, format_html(body, title, " ".join(about), link, _FOOT))
    return message


def headed(key: str, *, sender: str, to: str, subject: str) -> EmailMessage:
    """A message of which all is there but what it says; its Message-ID is made of what it is about, the `key`."""
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = sender, to, visible(subject)
    message["Date"] = formatdate()
    digest = hashlib.sha256(key.encode()).hexdigest()[:32]
    message["Message-ID"] = f"<{digest}@{sender.rpartition('@')[2]}>"
    message["Auto-Submitted"] = "auto-generated"
    return message


def fill(message: EmailMessage, text: str, html: str) -> None:
    """Say this in the message, as plain text and as HTML, with each character visible."""
    message.set_content(visible(text) + "\n")
    message.add_alternative(visible_html(html), subtype="html")


def moment(at: datetime, reader: Reader) -> str:
    """A moment with the zone in which it is said: a mail is forwarded, too."""
    zone = "" if reader.zone_words == "UTC" else f" ({reader.zone_words})"
    return f"{reader.moment(at)}{zone}"


def line_of(title: str) -> str:
    """A title as one line that can stand in a header."""
    line = " ".join(visible(title).split()) or "A task"
    return line if len(line) <= MAIL_TITLE_CHARACTERS else line[: MAIL_TITLE_CHARACTERS - 1] + "…"
