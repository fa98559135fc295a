"""Microsoft Graph: change notifications, which prove themselves by the client state of the subscription."""

from typing import Final

from engine.catalogue import Json
from lib.standard_webhooks import NotSigned
from triggers.webhooks.limits import CHALLENGE_CHARACTERS, CLIENT_STATE_CHARACTERS
from triggers.webhooks.presets.base import (
    Content,
    Credentials,
    Incoming,
    Preset,
    Reply,
    SecretSource,
    id_of,
    id_of_content,
    json_of,
    require_equal,
    without,
)


def _accept(message: Incoming, credentials: Credentials) -> Content | Reply:
    token = message.query.get("validationToken", "")
    if token:
        return Reply(token[:CHALLENGE_CHARACTERS])
    body = json_of(message.raw)
    notifications = body.get("value") if isinstance(body, dict) else None
    if not isinstance(notifications, list) or not notifications:
        raise NotSigned("not_signed", "The body needs `value` with change notifications.")
    secrets = [secret.decode() for secret in credentials.secrets]
    for one in notifications:
        state = one.get("clientState") if isinstance(one, dict) else None
        if not isinstance(state, str):
            raise NotSigned("not_signed", "Each change notification needs a clientState.")
        require_equal(secrets, [state], "clientState is not a secret of this webhook.")
    return Content(_cleaned(body, notifications), _id(notifications, message.raw))


def _cleaned(body: Json, notifications: list[Json]) -> Json:
    """The body without the secret, and without tokens that others would accept."""
    rest = without(body, "validationTokens", "value")
    return {**rest, "value": [without(one, "clientState") for one in notifications]}


def _id(notifications: list[Json], raw: bytes) -> str:
    ids = [one.get("id") for one in notifications]
    if all(isinstance(one, str) and one for one in ids):
        return id_of(ids[0] if len(ids) == 1 else "\n".join(ids))
    return id_of_content(raw)


GRAPH: Final = Preset(
    name="graph",
    title="Microsoft Graph",
    accept=_accept,
    secret=SecretSource.EITHER,
    secret_help="The clientState of the subscription, up to 128 characters. Leave it empty to have one made.",
    setup=(
        "Create a subscription at Microsoft Graph (POST /subscriptions) with the address as notificationUrl and the "
        "secret as clientState."
    ),
    examples=(
        ("{{ body.value[0].resource }}", "what changed"),
        ("{{ body.value[0].changeType }}", "how: created, updated or deleted"),
        ("{{ body.value }}", "all notifications of the message"),
    ),
    reply=Reply(status=202),
    max_secret_characters=CLIENT_STATE_CHARACTERS,
)
