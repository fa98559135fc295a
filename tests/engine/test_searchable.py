"""Which fields of an input are searchable."""

from engine.searchable import searchable_fields
from engine.validate import Limits, validate
from tests.engine.spec_samples import EXTENDED, definition, node

MARKED = {"type": "string", "x-searchable": True}


def test_marked_fields_are_found_in_objects_and_lists():
    schema = {
        "properties": {
            "country": MARKED,
            "note": {"type": "string", "x-searchable": "yes"},
            "buyer": {"properties": {"id": MARKED, "a.b": MARKED}},
            "lines": {"items": {"properties": {"sku": MARKED}}},
            "tags": {"items": MARKED},
        }
    }
    assert searchable_fields(schema) == ["country", "buyer.id", "lines.sku", "tags"]
    assert searchable_fields(True) == searchable_fields({"properties": 3}) == []


def test_a_schema_that_is_endless_is_read_to_a_depth():
    schema = {"properties": {}}
    schema["properties"]["a"] = schema
    assert searchable_fields(schema) == []


def test_more_fields_than_may_be_searchable_are_a_problem():
    for count, told in ((20, []), (21, ["bad_input_schema"])):
        schema = {"properties": {f"f{place}": MARKED for place in range(count)}}
        sample = definition([node("a")], []) | {"input_schema": schema}
        assert [one.code for one in problems(sample)] == told


def problems(sample):
    return [one for one in validate(sample, EXTENDED, Limits()) if one.code == "bad_input_schema"]
