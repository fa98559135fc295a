"""Messages as the bodies and rows of the REST API: fields are called the same, so one check and one answer do for both.

A field of bytes is any JSON value as text. A field that is not there in a message is left out of a body.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError, Message

from lib.api.errors import dotted, join
from lib.api.renderers import to_json
from lib.api.serializers import Parsed
from lib.refusals import Invalid, TooLarge
from lib.strict_json import BadJson, JsonTooLarge, strict_loads

_TIMESTAMP = "google.protobuf.Timestamp"
_SENT_AT = "sent_at"
"""The field of this name says what the header `Date` says over REST."""


def parsed(kind: type[Message], raw: bytes) -> Message:
    """The message. Raises Invalid for bytes that are none."""
    message = kind()
    try:
        message.ParseFromString(raw)
    except DecodeError:
        raise Invalid(f"This is not a {kind.DESCRIPTOR.full_name}.", code="bad_message") from None
    return message


def given(message: Message, path: str = "") -> Parsed:
    """What a message says, as the body of a request of the REST API would. Raises Invalid naming the field."""
    return {field.name: _value(field, value, join(path, field.name)) for field, value in message.ListFields()}


def _value(field: FieldDescriptor, value: Any, path: str) -> Any:
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        return dict(value)
    if field.is_repeated:
        return [_single(field, one, join(path, str(place))) for place, one in enumerate(value)]
    return _single(field, value, path)


def _single(field: FieldDescriptor, value: Any, path: str) -> Any:
    if field.type == FieldDescriptor.TYPE_BYTES:
        return _json(value, path)
    if field.message_type is None:
        return value
    if field.message_type.full_name == _TIMESTAMP:
        return _written(value, path)
    return given(value, path)


def _json(raw: bytes, path: str) -> Any:
    try:
        return strict_loads(raw, max_bytes=settings.HANDOFF_MAX_BODY_BYTES)
    except BadJson as error:
        place = dotted(error.pointer) or ""
        where = f"{path}{place}" if place.startswith("[") else ".".join(filter(None, (path, place)))
        if isinstance(error, JsonTooLarge):
            raise TooLarge(error.message, field=where) from None
        raise Invalid(error.message, code="bad_json", field=where) from None


def _written(value: Any, path: str) -> str:
    try:
        return str(value.ToDatetime(tzinfo=UTC).isoformat())
    except (ValueError, OverflowError):
        raise Invalid("This is not a timestamp.", field=path) from None


def filled(kind: type[Message], row: Mapping[str, Any]) -> Message:
    """The message that says what a row of the REST API's does, as far as it has fields for it."""
    message = kind()
    fill(message, row)
    return message


def fill(message: Message, row: Mapping[str, Any]) -> None:
    """As `filled`, of a message that is there."""
    for field in message.DESCRIPTOR.fields:
        if field.name == _SENT_AT:
            getattr(message, field.name).GetCurrentTime()
        if field.name not in row:
            continue
        value = row[field.name]
        if field.type == FieldDescriptor.TYPE_BYTES:
            setattr(message, field.name, to_json(value))
        elif value is None:
            continue
        elif field.is_repeated:
            _fill_list(message, field, value)
        elif field.message_type is None:
            is_text = field.type == FieldDescriptor.TYPE_STRING
            setattr(message, field.name, str(value) if is_text else value)
        elif field.message_type.full_name == _TIMESTAMP:
            stamp(getattr(message, field.name), value)
        else:
            fill(getattr(message, field.name), value)


def _fill_list(message: Message, field: FieldDescriptor, values: Sequence[Any]) -> None:
    items = getattr(message, field.name)
    for value in values:
        if field.message_type is not None:
            fill(items.add(), value)
        else:
            items.append(value)


def stamp(timestamp: Any, moment: datetime | str) -> None:
    """Have a Timestamp say this moment."""
    if isinstance(moment, str):
        timestamp.FromJsonString(moment)
    else:
        timestamp.FromDatetime(moment.astimezone(UTC))
