"""Inputs against a workflow's input_schema."""

import pytest

from runs.kernel.refused import RunRefused
from steps.schema import problem_of
from tests import factories as make

ORDER = {
    "type": "object",
    "required": ["order_id"],
    "properties": {
        "order_id": {"type": "string", "pattern": "^[A-Z]-[0-9]+$"},
        "lines": {"items": {"type": "integer"}},
    },
    "patternProperties": {"^x_": {"type": "string"}},
}


def test_an_input_that_fits_has_no_problem():
    assert problem_of(ORDER, {"order_id": "A-17", "lines": [1, 2], "x_note": "soon"}) is None


@pytest.mark.parametrize(
    ("value", "path", "said"),
    [
        ({}, "", "'order_id' is a required property"),
        ({"order_id": "17"}, ".order_id", "does not match"),
        ({"order_id": "A-1", "lines": [1, "two"]}, ".lines[1]", "not of type 'integer'"),
        ({"order_id": "A-1", "x_note": 3}, ".x_note", "not of type 'string'"),
    ],
)
def test_the_first_problem_is_named_with_its_place(value, path, said):
    found = problem_of(ORDER, value)
    assert found is not None
    assert found[0] == path
    assert said in found[1]


def test_a_pattern_that_would_hang_python_is_answered_at_once():
    assert problem_of({"pattern": "^(a+)+$"}, "a" * 5000 + "!") is not None


@pytest.mark.django_db
@pytest.mark.parametrize("order", [None, True, 1.5, {"a": 1}, [1]])
def test_a_business_key_is_made_of_a_text_or_a_whole_number_only(order):
    with pytest.raises(RunRefused) as refused:
        make.start(make.chain("noop", business_key="{{ input.order }}"), {"order": order})

    assert refused.value.field == "input"


@pytest.mark.django_db
def test_a_version_that_cannot_be_compiled_here_is_refused_at_the_start():
    with pytest.raises(RunRefused) as refused:
        make.start(make.graph([{"id": "a", "type": "gone.away"}], []))

    assert (refused.value.code, refused.value.conflict) == ("broken_version", True)


@pytest.mark.django_db
def test_an_input_with_a_date_that_is_none_starts_nothing():
    schema = {"type": "object", "properties": {"due": {"type": "string", "format": "date"}}}
    with pytest.raises(RunRefused, match="Due: needs a date such as 2026-11-20") as refused:
        make.start(make.chain("noop", input_schema=schema), {"due": "20.11.2026"})

    assert refused.value.field == "input.due"
