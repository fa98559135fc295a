"""Plain text mail through an SMTP server: one message, to all of its recipients or to none."""

import contextlib
import re
import smtplib
import ssl
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from functools import cache
from ipaddress import ip_address
from urllib.parse import unquote, urlsplit

import idna

_PORTS = {"smtp": 587, "smtps": 465}
_ACCEPTED = (250, 251)
DOMAIN_CHARACTERS = 253
"""A name in DNS has no more, and its encoding no fewer than the name."""


class MailError(Exception):
    """The message was not taken. `transient`: another try may do better."""

    def __init__(self, message: str, *, transient: bool) -> None:
        super().__init__(message)
        self.message = message
        self.transient = transient

    def without(self, *addresses: str) -> str:
        """The message without these addresses, which mail servers repeat, for readers who may not see them."""
        message = self.message
        spellings = (one for address in addresses for one in (address, ascii_address(address)))
        for address in filter(None, spellings):
            message = re.sub(re.escape(address), "their address", message, flags=re.IGNORECASE)
        return message


@dataclass(frozen=True, slots=True)
class SmtpServer:
    """Where mail is handed in. With `tls` it is encrypted from the first byte, else as soon as the server offers it."""

    host: str
    port: int
    tls: bool = False
    user: str = ""
    password: str = field(default="", repr=False)
    timeout_seconds: float = 30.0

    @property
    def is_local(self) -> bool:
        """Whether nobody is in between who could listen."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


def smtp_server(url: str) -> SmtpServer:
    """The server of `smtp://` or `smtps://[USER:PASSWORD@]HOST[:PORT]`. Raises ValueError, without the password."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ValueError("it is not a URL, or its port is not a number from 1 to 65535") from None
    if parts.scheme not in _PORTS:
        raise ValueError("it must begin with smtp:// or smtps://")
    if not parts.hostname or port == 0:
        raise ValueError("it has no host, or no port from 1 to 65535")
    if parts.path.strip("/") or parts.query or parts.fragment:
        raise ValueError("nothing may follow the port; write / ? # in a password as %2F %3F %23")
    if (parts.username is None) != (parts.password is None):
        raise ValueError("it must have both a user and a password, or neither")
    return SmtpServer(
        host=parts.hostname,
        port=port or _PORTS[parts.scheme],
        tls=parts.scheme == "smtps",
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
    )


def ascii_address(address: str) -> str:
    """The address with its domain in ASCII, as mail servers take it: `ann@bücher.example` with `xn--bcher-kva.example`.

    Empty where it has none.
    """
    local, at, domain = address.rpartition("@")
    if address.isascii():
        return address
    try:
        encoded = idna.encode(domain, uts46=True).decode() if len(domain) <= DOMAIN_CHARACTERS else ""
    except idna.IDNAError:
        return ""
    return f"{local}{at}{encoded}" if encoded and local.isascii() else ""


def send(server: SmtpServer, message: EmailMessage, *, sender: str, recipients: Sequence[str]) -> None:
    """Hand `message` in. Raises MailError; then no recipient gets it, unless the answer to all of it was lost."""
    with _translate_errors(server):
        connection = _connected(server)
        try:
            _secure(server, connection)
            if server.user:
                connection.login(server.user, server.password)
            _hand_in(connection, message, sender, recipients)
        finally:
            with contextlib.suppress(smtplib.SMTPException, OSError):
                connection.quit()
            connection.close()


def _connected(server: SmtpServer) -> smtplib.SMTP:
    if server.tls:
        return smtplib.SMTP_SSL(server.host, server.port, timeout=server.timeout_seconds, context=_trust())
    return smtplib.SMTP(server.host, server.port, timeout=server.timeout_seconds)


def _secure(server: SmtpServer, connection: smtplib.SMTP) -> None:
    connection.ehlo_or_helo_if_needed()
    if server.tls or server.is_local:
        return
    if connection.has_extn("starttls"):
        connection.starttls(context=_trust())
        connection.ehlo()
    elif server.user:
        message = f"{server.host} offers no encryption (STARTTLS), and the password is not sent without it."
        raise MailError(message, transient=False)


def _hand_in(connection: smtplib.SMTP, message: EmailMessage, sender: str, recipients: Sequence[str]) -> None:
    """One transaction. A refused recipient ends it, so that a retry reaches nobody twice."""
    _use_ascii(message)
    _accept(connection.mail(_sendable(sender)), f"the sender {sender}")
    for recipient in dict.fromkeys(map(_sendable, recipients)):
        _accept(connection.rcpt(recipient), recipient)
    _accept(connection.data(message.as_bytes(policy=SMTP)), "the message")


def _use_ascii(message: EmailMessage) -> None:
    """Writes the domains in its headers in ASCII: no encoding of headers is defined for them (RFC 2047)."""
    for name in ("From", "To"):
        header = message[name]
        if header is None or all(one.domain.isascii() for one in header.addresses):
            continue
        addresses = [
            Address(one.display_name, addr_spec=_sendable(one.addr_spec)) for one in header.addresses
        ]
        message.replace_header(name, addresses)


def _sendable(address: str) -> str:
    if not (encoded := ascii_address(address)):
        raise MailError(f"{address} is not an address that mail can be sent to.", transient=False)
    return encoded


def _accept(answer: tuple[int, bytes], what: str) -> None:
    code, reply = answer
    if code not in _ACCEPTED:
        raise _refusal(code, reply, what)


def _refusal(code: int, reply: bytes | str, what: str) -> MailError:
    text = reply if isinstance(reply, str) else reply.decode(errors="replace")
    excerpt = " ".join(text.split())[:300]
    return MailError(f"The mail server refused {what}: {code} {excerpt}", transient=not 500 <= code < 600)


@contextlib.contextmanager
def _translate_errors(server: SmtpServer) -> Iterator[None]:
    """What smtplib and the network raise, as MailError."""
    place = f"{server.host} at port {server.port}"
    try:
        yield
    except smtplib.SMTPAuthenticationError as error:
        raise _refusal(error.smtp_code, error.smtp_error, "the user and password") from None
    except smtplib.SMTPDataError as error:
        raise _refusal(error.smtp_code, error.smtp_error, "the message") from None
    except smtplib.SMTPResponseException as error:
        raise _refusal(error.smtp_code, error.smtp_error, "to talk") from None
    except smtplib.SMTPNotSupportedError as error:
        raise MailError(f"The mail server {place} can't do that: {error}", transient=False) from None
    except ssl.SSLCertVerificationError as error:
        message = f"The certificate of the mail server {place} is not trusted: {error.verify_message}."
        raise MailError(message, transient=True) from None
    except TimeoutError:
        raise MailError(f"The mail server {place} does not answer.", transient=True) from None
    except (smtplib.SMTPException, OSError) as error:
        why = str(getattr(error, "strerror", None) or error).rstrip(".")
        raise MailError(f"The mail server {place} can't be reached: {why}.", transient=True) from None


@cache
def _trust() -> ssl.SSLContext:
    return ssl.create_default_context()
