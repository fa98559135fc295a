"""How the values of a message are used: `{{ CEL }}` over `body`, `headers` and `query`.

A mapping is checked when it is saved, and its work is bounded when it is evaluated.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from engine.catalogue import Json
from engine.errors import ExpressionError, ExpressionInvalid, NotEvaluated
from engine.templates import Template, compile_template
from lib.refusals import Invalid, TooLarge, Unprocessable
from lib.strict_json import BadJson, JsonTooLarge, strict_dumps
from lib.uuid7 import uuid7
from runs.commands.signals import NewSignal
from runs.limits import BUSINESS_KEY_CHARACTERS, SIGNAL_BYTES
from steps.limits import RUN_INPUT_BYTES, SIGNAL_NAME_CHARACTERS
from triggers.webhooks.limits import MAPPING_BYTES, SIGNAL_ID_CHARACTERS
from triggers.webhooks.reading import NAMES

_TEXTS = {
    "business_key": BUSINESS_KEY_CHARACTERS,
    "signal_name": SIGNAL_NAME_CHARACTERS,
    "signal_id": SIGNAL_ID_CHARACTERS,
}
_NEEDED = {"signal": ("business_key", "signal_name"), "start": ()}
_KNOWN = {
    "signal": {"business_key", "signal_name", "signal_id", "payload", "start_if_missing", "input"},
    "start": {"business_key", "input"},
}


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a message asks for; `starts`: whether a run may be started for it."""

    business_key: str | None
    signal: NewSignal | None
    input: Json
    starts: bool


def check(action: str, mapping: Mapping[str, Json]) -> None:
    """Return if a webhook with this action can have this mapping. Raises Invalid naming the field."""
    for name in sorted(mapping.keys() - _KNOWN[action]):
        raise Invalid(
            f"A webhook that sends a {action} has no such field."
            if action == "signal"
            else "There is no such field.",
            code="unknown_field",
            field=f"mapping.{name}",
        )
    for name in _NEEDED[action]:
        if name not in mapping:
            raise Invalid("This field is required.", code="required", field=f"mapping.{name}")
    if not isinstance(mapping.get("start_if_missing", False), bool):
        raise Invalid("This must be true or false.", field="mapping.start_if_missing")
    if action == "signal" and "input" in mapping and not mapping.get("start_if_missing"):
        raise Invalid("Without start_if_missing nothing is started.", field="mapping.input")
    try:
        strict_dumps(mapping, max_bytes=MAPPING_BYTES)
    except BadJson as error:
        raise Invalid(error.message, field="mapping") from None
    for name, value in mapping.items():
        _check_value(name, value)


def _check_value(name: str, value: Json) -> None:
    field = f"mapping.{name}"
    if name in _TEXTS and not (isinstance(value, str) and value):
        raise Invalid("This must be a text: fixed, or with expressions such as {{ body.id }}.", field=field)
    try:
        template = compile_template(value)
    except ExpressionInvalid as error:
        raise Invalid(
            f"This is not a valid expression: {error}.", code="bad_expression", field=field
        ) from None
    if others := sorted(template.refs.names - {*NAMES}):
        message = f"{others[0]} can't be read here, only {', '.join(NAMES)}."
        raise Invalid(message, code="bad_expression", field=field)
    if template.is_static and name in _TEXTS and len(value) > _TEXTS[name]:
        raise Invalid(f"This has at most {_TEXTS[name]} characters.", field=field)


def meaning(
    action: str, mapping: Mapping[str, Json], scope: Mapping[str, Json], message_id: str | None
) -> Meaning:
    """What a message asks for; `scope`: what of it may be read, by name.

    Raises Unprocessable or TooLarge naming the field of the mapping, NotEvaluated where this machine can't say now.
    """
    read = _Reading(mapping, scope)
    key = read.text("business_key") if "business_key" in mapping else None
    signal = None
    if action == "signal":
        signal_id = read.text("signal_id") if "signal_id" in mapping else message_id or uuid7()
        payload = read.value("payload", SIGNAL_BYTES)
        signal = NewSignal(signal_id, read.text("signal_name"), payload)
    starts = action == "start" or mapping.get("start_if_missing", False)
    return Meaning(key, signal, read.value("input", RUN_INPUT_BYTES) if starts else None, starts)


class _Reading:
    """The fields of a mapping over one message."""

    def __init__(self, mapping: Mapping[str, Json], scope: Mapping[str, Json]) -> None:
        self._mapping, self._scope = mapping, scope

    def value(self, name: str, max_bytes: int) -> Json:
        """What the field gives; the body where it isn't there."""
        value = self._rendered(name) if name in self._mapping else self._scope["body"]
        try:
            strict_dumps(value, max_bytes=max_bytes)
        except JsonTooLarge:
            message = f"{name} comes out larger than the {max_bytes:,} bytes that are allowed."
            raise TooLarge(message, field=f"mapping.{name}") from None
        except BadJson as error:
            raise _failed(name, error.message) from None
        return value

    def text(self, name: str) -> str:
        """What the field gives, which must be a text or a whole number: anything else has no one spelling."""
        value = self._rendered(name)
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise _failed(name, "it must come out as a text or a whole number")
        text = str(value)
        if not 0 < len(text) <= _TEXTS[name] or "\0" in text:
            raise _failed(name, f"it must have 1 to {_TEXTS[name]} characters")
        return text

    def _rendered(self, name: str) -> Json:
        template: Template = compile_template(self._mapping[name])
        try:
            return template.render(self._scope)
        except NotEvaluated:
            raise
        except ExpressionError as error:
            raise _failed(name, str(error)) from None


def _failed(name: str, why: str) -> Unprocessable:
    return Unprocessable(
        f"{name} can't be made from this body: {why}", code="mapping_failed", field=f"mapping.{name}"
    )
