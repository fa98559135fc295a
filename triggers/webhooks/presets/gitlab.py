"""GitLab: a secret token in a header, or a signing token of Standard Webhooks (`whsec_…`)."""

from typing import Final

from lib.standard_webhooks import NotSigned, secret_bytes, verify
from triggers.webhooks.presets.base import (
    Content,
    Credentials,
    Incoming,
    Preset,
    SecretSource,
    id_of,
    id_of_content,
    json_of,
    require_equal,
)

_TOKEN = "X-Gitlab-Token"
_IDS = ("webhook-id", "idempotency-key", "x-gitlab-event-uuid")


def _accept(message: Incoming, credentials: Credentials) -> Content:
    signature = message.header("webhook-signature")
    keys = [key for secret in credentials.secrets if (key := secret_bytes(secret.decode())) is not None]
    if signature and keys:
        verify(
            keys,
            message_id=message.header("webhook-id"),
            timestamp=message.header("webhook-timestamp"),
            signatures=signature,
            body=message.raw,
            now=credentials.now,
        )
    else:
        _require_token(message, credentials)
    body = json_of(message.raw)
    delivery = next((one for name in _IDS if (one := message.header(name))), "")
    return Content(body, id_of(delivery) if delivery else id_of_content(message.raw))


def _require_token(message: Incoming, credentials: Credentials) -> None:
    token = message.header(_TOKEN)
    if not token:
        raise NotSigned("not_signed", f"The header {_TOKEN} or webhook-signature is required.")
    secrets = [secret.decode() for secret in credentials.secrets]
    require_equal(secrets, [token], f"{_TOKEN} is not a secret of this webhook.")


GITLAB: Final = Preset(
    name="gitlab",
    title="GitLab",
    accept=_accept,
    secret=SecretSource.EITHER,
    secret_help="The secret token or signing token (whsec_…) at GitLab. Leave it empty to have one made.",
    setup=(
        "In the project or group at GitLab: Settings, Webhooks, Add new webhook. Enter the address as URL, and the "
        "secret as secret token."
    ),
    examples=(
        ('{{ headers["x-gitlab-event"] }}', "the kind of event, such as Push Hook"),
        ("{{ body.project.path_with_namespace }}", "the project"),
        ("{{ body.object_kind }}", "the kind of object, such as merge_request"),
    ),
)
