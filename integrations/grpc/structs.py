"""`google.protobuf.Struct` as JSON and back. All its numbers are doubles: what is whole is read as an integer."""

from collections.abc import Mapping
from typing import Any

from engine.catalogue import Json
from lib.strict_json import MAX_INTEGER

NULL, NUMBER, TEXT, FLAG, OBJECT, LIST = (
    "null_value",
    "number_value",
    "string_value",
    "bool_value",
    "struct_value",
    "list_value",
)


def object_of(struct: Any) -> dict[str, Json]:
    """A Struct as an object."""
    return {name: value_of(value) for name, value in struct.fields.items()}


def value_of(value: Any) -> Json:
    """A Value as JSON; one that says nothing is null."""
    kind = value.WhichOneof("kind")
    if kind == NUMBER:
        number = value.number_value
        return int(number) if number.is_integer() and abs(number) <= MAX_INTEGER else number
    if kind == OBJECT:
        return object_of(value.struct_value)
    if kind == LIST:
        return [value_of(one) for one in value.list_value.values]
    return getattr(value, kind) if kind in (TEXT, FLAG) else None


def fill_struct(struct: Any, values: Mapping[str, Json] | None) -> None:
    """Have a Struct say these; nothing of none, as theirs does it."""
    for name, value in (values or {}).items():
        fill_value(struct.fields[name], value)


def fill_value(target: Any, value: Json) -> None:
    """Have a Value say this."""
    if isinstance(value, bool):
        target.bool_value = value
    elif isinstance(value, int | float):
        target.number_value = value
    elif isinstance(value, str):
        target.string_value = value
    elif isinstance(value, Mapping):
        target.struct_value.SetInParent()
        fill_struct(target.struct_value, value)
    elif isinstance(value, list):
        target.list_value.SetInParent()
        for one in value:
            fill_value(target.list_value.values.add(), one)
    else:
        target.null_value = 0
