"""Serializers of typed rows: a `TypedDict` declares each field once, with its type and what is said of it."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cache
from types import UnionType
from typing import (
    Annotated,
    Any,
    Final,
    NotRequired,
    Protocol,
    TypeAlias,
    TypeVar,
    Union,
    get_args,
    get_origin,
)
from typing import get_type_hints as hints

from rest_framework import serializers
from typing_extensions import is_typeddict

from lib.api import fields

Id: TypeAlias = Annotated[str, serializers.UUIDField]
"""A UUID, as a text."""

S = TypeVar("S", bound=type[serializers.Serializer[Any]])
N = TypeVar("N")
AnyField: TypeAlias = "serializers.Field[Any, Any, Any, Any]"

_PLAIN: Final[Mapping[object, Callable[..., AnyField]]] = {
    str: serializers.CharField,
    int: serializers.IntegerField,
    float: serializers.FloatField,
    bool: serializers.BooleanField,
    datetime: serializers.DateTimeField,
    Any: fields.JsonValue,
}


class Note(Protocol):
    """What stands in an annotation beside the help text: which values there are, with their words; none: any."""

    @property
    def options(self) -> Sequence[str | tuple[str, str]]: ...


def shows(row: type) -> Callable[[S], S]:
    """Give a serializer the fields of a typed row, before its own."""

    def with_fields(serializer: S) -> S:
        serializer._declared_fields = fields_of(row) | serializer._declared_fields
        return serializer

    return with_fields


def fields_of(row: type) -> dict[str, AnyField]:
    """The serializer fields of a typed row by name, in their order."""
    return {
        name: _field(hint, {} if name in row.__required_keys__ else {"required": False})  # type: ignore[attr-defined]
        for name, hint in hints(row, include_extras=True).items()
    }


def notes_of(row: type, kind: type[N]) -> dict[str, N]:
    """The notes of this kind that a typed row's fields have, by their names."""
    return {
        name: note
        for name, hint in hints(row, include_extras=True).items()
        for note in getattr(hint, "__metadata__", ())
        if isinstance(note, kind)
    }


@cache
def serializer_of(row: type) -> type[serializers.Serializer[Any]]:
    """The serializer of a typed row, named after it and described by its docstring."""
    name = f"{row.__name__.removesuffix('View')}Serializer"
    return type(name, (serializers.Serializer,), {"__doc__": row.__doc__, **fields_of(row)})


def _field(hint: Any, options: dict[str, Any]) -> AnyField:
    """The field of an annotation. A text in it is the help text, a field class replaces the field of the type."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is NotRequired:
        return _field(arguments[0], options)
    if origin is Annotated:
        hint, *notes = arguments
        for note in notes:
            if isinstance(note, str):
                options["help_text"] = note
            elif isinstance(note, type):
                options["field"] = note
            elif note.options:
                options |= {"field": serializers.ChoiceField, "choices": note.options}
        return _field(hint, options)
    if origin in (Union, UnionType):
        (hint,) = (argument for argument in arguments if argument is not type(None))
        return _field(hint, options | {"allow_null": True})
    make: Callable[..., AnyField] | None = options.pop("field", None)
    if make is not None:
        return make(**options)
    if is_typeddict(hint):
        return serializer_of(hint)(**options)
    if origin is list and is_typeddict(arguments[0]):
        return serializer_of(arguments[0])(many=True, **options)
    if origin is list:
        return serializers.ListField(child=_field(arguments[0], {}), **options)
    if origin is dict:
        return serializers.DictField(child=_field(arguments[1], {}), **options)
    return _PLAIN[hint](**options)
