"""What steps need to reach the outside, as the environment of the process that works says at that moment."""

import os
from collections.abc import Iterable
from dataclasses import dataclass

from lib.egress import Egress, EgressRules, Server, allowances
from lib.mail import SmtpServer, smtp_server
from steps.addresses import is_address

ALLOW, SMTP_URL, MAIL_FROM = "HANDOFF_EGRESS_ALLOW", "HANDOFF_SMTP_URL", "HANDOFF_MAIL_FROM"

_own: tuple[Server, ...] = ()


class BadSetting(ValueError):
    """A variable of the environment has a value that can't be meant; one line that names it, without secrets."""


@dataclass(frozen=True, slots=True)
class Mail:
    """Who mail comes from, and the server that takes it; None: it is only logged."""

    sender: str
    server: SmtpServer | None


def protect(servers: Iterable[tuple[str, int]]) -> None:
    """Keep requests of steps from these hosts and ports, whatever is allowed: our own web, database and Redis."""
    global _own
    _own = tuple(Server(host, port) for host, port in servers)


def egress() -> Egress:
    """The client for requests to hosts that a workflow names. Raises BadSetting."""
    try:
        allow = allowances(os.environ.get(ALLOW, ""))
    except ValueError as error:
        raise BadSetting(f"{ALLOW}: {error}.") from None
    return Egress(EgressRules(allow=allow, deny=_own))


def mail() -> Mail:
    """How mail is sent. Raises BadSetting."""
    url = os.environ.get(SMTP_URL, "").strip()
    sender = os.environ.get(MAIL_FROM, "").strip()
    try:
        server = smtp_server(url) if url else None
    except ValueError as error:
        raise BadSetting(f"{SMTP_URL}: {error}.") from None
    if sender and not is_address(sender):
        raise BadSetting(f"{MAIL_FROM} must be an e-mail address such as handoff@example.org.")
    if not sender:
        sender = server.user if server and is_address(server.user) else "handoff@localhost"
    return Mail(sender, server)


def check() -> None:
    """Read all of it. Raises BadSetting."""
    egress()
    mail()
