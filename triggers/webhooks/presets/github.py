"""GitHub: HMAC-SHA256 of the body, a delivery id, and a ping when the webhook is set up."""

from typing import Final

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
)

_SIGNATURE = "X-Hub-Signature-256"


def _accept(message: Incoming, credentials: Credentials) -> Content | Reply:
    require_hex_hmac([message.header(_SIGNATURE)], "sha256=", message.raw, credentials.secrets, _SIGNATURE)
    if message.header("x-github-event") == "ping":
        return Reply("pong")
    body = form_with_payload(message.raw) if message.is_form else json_of(message.raw)
    delivery = message.header("x-github-delivery")
    return Content(body, id_of(delivery) if delivery else id_of_content(message.raw))


GITHUB: Final = Preset(
    name="github",
    title="GitHub",
    accept=_accept,
    secret=SecretSource.EITHER,
    secret_help="The secret of the webhook at GitHub. Leave it empty to have one made.",
    setup=(
        "In the repository or organisation at GitHub: Settings, Webhooks, Add webhook. Enter the address as Payload "
        "URL, and the secret."
    ),
    examples=(
        ('{{ headers["x-github-event"] }}', "the kind of event, such as push"),
        ("{{ body.repository.full_name }}", "the repository"),
        ("{{ body.action }}", "what happened, such as opened"),
    ),
)
