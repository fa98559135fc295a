"""The mail of the day: what is open with somebody, what waits for their groups, how their requests go on. Titles and no
facts, since mail is read by others, too. Pure.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from email.message import EmailMessage
from uuid import UUID

from django.utils.html import format_html, format_html_join

from lib.reader import Reader
from tasks_inbox.mail.mails import fill, headed, line_of, moment


@dataclass(frozen=True, slots=True)
class Line:
    """One thing of a digest: what it is called, what is said of it, and its address."""

    title: str
    said: str
    address: str


@dataclass(frozen=True, slots=True)
class Part:
    """Things under one heading; `more` says how many are not listed."""

    heading: str
    lines: Sequence[Line]
    more: str = ""


def due(at: datetime | None, now: datetime, reader: Reader) -> str:
    """When something is due, in words for a reader; empty where it has no end."""
    if at is None:
        return ""
    return f"overdue since {moment(at, reader)}" if at < now else f"due {moment(at, reader)}"


def written(
    parts: Sequence[Part], *, id: UUID, sender: str, to: str, subject: str, inbox: str, settings: str
) -> EmailMessage:
    """The message, with the addresses of the inbox and of the page on which its receiver ends such mails."""
    message = headed(f"account:{id}", sender=sender, to=to, subject=subject)
    message["List-Unsubscribe"] = f"<{settings}>"
    foot = f"You get this once a day. Change the hour, or end it: {settings}"
    text = [line for part in parts for line in _text(part)]
    body = format_html_join("", "{}", ((_html(part),) for part in parts))
    whole = (
        '{}<p><a href="{}">Your inbox</a></p>'
        '<p><small>You get this once a day. <a href="{}">Change the hour, or end it</a></small></p>'
    )
    fill(
        message,
        "\n".join([*text, f"Your inbox: {inbox}", "", foot]),
        format_html(whole, body, inbox, settings),
    )
    return message


def _text(part: Part) -> list[str]:
    lines = [f"- {line_of(one.title)}{_after(one)}\n  {one.address}" for one in part.lines]
    return [part.heading, "", *lines, *([part.more] if part.more else []), ""]


def _html(part: Part) -> str:
    rows = format_html_join(
        "",
        '<li><a href="{}">{}</a>{}</li>',
        ((one.address, line_of(one.title), _after(one)) for one in part.lines),
    )
    more = format_html("<p>{}</p>", part.more) if part.more else ""
    return format_html("<h3>{}</h3><ul>{}</ul>{}", part.heading, rows, more)


def _after(one: Line) -> str:
    return f": {one.said}" if one.said else ""
