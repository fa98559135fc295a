"""Meta (Facebook, Instagram, WhatsApp): HMAC-SHA256 with the app secret, and a challenge with a token of its own."""

from typing import Final

from lib.standard_webhooks import NotSigned
from triggers.webhooks.limits import CHALLENGE_CHARACTERS
from triggers.webhooks.presets.base import (
    Content,
    Credentials,
    Incoming,
    Preset,
    Reply,
    SecretSource,
    id_of_content,
    json_of,
    require_equal,
    require_hex_hmac,
)

_SIGNATURE = "X-Hub-Signature-256"


def _accept(message: Incoming, credentials: Credentials) -> Content | Reply:
    if message.method == "GET":
        return _challenge(message, credentials)
    require_hex_hmac([message.header(_SIGNATURE)], "sha256=", message.raw, credentials.secrets, _SIGNATURE)
    return Content(json_of(message.raw), id_of_content(message.raw))


def _challenge(message: Incoming, credentials: Credentials) -> Reply:
    if message.query.get("hub.mode") != "subscribe":
        raise NotSigned("not_signed", "A verification request has hub.mode=subscribe.")
    tokens = [message.query.get("hub.verify_token", "")]
    wrong = "hub.verify_token is not the verify token of this webhook."
    require_equal([credentials.settings["verify_token"]], tokens, wrong)
    return Reply(message.query.get("hub.challenge", "")[:CHALLENGE_CHARACTERS])


META: Final = Preset(
    name="meta",
    title="Meta",
    accept=_accept,
    secret=SecretSource.SENDER,
    secret_help="The app secret: App settings, Basic in the app dashboard.",
    setup="In the app dashboard of Meta: Webhooks. Enter the address as callback URL, and the verify token.",
    examples=(
        ("{{ body.object }}", "what changed, such as whatsapp_business_account"),
        ("{{ body.entry[0].changes[0].value }}", "the first change"),
        ("{{ body.entry }}", "all changes of the message"),
    ),
    settings=("verify_token",),
    secret_settings=("verify_token",),
    reply=Reply("EVENT_RECEIVED"),
    takes_get=True,
)
