"""Slack: events, slash commands and interactions (buttons), signed with the signing secret of the app."""

from typing import Final

from engine.catalogue import Json
from triggers.webhooks.presets.base import (
    Content,
    Credentials,
    Incoming,
    Preset,
    Reply,
    SecretSource,
    form_with_payload,
    id_of,
    id_of_content,
    json_of,
    require_hex_hmac,
    require_recent,
    without,
)

_SIGNATURE, _TIMESTAMP = "X-Slack-Signature", "X-Slack-Request-Timestamp"


def _accept(message: Incoming, credentials: Credentials) -> Content | Reply:
    signature, timestamp = message.header(_SIGNATURE), message.header(_TIMESTAMP)
    signed = b"v0:" + timestamp.encode(errors="replace") + b":" + message.raw
    require_hex_hmac([signature], "v0=", signed, credentials.secrets, _SIGNATURE)
    require_recent(timestamp, credentials.now, _TIMESTAMP)
    # The old verification token proves nothing, and would be kept with the run.
    body = without(form_with_payload(message.raw) if message.is_form else json_of(message.raw), "token")
    if _text(body, "type") == "url_verification":
        return Reply(_text(body, "challenge"))
    if _text(body, "ssl_check") == "1":
        return Reply()
    delivery = _text(body, "event_id") or _text(body, "trigger_id")
    return Content(body, id_of(delivery) if delivery else id_of_content(signed))


def _text(body: Json, name: str) -> str:
    value = body.get(name) if isinstance(body, dict) else None
    return value if isinstance(value, str) else ""


SLACK: Final = Preset(
    name="slack",
    title="Slack",
    accept=_accept,
    secret=SecretSource.SENDER,
    secret_help="The signing secret: Basic Information of the app at api.slack.com.",
    setup=(
        "In the app at api.slack.com: enter the address as Request URL of Event Subscriptions, of a slash command, or "
        "of Interactivity."
    ),
    examples=(
        ("{{ body.event.text }}", "the text of an event"),
        ("{{ body.text }}", "what follows a slash command"),
        ("{{ body.actions[0].value }}", "the value of a pressed button"),
    ),
    # Slack shows any text of the answer to a command to the person who typed it.
    reply=Reply(),
)
