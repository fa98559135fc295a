"""To check a value takes no more than its share, whatever schema and value meet; the work is counted in units."""

import time
from contextlib import suppress

import pytest

from engine.errors import TooMuchWork
from engine.work import EXPRESSIONS_UNITS, Sharing, Work
from steps.schema import problem_of
from tests.growth.values import VALUES

SECONDS = 4.0
"""CPU time of this process: it is ten times what the slowest of these takes on a machine that is not busy."""


def checked(name: str, size: int) -> tuple[int, float, bool]:
    """The units that one takes, its CPU time, and whether it came to its end."""
    schema, value = VALUES[name](size)
    work, began, is_whole = Work("", EXPRESSIONS_UNITS), time.thread_time(), False
    with Sharing(work), suppress(TooMuchWork):
        problem_of(schema, value)
        is_whole = True
    return EXPRESSIONS_UNITS - work.left, time.thread_time() - began, is_whole


@pytest.mark.parametrize("name", VALUES)
def test_a_check_grows_with_schema_and_value_or_ends_at_its_budget(name: str):
    # Schema and value grow both: each part of the one may be looked at for each part of the other.
    (small, _, _), (large, seconds, is_whole) = (checked(name, 10 * times) for times in (1, 16))
    assert seconds < SECONDS
    assert not is_whole or large < 16 * 16 * 1.5 * small + 5_000


def test_what_is_too_much_for_one_value_says_so():
    with pytest.raises(TooMuchWork) as refused:
        problem_of(*VALUES["allOf"](20))
    assert refused.value.details["place"] == "the value"
    with pytest.raises(TooMuchWork, match="refers to itself without an end"):
        problem_of(*VALUES["itself"](1))


def test_python_reads_no_pattern_of_a_schema():
    schema = {"patternProperties": {r"^x\pL+$": {"type": "string"}}, "additionalProperties": False}
    assert problem_of(schema, {"xé": "a"}) is None
    path, said = problem_of(schema, {"xé": "a", "y": 1, "z": 2}) or ("", "")
    assert (path, said) == ("", r"'y', 'z' do not match any of the regexes: '^x\\pL+$'")
    seen = {
        "allOf": [{"properties": {"a": {}}}, {"$ref": "#/$defs/b"}],
        "$defs": {"b": {"patternProperties": {"^b": {}}}},
    }
    assert problem_of({**seen, "unevaluatedProperties": False}, {"a": 1, "bc": 2}) is None
    path, said = problem_of({**seen, "unevaluatedProperties": False}, {"a": 1, "d": 2}) or ("", "")
    assert said == "Unevaluated properties are not allowed ('d' was unexpected)"
