"""What is done with an outbox of mails of any kind. No transaction is open while a mail server is talked to.

A mail that the server took, of which nobody could be told (the process died), is sent again with the same Message-ID.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from email.message import EmailMessage
from typing import Protocol, TypeVar
from uuid import UUID

from lib.mail import MailError, SmtpServer, send
from lib.outbox import Outbox
from steps import outside

log = logging.getLogger("handoff.mail")

TICK_SECONDS = 2.0
ANSWER_SECONDS = 5.0
"""The queue on which this runs has other work, so a mail server that hangs is left soon."""
NO_SERVER = f"No mail server is configured ({outside.SMTP_URL})."


class Due(Protocol):
    """A mail whose time has come."""

    @property
    def id(self) -> UUID: ...

    @property
    def attempts(self) -> int: ...


D = TypeVar("D", bound=Due)


@dataclass(frozen=True, slots=True)
class Post:
    """The mail server, and who sends."""

    server: SmtpServer
    sender: str

    def send(self, outbox: Outbox[D], due: D, message: EmailMessage, to: str, about: str) -> bool:
        """Send a mail and note what became of it; False where the server did not take it."""
        try:
            send(self.server, message, sender=self.sender, recipients=[to])
        except MailError as error:
            reason = error.without(to)
            if outbox.note_failed(due.id, reason, due.attempts):
                log.error("A mail %s is given up: %s", about, reason)
            else:
                log.warning("A mail %s waits: %s", about, reason)
            return False
        outbox.note_sent(due.id)
        return True


def send_due(outbox: Outbox[D], send: Callable[[D, Post], bool], seconds: float) -> int:
    """Send what is due, for about so many seconds; gives how many mails were looked at."""
    mail = outside.mail()
    outbox.forget()
    if mail.server is None:
        return outbox.drop_all(NO_SERVER)
    post = Post(replace(mail.server, timeout_seconds=ANSWER_SECONDS), mail.sender)
    return outbox.send_due(lambda due: send(due, post), seconds)
