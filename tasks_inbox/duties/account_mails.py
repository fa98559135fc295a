"""Mails about accounts are sent, which `accounts.outgoing` holds. No transaction is open while a server is asked."""

from datetime import timedelta
from email.message import EmailMessage

from django.conf import settings
from django.urls import reverse

from accounts import passwords
from accounts.models import DIGEST, FORGOTTEN, MENTIONED, MOVED, NOTHING, User
from accounts.outgoing import OUTBOX, DueMail
from accounts.queries import session_principal
from steps.addresses import is_address
from tasks_inbox.duties import digests, step_mentions
from tasks_inbox.mail import account_mails, notice_mails
from tasks_inbox.mail.notice_mails import NOTICES
from tasks_inbox.mail.posting import TICK_SECONDS, Post, send_due

_STALE = timedelta(hours=12)


def tick(seconds: float = TICK_SECONDS) -> int:
    """Send what is due, for about so many seconds; gives how many were looked at."""
    return send_due(OUTBOX, _done, seconds)


def _done(due: DueMail, post: Post) -> bool:
    """Do what is to be done with one; False where the mail server did not take it."""
    user = User.objects.get(pk=due.user)
    if why := _why_not(due, user):
        OUTBOX.note_skipped(due.id, why)
        return True
    to = due.to or user.email
    message = _message(due, user, sender=post.sender, to=to)
    if message is None:
        OUTBOX.note_skipped(due.id, "There was nothing to report.")
        return True
    return post.send(OUTBOX, due, message, to, f"to {user.username} about their account")


def _message(due: DueMail, user: User, *, sender: str, to: str) -> EmailMessage | None:
    """What is to be said, as things are now; None for nothing."""
    if due.kind == DIGEST:
        return digests.message_of(due, user, sender=sender)
    if due.kind == MENTIONED:
        return step_mentions.message_of(due, user, sender=sender)
    if notice := NOTICES.get(due.kind):
        page = settings.HANDOFF_URL + reverse(notice.page)
        return notice_mails.written(notice, id=due.id, called=due.by, sender=sender, to=to, link=page)
    link = "" if due.kind == MOVED else passwords.written(user, due.kind)
    return account_mails.written(
        due.kind,
        id=due.id,
        username=user.username,
        by=due.by,
        sender=sender,
        to=to,
        link=link,
        good_for=_spelled(passwords.LIFETIMES.get(due.kind, timedelta())),
    )


def _why_not(due: DueMail, user: User) -> str | None:
    if not is_address(due.to or user.email):
        return "They have no e-mail address."
    if session_principal(user) is None:
        return "They are not an active member."
    if due.kind == MENTIONED and user.mail == NOTHING:
        return "They have turned this mail off."
    if due.kind == FORGOTTEN and due.age > passwords.AN_HOUR.total_seconds():
        return "It would come too late: whoever forgot a password asks again."
    if due.kind == DIGEST and (due.age > _STALE.total_seconds() or user.digest_hour is None):
        return "It would come too late, or they have turned it off."
    return None


def _spelled(lifetime: timedelta) -> str:
    return f"{lifetime.days} days" if lifetime.days else "one hour"
