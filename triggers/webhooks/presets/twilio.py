"""Twilio: HMAC-SHA1 over the public address and the sorted fields of the form, with the auth token."""

import base64
import hmac
from collections.abc import Iterator
from hashlib import sha1, sha256
from typing import Final

from engine.catalogue import Json
from lib.standard_webhooks import NotSigned
from triggers.webhooks.presets.base import (
    Content,
    Credentials,
    Incoming,
    Preset,
    Reply,
    SecretSource,
    form_of,
    id_of,
    id_of_content,
    json_of,
    require_equal,
)

_HEADER = "X-Twilio-Signature"
_WRONG_DIGEST = "bodySHA256 is not the hash of the body."


def _accept(message: Incoming, credentials: Credentials) -> Content:
    signature = message.header(_HEADER)
    if not signature:
        raise NotSigned("not_signed", f"The header {_HEADER} is required.")
    digest = message.query.get("bodySHA256", "")
    fields = {} if digest else form_of(message.raw)
    signed = (message.url + "".join(_written(fields))).encode()
    expected = [
        base64.b64encode(hmac.new(key, signed, sha1).digest()).decode() for key in credentials.secrets
    ]
    require_equal(
        expected,
        [signature],
        f"{_HEADER} was not made with the auth token for {_without_query(message.url)}.",
    )
    if digest:
        require_equal([sha256(message.raw).hexdigest()], [digest.lower()], _WRONG_DIGEST)
    body = json_of(message.raw) if digest else fields
    delivery = message.header("i-twilio-idempotency-token")
    return Content(body, id_of(delivery) if delivery else id_of_content(signed + message.raw))


def _written(fields: dict[str, Json]) -> Iterator[str]:
    for name in sorted(fields):
        value = fields[name]
        yield from (name + one for one in (sorted(set(value)) if isinstance(value, list) else [value]))


def _without_query(url: str) -> str:
    # The last part of the path is half of a secret.
    return url.partition("?")[0].rpartition("/")[0] + "/…"


TWILIO: Final = Preset(
    name="twilio",
    title="Twilio",
    accept=_accept,
    secret=SecretSource.SENDER,
    secret_help="The auth token of the account: Account, API keys & tokens in the Twilio console.",
    setup=(
        "In the Twilio console: enter the address, with HTTP POST, where the number or the service asks for a webhook. "
        "HANDOFF_URL must be the public address."
    ),
    examples=(
        ("{{ body.From }}", "the number that sent a message or calls"),
        ("{{ body.Body }}", "the text of a message"),
        ("{{ body.MessageSid }}", "the id of a message"),
    ),
    # An empty document of instructions: Twilio says nothing to whoever wrote or called.
    reply=Reply('<?xml version="1.0" encoding="UTF-8"?><Response/>', "text/xml; charset=utf-8"),
)
