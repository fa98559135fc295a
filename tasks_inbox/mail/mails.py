"""The mail of a notification: the question, who asks, until when, and links; if it asks for a decision, also what a
person needs to prepare one (`HANDOFF_MAIL_FACTS`).
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from email.message import EmailMessage
from email.utils import formatdate
from uuid import UUID

from django.conf import settings
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.http import urlencode
from django.utils.safestring import mark_safe

from accounts import people
from accounts.people import name_of
from lib.markdown import markdown
from lib.reader import Reader, reading_as
from lib.visible import visible
from lib.visible_pages import visible_html
from tasks_inbox.forms.texts import people_in, title_of
from tasks_inbox.limits import MAIL_TITLE_CHARACTERS
from tasks_inbox.mail.contents import Contents, contents_of
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
_MANY = "Several tasks wait for you. You get them in one mail because there were many within a short time."
_PREPARES = (ASKED, ASSIGNED, DELEGATED, REMINDED, ESCALATED, SENT_BACK, SENT_AGAIN)
"""Kinds of mails that ask for something."""
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
        contents = contents_of(task) if kind in _PREPARES and settings.HANDOFF_MAIL_FACTS else None
        people.learn(task.tenant_id, people_in(task))
        title = line_of(title_of(task))
        who = name_of(contents.requester) if contents and contents.requester else ""
    about = [_SAYS[kind], f"Asked by the workflow “{line_of(workflow)}”."]
    if who:
        about.append(f"Started by {line_of(who)}.")
    if task.due_at is not None and kind != CANCELS:
        about.append(f"Due {moment(task.due_at, reader)}.")
    message = headed(f"notification:{id}", sender=sender, to=to, subject=_BEFORE.get(kind, "") + title)
    details = _text(contents, link) if contents else []
    text = "\n".join([title, "", *about, "", *details, f"Open the task: {link}", "", _FOOT])
    body = (
        '<p><strong>{}</strong></p><p>{}</p>{}<p><a href="{}">Open the task</a></p><p><small>{}</small></p>'
    )
    html = _html(contents, link) if contents else ""
    fill(message, text, format_html(body, title, " ".join(about), html, link, _FOOT))
    return message


def _text(contents: Contents, link: str) -> list[str]:
    """What is to be decided, in plain text."""
    lines = [contents.instructions, ""] if contents.instructions else []
    for label, values in contents.facts:
        lines += (
            [f"{label}: {values[0]}"]
            if len(values) == 1
            else [f"{label}:", *(f"  - {one}" for one in values)]
        )
    lines += [""] if contents.facts else []
    lines += [f"File: {name} ({size}) {address}" for name, size, address in contents.files]
    lines += [""] if contents.files else []
    for name, label, then in contents.outcomes:
        lines += [f"{label}: {then}".rstrip(": "), f"  {outcome_link(link, name)}"]
    return [*lines, ""]


def _html(contents: Contents, link: str) -> str:
    """The same as HTML: no pictures and no styles that a mail program would have to load."""
    instructions = markdown(contents.instructions) if contents.instructions else ""
    facts = format_html_join(
        "",
        '<tr><th align="left" valign="top">{}&nbsp;</th><td>{}</td></tr>',
        (
            (label, format_html_join(mark_safe("<br>"), "{}", ((one,) for one in values)))
            for label, values in contents.facts
        ),
    )
    files = format_html_join(
        "",
        '<li><a href="{}">{}</a> ({})</li>',
        ((address, name, size) for name, size, address in contents.files),
    )
    outcomes = format_html_join(
        "",
        '<li><a href="{}">{}</a> {}</li>',
        ((outcome_link(link, name), label, then) for name, label, then in contents.outcomes),
    )
    return format_html(
        "{}{}{}<p>What you can choose. The link opens the task with your choice taken up; nothing is decided yet.</p>"
        "<ul>{}</ul>",
        instructions,
        format_html("<table>{}</table>", facts) if facts else "",
        format_html("<ul>{}</ul>", files) if files else "",
        outcomes,
    )


@dataclass(frozen=True, slots=True)
class Collected:
    """One of several notifications in one mail: about which task of which workflow, and its link."""

    kind: str
    task: ManualTask
    workflow: str
    link: str


def collected(rows: Sequence[Collected], *, id: UUID, sender: str, to: str, reader: Reader) -> EmailMessage:
    """One message about several tasks, those that are due first at the top. Its Message-ID is the first one's."""
    rows = sorted(rows, key=lambda one: (one.task.due_at is None, one.task.due_at or one.task.created_at))
    with reading_as(reader):
        people.learn(rows[0].task.tenant_id, [name for one in rows for name in people_in(one.task)])
        titles = [line_of(_BEFORE.get(one.kind, "") + title_of(one.task)) for one in rows]
    about = [_about(one, reader) for one in rows]
    subject = f"{len(rows)} tasks, the first: {titles[0]}"
    message = headed(f"notification:{id}", sender=sender, to=to, subject=line_of(subject))
    parts = [
        f"- {title}\n  {says}\n  {one.link}" for title, says, one in zip(titles, about, rows, strict=True)
    ]
    items = format_html_join(
        "",
        '<li><a href="{}">{}</a><br>{}</li>',
        ((one.link, title, says) for title, says, one in zip(titles, about, rows, strict=True)),
    )
    inbox = settings.HANDOFF_URL + reverse("inbox")
    text = "\n".join([_MANY, "", *parts, "", f"Your inbox: {inbox}", "", _FOOT])
    body = '<p>{}</p><ul>{}</ul><p><a href="{}">Your inbox</a></p><p><small>{}</small></p>'
    fill(message, text, format_html(body, _MANY, items, inbox, _FOOT))
    return message


def _about(one: Collected, reader: Reader) -> str:
    due = f" Due {moment(one.task.due_at, reader)}." if one.task.due_at and one.kind != CANCELS else ""
    return f"{line_of(one.workflow)}.{due}"


def outcome_link(link: str, outcome: str) -> str:
    """The link of a mail, to the task with this outcome taken up."""
    return f"{link}?{urlencode({'outcome': outcome})}"


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
