"""What the presets of webhooks share: a request, what is read of it, and signatures of HMAC."""

import hmac
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from hashlib import sha256
from typing import Final
from urllib.parse import parse_qsl

from engine.catalogue import Json
from lib.standard_webhooks import MAX_ID, TOLERANCE_SECONDS, NotSigned
from lib.strict_json import BadJson, strict_dumps, strict_loads
from triggers.webhooks.limits import BODY_BYTES, FORM_FIELDS, SECRET_CHARACTERS

FORM: Final = "application/x-www-form-urlencoded"


class SecretSource(Enum):
    """Who makes the secret of a webhook."""

    SENDER = "sender"
    """The sender: it is entered when it is known, often after the address was given to the sender."""
    EITHER = "either"
    """Whoever sets it up; Handoff makes one if none is given."""
    NONE = "none"
    """Nobody: the sender signs with a private key."""


@dataclass(frozen=True, slots=True)
class Incoming:
    """A request to a webhook. `query`: the last value of each parameter. `url`: the public address with its query."""

    method: str
    headers: Mapping[str, str]
    query: Mapping[str, str]
    url: str
    raw: bytes

    def header(self, name: str) -> str:
        """A header; empty if it is missing."""
        return self.headers.get(name, "")

    @property
    def is_form(self) -> bool:
        """Whether the sender says that the body is a form."""
        return self.header("content-type").partition(";")[0].strip().lower() == FORM


@dataclass(frozen=True, slots=True)
class Credentials:
    """What proves who sent a message: the valid secrets of the webhook and its settings. `now`: the database's time, in
    seconds since 1970.
    """

    secrets: Sequence[bytes]
    settings: Mapping[str, str]
    now: float


@dataclass(frozen=True, slots=True)
class Content:
    """A verified message: its body, and the id under which the sender repeats it."""

    body: Json
    id: str


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer in the sender's own protocol."""

    text: str = ""
    content_type: str = "text/plain; charset=utf-8"
    status: int = 200


@dataclass(frozen=True, slots=True)
class Preset:
    """How messages of one sender are verified, read and answered.

    `accept` gives the content of a message, or a reply to a request that is no message (a challenge, a ping). It raises
    NotSigned, BadJson. `reply` answers an accepted message; None: as every webhook does. `examples`: pairs of an
    expression that a mapping may read, and its meaning. `settings`: names of further values that it needs; those in
    `secret_settings` are sealed.
    """

    name: str
    title: str
    accept: Callable[[Incoming, Credentials], Content | Reply]
    secret: SecretSource
    secret_help: str
    setup: str
    examples: Sequence[tuple[str, str]]
    settings: Sequence[str] = ()
    secret_settings: Sequence[str] = ()
    reply: Reply | None = None
    takes_get: bool = False
    max_secret_characters: int = SECRET_CHARACTERS


def id_of(text: str) -> str:
    """The id of a message as it is kept: as the sender wrote it, or the hash of what can't be one."""
    is_plain = 0 < len(text) <= MAX_ID and text.isascii() and text.isprintable() and " " not in text
    return text if is_plain else f"sha256-{sha256(text.encode(errors='replace')).hexdigest()}"


def id_of_content(raw: bytes) -> str:
    """The id of a message that has none: the same content is the same message."""
    return f"sha256-{sha256(raw).hexdigest()}"


def require_hex_hmac(
    offered: Sequence[str], prefix: str, signed: bytes, secrets: Sequence[bytes], name: str
) -> None:
    """Return if one of the offered values is the HMAC-SHA256 of `signed`, in hex after the prefix. Raises NotSigned."""
    if not any(offered):
        raise NotSigned("not_signed", f"The header {name} is required.")
    expected = [prefix + hmac.new(secret, signed, sha256).hexdigest() for secret in secrets]
    require_equal(expected, offered, f"{name} was not made with a secret of this webhook.")


def require_equal(expected: Sequence[str], offered: Sequence[str], message: str) -> None:
    """Return if one of the offered texts is an expected one, in a time that tells nothing. Raises NotSigned."""
    offers = [one.encode(errors="replace") for one in offered]
    if not sum(hmac.compare_digest(one.encode(), other) for one in expected for other in offers):
        raise NotSigned("bad_signature", message)


def require_recent(timestamp: str, now: float, name: str) -> None:
    """Return if this time, in seconds since 1970, is within five minutes of now. Raises NotSigned."""
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12):
        raise NotSigned("bad_timestamp", f"{name} is the time in whole seconds since 1970.")
    if abs(now - int(timestamp)) > TOLERANCE_SECONDS:
        raise NotSigned("bad_timestamp", f"{name} is more than five minutes off.")


def json_of(raw: bytes) -> Json:
    """The JSON of a body. Raises BadJson."""
    return strict_loads(raw, max_bytes=BODY_BYTES)


def form_of(raw: bytes) -> dict[str, Json]:
    """The fields of a form as texts; a list where a field is repeated. Raises BadJson."""
    try:
        pairs = parse_qsl(raw.decode(), keep_blank_values=True, max_num_fields=FORM_FIELDS, errors="strict")
    except UnicodeDecodeError:
        raise BadJson("the form is not UTF-8") from None
    except ValueError:
        raise BadJson(f"the form has more than {FORM_FIELDS:,} fields") from None
    fields: dict[str, Json] = {}
    for name, value in pairs:
        if name not in fields:
            fields[name] = value
        elif isinstance(fields[name], list):
            fields[name].append(value)
        else:
            fields[name] = [fields[name], value]
    strict_dumps(fields, max_bytes=2 * BODY_BYTES)
    return fields


def form_with_payload(raw: bytes) -> Json:
    """The JSON in the field `payload` of a form, or else the form. Raises BadJson."""
    fields = form_of(raw)
    payload = fields.get("payload")
    return json_of(payload.encode()) if isinstance(payload, str) else fields


def without(body: Json, *names: str) -> Json:
    """The body without these fields of its first level."""
    return (
        {name: value for name, value in body.items() if name not in names} if isinstance(body, dict) else body
    )
