"""Serializers that follow from typed rows."""

from datetime import UTC, datetime
from typing import Annotated, Any, NamedTuple, NotRequired, TypedDict

from rest_framework import serializers

from lib.api import fields
from lib.api.typed_rows import Id, fields_of, notes_of, serializer_of, shows


class OneOf(NamedTuple):
    options: list[str]


class InnerView(TypedDict):
    """Something inside."""

    at: datetime


class OuterView(TypedDict):
    """Something around it."""

    id: Annotated[Id | None, "Which it is."]
    word: Annotated[str, OneOf(["a", "b"])]
    value: Any
    share: NotRequired[Annotated[float, "How much."]]
    one: InnerView | None
    all: Annotated[list[InnerView], "All of them."]
    names: list[str]
    counts: dict[str, int]


def test_each_field_is_of_its_type_with_its_help():
    made = fields_of(OuterView)
    assert {name: type(field) for name, field in made.items()} == {
        "id": serializers.UUIDField,
        "word": serializers.ChoiceField,
        "value": fields.JsonValue,
        "share": serializers.FloatField,
        "one": serializer_of(InnerView),
        "all": serializers.ListSerializer,
        "names": serializers.ListField,
        "counts": serializers.DictField,
    }
    assert (made["id"].allow_null, made["id"].help_text) == (True, "Which it is.")
    assert (made["share"].required, made["share"].help_text) == (False, "How much.")
    assert (made["one"].allow_null, made["one"].required) == (True, True)
    assert (made["all"].child.__class__, made["all"].help_text) == (serializer_of(InnerView), "All of them.")
    assert made["word"].choices == {"a": "a", "b": "b"}
    assert isinstance(made["counts"].child, serializers.IntegerField)
    assert notes_of(OuterView, OneOf) == {"word": OneOf(["a", "b"])}


def test_a_serializer_is_named_after_its_row_and_there_is_one_of_each():
    made = serializer_of(InnerView)
    assert (made.__name__, made.__doc__) == ("InnerSerializer", "Something inside.")
    assert serializer_of(InnerView) is made
    at = datetime(2031, 1, 1, tzinfo=UTC)
    assert made({"at": at}).data == {"at": "2031-01-01T00:00:00Z"}


def test_a_serializer_may_have_more_than_its_row():
    @shows(InnerView)
    class More(serializers.Serializer):
        extra = serializers.CharField()

    assert list(More().fields) == ["at", "extra"]
