"""No walk through a schema takes more than its share for one that is small and refers to itself; counted in calls."""

import sys
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

import pytest

from engine.catalogue import Json
from engine.errors import TooMuchWork
from engine.json_schema import any_properties, clash, schema_faults
from engine.validate import validate
from lib import refusals
from lib.forms.schema_forms import SchemaForms
from steps.catalogue import CATALOGUE
from steps.schema import fits
from tests.growth.schemas import SCHEMAS, Schema
from workflows.design.samples import example_of
from workflows.document.specimens import specimen

MOST_CALLS = 4_000_000
TEXT: Schema = {
    "type": "object",
    "required": ["text"],
    "properties": {"text": {"anyOf": [{"type": "string"}, {"$ref": "#"}]}},
}


def definition(schema: Schema) -> Json:
    """The schema wherever an author writes one."""
    ask = {"id": "ask", "type": "human.form", "params": {"title": "A", "form": schema}}
    tell = {"id": "tell", "type": "llm.prompt", "params": {"prompt": "A", "json_schema": schema}}
    nodes = [{"id": f"n{at}", "type": "text.clean"} for at in range(20)]
    edges = [{"from": name, "to": f"n{at}"} for name in ("ask", "tell") for at in range(20)]
    return {"name": "a", "input_schema": schema, "nodes": [ask, tell, *nodes], "edges": edges}


WALKS: dict[str, Callable[[Schema], object]] = {
    "any_properties": any_properties,
    "clash": lambda schema: (clash(schema, TEXT), clash(TEXT, schema), clash(schema, schema)),
    "schema_faults": lambda schema: list(schema_faults(schema, "")),
    "specimen": specimen,
    "example_of": example_of,
    "form": SchemaForms(fits).form_of,
    "validate": lambda schema: validate(definition(schema), CATALOGUE),
}


class TooManyCalls(BaseException):
    """The walk would not come to its end in the time of a test."""


def calls(walk: Callable[[Schema], object], schema: Schema) -> tuple[int, bool]:
    """How many functions are called, and whether it came to its end before its budget did.

    Raises TooManyCalls in the midst of a walk that calls more than a walk may.
    """
    count, is_whole = 0, False

    def called(_: FrameType, event: str, __: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")
        if count > MOST_CALLS:
            raise TooManyCalls

    sys.setprofile(called)
    try:
        with suppress(TooMuchWork, refusals.TooMuchWork):
            walk(schema)
            is_whole = True
    finally:
        sys.setprofile(None)
    return count, is_whole


@pytest.mark.parametrize("walk", WALKS)
@pytest.mark.parametrize("name", SCHEMAS)
def test_a_walk_grows_with_the_schema_or_ends_at_its_budget(name: str, walk: str):
    (small, _), (middle, _), (large, is_whole) = (
        calls(WALKS[walk], SCHEMAS[name](10 * times)) for times in (1, 4, 16)
    )
    assert not is_whole or large < 16 * 1.5 * small + 5_000 or large < 4 * 1.5 * middle
