"""The mail to who was mentioned in a comment on a step: who did, where, and a link. Not what was said: mail is read by
others, too. Pure.
"""

from email.message import EmailMessage
from uuid import UUID

from django.utils.html import format_html

from tasks_inbox.mail.mails import fill, headed, line_of

_FOOT = "The link opens the builder at the step, after you log in. You choose what you get in your settings."


def written(*, id: UUID, by: str, workflow: str, step: str, sender: str, to: str, link: str) -> EmailMessage:
    """The message, of a workflow and a step by their titles."""
    headline = f"{line_of(by)} mentioned you in a comment"
    message = headed(f"account:{id}", sender=sender, to=to, subject=line_of(f"{headline}: {workflow}"))
    about = f"On the step “{line_of(step)}” of the workflow “{line_of(workflow)}”."
    text = "\n".join([f"{headline}.", "", about, "", f"Open the step: {link}", "", _FOOT])
    body = '<p><strong>{}.</strong></p><p>{}</p><p><a href="{}">Open the step</a></p><p><small>{}</small></p>'
    fill(message, text, format_html(body, headline, about, link, _FOOT))
    return message
