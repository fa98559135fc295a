"""Stripe: HMAC-SHA256 over time and body, with the signing secret of the endpoint."""

from typing import Final

from lib.standard_webhooks import NotSigned
from triggers.webhooks.limits import SIGNATURE_PARTS
from triggers.webhooks.presets.base import (
    Content,
    Credentials,
    Incoming,
    Preset,
    SecretSource,
    id_of,
    id_of_content,
    json_of,
    require_hex_hmac,
    require_recent,
)

_HEADER = "Stripe-Signature"


def _accept(message: Incoming, credentials: Credentials) -> Content:
    header = message.header(_HEADER)
    pairs = [part.strip().partition("=") for part in header.split(",", SIGNATURE_PARTS)[:SIGNATURE_PARTS]]
    timestamp = next((value for key, _, value in pairs if key == "t"), "")
    signatures = [value for key, _, value in pairs if key == "v1"]
    if not timestamp or not signatures:
        raise NotSigned("not_signed", f"The header {_HEADER} with t and v1 is required.")
    signed = timestamp.encode(errors="replace") + b"." + message.raw
    require_hex_hmac(signatures, "", signed, credentials.secrets, _HEADER)
    require_recent(timestamp, credentials.now, f"t in {_HEADER}")
    body = json_of(message.raw)
    event = body.get("id") if isinstance(body, dict) else None
    return Content(body, id_of(event) if isinstance(event, str) and event else id_of_content(message.raw))


STRIPE: Final = Preset(
    name="stripe",
    title="Stripe",
    accept=_accept,
    secret=SecretSource.SENDER,
    secret_help="The signing secret of the endpoint (whsec_…), which Stripe shows once the endpoint is there.",
    setup=(
        "In the Stripe dashboard: Developers, Webhooks, Add destination. Enter the address as endpoint URL; then enter "
        "its signing secret here."
    ),
    examples=(
        ("{{ body.type }}", "the kind of event, such as invoice.paid"),
        ("{{ body.data.object.id }}", "the object, such as the invoice"),
        ("{{ body.data.object.metadata.order }}", "what you attached to it"),
    ),
)
