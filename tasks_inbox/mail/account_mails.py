"""The mails about an account: a link to set a password, or that the address is another one now. Pure."""

from collections.abc import Sequence
from email.message import EmailMessage
from uuid import UUID

from django.utils.html import format_html, format_html_join

from accounts.models import FORGOTTEN, INVITED, MOVED, SENT
from tasks_inbox.mail.mails import fill, headed

_NOT_YOU = "Didn't ask for this? Ignore this mail: nothing changes unless the link is used."
_SUBJECTS = {
    FORGOTTEN: "Set a new password",
    SENT: "Set a new password",
    INVITED: "You are invited to Handoff",
    MOVED: "Your e-mail address was changed",
}


def written(
    kind: str, *, id: UUID, username: str, by: str, sender: str, to: str, link: str, good_for: str
) -> EmailMessage:
    """The message to the user of that name, caused by somebody, with a link that is `good_for` so long."""
    message = headed(f"account:{id}", sender=sender, to=to, subject=_SUBJECTS[kind])
    lines = _lines(kind, username, by, f"The link works once, within {good_for}.")
    address = [] if kind == MOVED else ["", f"Set a password: {link}"]
    paragraphs = format_html_join("", "<p>{}</p>", ((line,) for line in lines))
    button = "" if kind == MOVED else format_html('<p><a href="{}">Set a password</a></p>', link)
    fill(message, "\n".join([*lines, *address]), format_html("{}{}", paragraphs, button))
    return message


def _lines(kind: str, username: str, by: str, until: str) -> Sequence[str]:
    if kind == FORGOTTEN:
        return [f"Somebody asked for a new password for {username}.", until, _NOT_YOU]
    if kind == SENT:
        return [f"{by} sent you a link to set a new password for {username}.", until, _NOT_YOU]
    if kind == INVITED:
        return [f"{by} has made you a member of Handoff. You log in as {username}.", until]
    return [
        f"The address of {username} was changed by {by}: from now on mail goes there and not here.",
        "If this is wrong, tell an administrator.",
    ]
