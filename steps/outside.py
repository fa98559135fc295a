"""What steps need to reach the outside, as the environment of the process that works says at that moment."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from ipaddress import ip_network
from urllib.parse import SplitResult, urlsplit, urlunsplit

from lib.egress import Allowance, Egress, EgressRules, Server, allowances
from lib.mail import SmtpServer, ascii_address, smtp_server
from steps.addresses import is_address

ALLOW, SMTP_URL, MAIL_FROM = "HANDOFF_EGRESS_ALLOW", "HANDOFF_SMTP_URL", "HANDOFF_MAIL_FROM"
LLM_URL, LLM_KEY, LLM_MODEL = "HANDOFF_LLM_URL", "HANDOFF_LLM_KEY", "HANDOFF_LLM_MODEL"
# The operator names the server of the model, so it may be anywhere but where nobody may go.
_EVERYWHERE = (ip_network("0.0.0.0/0"), ip_network("::/0"))
_PORTS = {"http": 80, "https": 443}

_own: tuple[Server, ...] = ()
_logs_mail = True


class BadSetting(ValueError):
    """A variable of the environment has a value that can't be meant; one line that names it, without secrets."""


@dataclass(frozen=True, slots=True)
class Mail:
    """Who mail comes from, and the server that takes it; None: there is none."""

    sender: str
    server: SmtpServer | None


@dataclass(frozen=True, slots=True)
class LlmServer:
    """Where chat completions are asked for, the key and the model; `egress` reaches its port and no other."""

    url: str
    key: str
    model: str
    egress: Egress


def protect(servers: Iterable[tuple[str, int]]) -> None:
    """Keep requests of steps from these hosts and ports, whatever is allowed: our own web, database and Redis."""
    global _own
    _own = tuple(Server(host, port) for host, port in servers)


def log_mail(allowed: bool) -> None:
    """Set whether mail of steps is written to the log where there is no mail server; otherwise such steps fail."""
    global _logs_mail
    _logs_mail = allowed


def logs_mail() -> bool:
    """Whether mail of steps is written to the log where there is no mail server."""
    return _logs_mail


def egress() -> Egress:
    """The client for requests to hosts that a workflow names. Raises BadSetting."""
    try:
        allow = allowances(os.environ.get(ALLOW, ""))
    except ValueError as error:
        raise BadSetting(f"{ALLOW}: {error}.") from None
    return Egress(EgressRules(allow=allow, deny=_own))


def mail(variables: Mapping[str, str] = os.environ) -> Mail:
    """How mail is sent by a process with these variables. Raises BadSetting."""
    url = variables.get(SMTP_URL, "").strip()
    sender = variables.get(MAIL_FROM, "").strip()
    try:
        server = smtp_server(url) if url else None
    except ValueError as error:
        raise BadSetting(f"{SMTP_URL}: {error}.") from None
    if sender and not is_address(sender):
        raise BadSetting(f"{MAIL_FROM} must be an e-mail address such as handoff@example.org.")
    if not sender:
        sender = server.user if server and is_address(server.user) else "handoff@localhost"
    # It is part of Message-IDs.
    return Mail(ascii_address(sender), server)


def llm() -> LlmServer | None:
    """The server of the language model; None where none is configured. Raises BadSetting."""
    address = os.environ.get(LLM_URL, "").strip()
    key, model = os.environ.get(LLM_KEY, "").strip(), os.environ.get(LLM_MODEL, "").strip()
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise BadSetting(f"{LLM_KEY} must have only ASCII characters and no blanks.")
    if not model.isprintable() or len(model) > 200:
        raise BadSetting(f"{LLM_MODEL} must be the name of a model in one line of at most 200 characters.")
    if not address:
        return None
    parts = _llm_address(address)
    path = parts.path.rstrip("/") or "/v1"
    path = path if path.endswith("/chat/completions") else f"{path}/chat/completions"
    port = parts.port or _PORTS[parts.scheme]
    rules = EgressRules(allow=tuple(Allowance(network, port) for network in _EVERYWHERE), deny=_own)
    return LlmServer(urlunsplit(parts._replace(path=path)), key, model, Egress(rules))


def _llm_address(address: str) -> SplitResult:
    rule = f"{LLM_URL} must be an address such as https://llm.example.org/v1, with http:// or https://"
    try:
        parts = urlsplit(address)
        is_good = parts.scheme in _PORTS and bool(parts.hostname) and parts.port != 0
    except ValueError:
        raise BadSetting(f"{rule}.") from None
    if not is_good or not address.isprintable() or " " in address:
        raise BadSetting(f"{rule}.")
    if parts.username is not None or parts.query or parts.fragment:
        raise BadSetting(f"{rule} and without user, query or fragment; the key belongs in {LLM_KEY}.")
    return parts


def check() -> None:
    """Read all of it. Raises BadSetting."""
    egress()
    mail()
    llm()
