"""JSON Schema as far as definitions need it (R-014), and durations (H-38)."""

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from engine.durations import parse_duration
from engine.json_schema import clash, schema_faults, schema_of

TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
CLOSED = {"additionalProperties": False}


@pytest.mark.parametrize(
    ("given_schema", "wanted", "reason"),
    [
        (TEXT, TEXT, None),
        ({}, TEXT, None),
        ({"type": "object"}, TEXT, None),
        ({"type": "object", "properties": {"body": {}}}, TEXT, None),
        ({"type": "object", "properties": {"body": {}}, **CLOSED}, TEXT, "`text` is missing"),
        ({"type": "object", **CLOSED, "patternProperties": {"^t": {}}}, TEXT, None),
        ({"type": "string"}, TEXT, "its input is string, but must be object"),
        ({"type": ["string", "object"]}, TEXT, None),
        (
            {"type": "object", "properties": {"text": {"type": "integer"}}},
            TEXT,
            "`text` is integer, but must be string",
        ),
        ({"type": "object", "properties": {"text": {"type": ["string", "null"]}}}, TEXT, None),
        ({"type": "integer"}, {"type": "number"}, None),
        ({"type": "number"}, {"type": "integer"}, None),
        ({"type": "string"}, {"anyOf": [TEXT, {"type": "string"}]}, None),
        (
            {"type": "integer"},
            {"anyOf": [TEXT, {"type": "string"}]},
            "its input is integer, but must be object",
        ),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, {"type": "string"}, None),
        (
            {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            {"type": "string"},
            "its input is integer, but must be string",
        ),
        (
            {"$ref": "#/$defs/T", "$defs": {"T": {"type": "null"}}},
            TEXT,
            "its input is null, but must be object",
        ),
        ({"$ref": "#/$defs/Gone"}, TEXT, None),
        (True, TEXT, None),
        (
            {
                "type": "object",
                "properties": {"a": {"type": "object", "properties": {"b": {"type": "null"}}}},
            },
            {
                "required": ["a"],
                "properties": {"a": {"required": ["b"], "properties": {"b": {"type": "string"}}}},
            },
            "`a.b` is null, but must be string",
        ),
    ],
)
def test_a_clash_is_found_only_where_it_is_certain(given_schema, wanted, reason):
    assert clash(given_schema, wanted) == reason


def test_what_a_template_gives_is_known_as_far_as_it_is_literal():
    schema = schema_of({"text": "{{ prev.x }}", "n": 3, "many": [1], "deep": {"ok": True}})
    assert schema["properties"]["text"] == {}
    assert schema["properties"]["n"] == {"type": "integer"}
    assert schema["properties"]["many"] == {"type": "array"}
    assert schema["properties"]["deep"]["properties"]["ok"] == {"type": "boolean"}
    assert clash(schema, {**TEXT, "required": ["title"]}) == "`title` is missing"


@pytest.mark.parametrize(
    ("schema", "field"),
    [
        ({"type": "money"}, "s.type"),
        ({"type": []}, "s.type"),
        ({"required": "a"}, "s.required"),
        ({"required": ["a", "a"]}, "s.required"),
        ({"properties": []}, "s.properties"),
        ({"properties": {"a b": {"minimum": "1"}}}, 's.properties["a b"].minimum'),
        ({"items": [3]}, "s.items"),
        ({"anyOf": [{}, {"minLength": -1}]}, "s.anyOf[1].minLength"),
        ({"allOf": {}}, "s.allOf"),
        ({"pattern": "("}, "s.pattern"),
        ({"enum": []}, "s.enum"),
        ({"$ref": "https://example.org/schema"}, 's["$ref"]'),
        ({"$ref": "#/$defs/no"}, 's["$ref"]'),
        (3, "s"),
    ],
)
def test_what_is_no_schema_is_found_with_its_place(schema, field):
    assert [path for path, _ in schema_faults(schema, "s")] == [field]


keywords = st.sampled_from(
    ["type", "required", "properties", "items", "anyOf", "minLength", "maximum", "x", "not"]
)
parts = st.recursive(
    st.sampled_from(["string", "object", "a", 1, -1, 1.5, True, None]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keywords, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=50, deadline=None, derandomize=True, database=None)
@given(st.dictionaries(keywords, parts, max_size=4))
def test_a_schema_that_passes_is_one_that_the_validator_takes(schema):
    if list(schema_faults(schema, "s")):
        return
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        pytest.fail(f"{schema}: {error.message}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("P7D", timedelta(days=7)),
        ("P2W", timedelta(weeks=2)),
        ("PT30M", timedelta(minutes=30)),
        ("PT1H30M", timedelta(minutes=90)),
        ("P1DT12H", timedelta(hours=36)),
        ("PT0.5S", timedelta(milliseconds=500)),
        ("PT0S", timedelta(0)),
    ],
)
def test_durations_of_fixed_length_are_read(text, expected):
    assert parse_duration(text) == expected


@pytest.mark.parametrize(
    "text", ["", "P", "PT", "P1DT", "7D", "P1M", "P1Y", "P1Y2M", "PT1X", "P-1D", "pt1h", "PT1H ", "P١D"]
)
def test_other_durations_are_refused_with_an_example(text):
    with pytest.raises(ValueError, match=r"PT30M|P30D"):
        parse_duration(text)
