"""Fields that take a value of their type or refuse it: nothing is turned from a text into a number or back."""

from datetime import UTC
from typing import Any

from django.utils.dateparse import parse_datetime
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers


class Text(serializers.CharField):
    """A text as it is, blanks at its ends included."""

    default_error_messages = {"invalid": "This must be a text."}

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("trim_whitespace", False)
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class Whole(serializers.IntegerField):
    """An integer; 1.0, "1" and true are none."""

    default_error_messages = {"invalid": "This must be an integer."}

    def to_internal_value(self, data: Any) -> int:
        if type(data) is not int:
            self.fail("invalid")
        return int(super().to_internal_value(data))


class Digits(serializers.IntegerField):
    """A whole number in a query string: ASCII digits and nothing else."""

    default_error_messages = {"invalid": "This must be a whole number."}

    def to_internal_value(self, data: Any) -> int:
        if not isinstance(data, str) or not data.isascii() or not data.isdigit() or len(data) > 18:
            self.fail("invalid")
        return int(super().to_internal_value(data))


class Number(serializers.FloatField):
    """An integer or a double."""

    default_error_messages = {"invalid": "This must be a number."}

    def to_internal_value(self, data: Any) -> float:
        if type(data) is not int and type(data) is not float:
            self.fail("invalid")
        return float(data)


class Flag(serializers.BooleanField):
    """true or false."""

    default_error_messages = {"invalid": "This must be true or false."}

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.fail("invalid")
        return data


class OneOf(serializers.ChoiceField):
    """One of some texts."""

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid_choice", input=type(data).__name__)
        return str(super().to_internal_value(data))


class Moment(serializers.DateTimeField):
    """A time as RFC 3339 writes it, with its zone; it is in the years 1 to 9999 in UTC too."""

    default_error_messages = {"invalid": "This must be a time like 2026-01-31T09:00:00Z, with its zone."}

    def to_internal_value(self, value: Any) -> Any:
        try:
            moment = parse_datetime(value) if isinstance(value, str) and value.isascii() else None
            if moment is not None and moment.tzinfo is not None:
                return moment.astimezone(UTC)
        except (ValueError, OverflowError):
            pass
        return self.fail("invalid", format="RFC 3339")


@extend_schema_field({"type": "object", "additionalProperties": {}})
class JsonObject(serializers.Field[Any, Any, Any, Any]):
    """Any JSON object."""

    default_error_messages = {"invalid": "This must be a JSON object."}

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, dict):
            self.fail("invalid")
        return data

    def to_representation(self, value: Any) -> Any:
        return value


@extend_schema_field({})
class JsonValue(serializers.Field[Any, Any, Any, Any]):
    """Any JSON value; null is one."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("allow_null", True)
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> Any:
        return data

    def to_representation(self, value: Any) -> Any:
        return value


class Items(serializers.ListField):
    """A JSON list."""

    default_error_messages = {"not_a_list": "This must be a list."}

    def to_internal_value(self, data: Any) -> list[Any]:
        if not isinstance(data, list):
            self.fail("not_a_list", input_type=type(data).__name__)
        return list(super().to_internal_value(data))
