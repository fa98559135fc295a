"""What the form of a rule sends, read as `operations.alerts.rules` takes it, and shown again where it is wrong."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from accounts import pages
from accounts.access import PageRequest
from engine.catalogue import Json
from lib.refusals import Invalid
from operations.alerts.kinds import KINDS
from operations.alerts.limits import COOLDOWN_SECONDS, NUMBER_DIGITS, RULE_CHANNELS
from operations.alerts.models import AlertRule

_TEXTS = ("name", "severity", "cooldown_minutes", "escalate_minutes", "mute_seconds")


@dataclass(frozen=True, slots=True)
class TypedRule:
    """What was typed, as it is `shown` again."""

    kind: str
    shown: dict[str, Any]

    def checked(self) -> dict[str, Json]:
        """The same as values of a rule. Raises Invalid, which names the field of the form."""
        kind, typed = KINDS[self.kind], self.shown
        params: dict[str, Json] = {name: _whole(typed, f"param-{name}") for name in kind.thresholds}
        if kind.filter:
            params[kind.filter] = typed["of"]
        for name, one in kind.thresholds.items():
            if not one.least <= params[name] <= one.most:
                raise Invalid(f"From {one.least:,} to {one.most:,} {one.unit}.", field=f"param-{name}")
        cooldown = _whole(typed, "cooldown_minutes")
        if cooldown * 60 > COOLDOWN_SECONDS:
            raise Invalid(f"At most {COOLDOWN_SECONDS // 60:,} minutes.", field="cooldown_minutes")
        values: dict[str, Json] = {
            "name": typed["name"],
            "params": params,
            "severity": typed["severity"],
            "enabled": typed["enabled"],
            "cooldown_seconds": cooldown * 60,
            "escalate_minutes": _whole(typed, "escalate_minutes") if typed["escalate_minutes"] else None,
            "channels": typed["channels"],
            "escalate_channels": typed["escalate_channels"],
        }
        if typed["mute_seconds"]:
            values["mute_seconds"] = _whole(typed, "mute_seconds")
        return values


def typed_rule(request: PageRequest, kind: str) -> TypedRule:
    """What the form of a rule of this kind has sent."""
    names = (*_TEXTS, "of", *(f"param-{name}" for name in KINDS[kind].thresholds))
    values: dict[str, Any] = {name: pages.typed(request, name) for name in names}
    values["enabled"] = request.POST.get("enabled") == "1"
    for name in ("channels", "escalate_channels"):
        ids = request.POST.getlist(name)[:RULE_CHANNELS]
        values[name] = [
            int(one) for one in ids if one.isascii() and one.isdigit() and len(one) <= NUMBER_DIGITS
        ]
    return TypedRule(kind, values)


def rule_values(rule: AlertRule) -> dict[str, Any]:
    """What the form of a rule shows at first."""
    kind = KINDS[rule.kind]
    thresholds = {
        f"param-{name}": rule.params.get(name, one.default) for name, one in kind.thresholds.items()
    }
    return thresholds | {
        "name": rule.name,
        "severity": rule.severity,
        "enabled": rule.enabled,
        "of": rule.params.get(kind.filter, "") if kind.filter else "",
        "cooldown_minutes": rule.cooldown_seconds // 60,
        "escalate_minutes": "" if rule.escalate_minutes is None else rule.escalate_minutes,
        "mute_seconds": "",
        "channels": list(rule.channels),
        "escalate_channels": list(rule.escalate_channels),
    }


def _whole(typed: Mapping[str, Any], field: str) -> int:
    text = str(typed[field]).strip()
    if not (text.isascii() and text.isdigit()) or len(text) > NUMBER_DIGITS:
        raise Invalid("This must be a whole number.", field=field)
    return int(text)
