"""Mails that say in a sentence what has happened to something of theirs, with a link to its page. Nothing that would be
a secret, such as addresses of webhooks: mail is read by others, too. Pure.
"""

from dataclasses import dataclass
from email.message import EmailMessage
from uuid import UUID

from django.utils.html import format_html

from accounts.models import TOKEN_ENDS, WEBHOOK_OFF
from tasks_inbox.mail.mails import fill, headed, line_of


@dataclass(frozen=True, slots=True)
class Notice:
    """`said` with what it is about in place of `{}`, what that means, and the page, by its route and its link."""

    said: str
    about: str
    page: str
    link: str


NOTICES = {
    WEBHOOK_OFF: Notice(
        "The webhook “{}” was switched off",
        "Nothing more is sent to it. Its page shows why, and lets you switch it on again.",
        "settings-outgoing-webhooks",
        "Open the webhooks",
    ),
    TOKEN_ENDS: Notice(
        "The API token “{}” ends soon",
        "Programs that use it lose access then. Rotate it, and give them the new one.",
        "settings-tokens",
        "Open the tokens",
    ),
}


def written(notice: Notice, *, id: UUID, called: str, sender: str, to: str, link: str) -> EmailMessage:
    """The message about what is called so, with the address of the page."""
    headline = notice.said.format(line_of(called))
    message = headed(f"account:{id}", sender=sender, to=to, subject=line_of(headline))
    body = '<p><strong>{}.</strong></p><p>{}</p><p><a href="{}">{}</a></p>'
    text = "\n".join([f"{headline}.", "", notice.about, "", f"{notice.link}: {link}"])
    fill(message, text, format_html(body, headline, notice.about, link, notice.link))
    return message
