"""What is given to set up a webhook of a preset, checked: the sender's secret and what else the preset needs."""

import secrets
from collections.abc import Mapping
from typing import Final

from accounts.sealed import ring_of
from engine.catalogue import Json
from lib.refusals import Invalid
from lib.sealing import Hidden
from triggers.webhooks.actions import setting_place
from triggers.webhooks.limits import SETTING_CHARACTERS
from triggers.webhooks.presets import PRESETS
from triggers.webhooks.presets.base import Preset, SecretSource
from triggers.webhooks.presets.sns import TOPIC

SETTINGS: Final = ("topic_arn", "verify_token")
"""All settings of presets."""
_SECRET_BYTES = 32


def preset_of(name: str | None) -> Preset | None:
    """The preset with this name. Raises Invalid at `preset`."""
    if name is None:
        return None
    if name not in PRESETS:
        raise Invalid(f"There is no such preset; there are {', '.join(PRESETS)}.", field="preset")
    return PRESETS[name]


def require_no_unsigned(preset: Preset | None, allow_unsigned: bool) -> None:
    """Return if a webhook may take unsigned messages, or takes none. Raises Invalid at `allow_unsigned`."""
    if preset and allow_unsigned:
        raise Invalid(f"{preset.title} signs its messages: others are refused.", field="allow_unsigned")


def secret_for(preset: Preset, secret: str | None) -> tuple[bytes | None, bool]:
    """The secret to keep (None: the webhook has none, or none yet), and whether it was made here and must be shown.

    Raises Invalid at `secret`.
    """
    if secret is None or secret == "":
        if preset.secret is SecretSource.EITHER:
            return secrets.token_urlsafe(_SECRET_BYTES).encode(), True
        return None, False
    if preset.secret is SecretSource.NONE:
        raise Invalid(f"{preset.title} has no secret.", field="secret")
    most = preset.max_secret_characters
    if not (secret.isascii() and secret.isprintable() and " " not in secret and len(secret) <= most):
        message = f"This must have up to {most} printable ASCII characters and no spaces."
        raise Invalid(message, field="secret")
    return secret.encode(), False


def settings_for(
    preset: Preset | None,
    values: Mapping[str, str | None],
    tenant: int,
    webhook: str,
    *,
    partly: bool = False,
) -> dict[str, Json]:
    """The settings to keep, those that are secret sealed; `partly`: those that are missing stay as they are.

    Raises Invalid at the setting.
    """
    names = preset.settings if preset else ()
    settings: dict[str, Json] = {}
    for name in SETTINGS:
        value = values.get(name)
        if value is None:
            if name in names and not partly:
                raise Invalid("This field is required.", code="required", field=name)
        elif name not in names:
            raise Invalid("This preset has no such field.", code="unknown_field", field=name)
        else:
            settings[name] = _checked(name, value)
            if preset and name in preset.secret_settings:
                sealed = ring_of(tenant).seal(Hidden(value.encode()), setting_place(tenant, webhook, name))
                settings[name] = bytes(sealed).hex()
    return settings


def shown_settings(preset: str | None, settings: Mapping[str, Json] | None) -> dict[str, Json]:
    """The settings that may be shown."""
    hidden = PRESETS[preset].secret_settings if preset else ()
    return {name: value for name, value in (settings or {}).items() if name not in hidden}


def _checked(name: str, value: str) -> str:
    if name == "topic_arn" and not TOPIC.fullmatch(value):
        example = "arn:aws:sns:eu-central-1:123456789012:orders"
        raise Invalid(f"This must be the ARN of a topic, such as {example}.", field=name)
    if not 0 < len(value) <= SETTING_CHARACTERS or not value.isprintable():
        raise Invalid(f"This must have 1 to {SETTING_CHARACTERS} printable characters.", field=name)
    return value
