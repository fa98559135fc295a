"""A mail server of the tests: speaks SMTP over TCP, keeps what it takes."""

from __future__ import annotations

import contextlib
import email
import email.policy
from email.message import EmailMessage

from tests.steps.test_email_send import mail_server


class Mailbox:
    """What arrived, by whom it was for."""

    def __init__(self, server) -> None:
        self.server = server

    def messages(self) -> list[EmailMessage]:
        """Every message that was handed in, in its order."""
        return [email.message_from_bytes(raw, policy=email.policy.default) for _, raw in self.server.messages]

    def subjects(self) -> dict[str, list[str]]:
        """What each address was told, in its order."""
        told: dict[str, list[str]] = {}
        for message in self.messages():
            told.setdefault(message["To"].partition("@")[0], []).append(message["Subject"])
        return told

    def link(self, place: int = -1) -> str:
        """The path of the link in a message."""
        text = self.messages()[place].get_body(("plain",)).get_content()
        line = next(line for line in text.splitlines() if line.startswith("Open the task: "))
        return "/inbox/open/" + line.partition("/inbox/open/")[2]


@contextlib.contextmanager
def mailbox(monkeypatch, **refusals):
    """A server on which mail is sent in the meantime."""
    with mail_server(**refusals) as server:
        monkeypatch.setenv("HANDOFF_SMTP_URL", f"smtp://127.0.0.1:{server.port}")
        monkeypatch.setenv("HANDOFF_MAIL_FROM", "handoff@shop.example")
        yield Mailbox(server)
