"""Whatever a draft holds, it has a scope, previews and fixes, and a step in it gets another id."""

import json
from dataclasses import replace
from itertools import pairwise

import orjson
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from engine.entries import entries
from engine.preview import preview
from engine.renaming import rename_step
from engine.surroundings import NoSuchPlace, Sample, Spot
from engine.surroundings_within import surroundings
from lib.strict_json import BadJson, same, strict_loads
from steps.catalogue import CATALOGUE
from tests.engine.test_validate_anything import QUICK, documents, junk
from workflows.checking.check import check
from workflows.design.samples import chosen

pytestmark = pytest.mark.slow

SPOTS = [
    *(Spot(place, node="a") for place in ("params", "input", "compensate")),
    Spot("when", source="a"),
    Spot("output"),
    Spot("business_key"),
]
TEXTS = ["{{ steps.a.output.x }}", "{{ prev }} {{ input.a }}", "steps.b.output > 1", "{{", ""]


def as_sent(value):
    """The value as it comes through the gate of JSON."""
    try:
        return strict_loads(json.dumps(value, ensure_ascii=False).encode(), max_bytes=1_000_000)
    except (BadJson, ValueError):
        assume(False)


@QUICK
@given(documents, st.dictionaries(st.sampled_from("ab"), junk), st.sampled_from(SPOTS))
def test_it_has_a_scope_and_previews(document, pins, spot):
    document, pins = as_sent(document), as_sent(pins)
    assume(isinstance(document, dict))
    found = chosen(document, None, workflow="x", tenant="t", pins=pins)
    around = surroundings(document, CATALOGUE, found.sample)
    try:
        around.known(replace(spot, keys=("title",)))
        told = [entry.as_dict() for entry in entries(around.known(spot))]
        for text in TEXTS:
            for keys in (("set", 0, "x"), ("title",)):
                preview(around, replace(spot, keys=keys), text)
    except NoSuchPlace:
        return
    orjson.dumps(told)
    assert all(isinstance(entry["always"], bool) for entry in told)


@QUICK
@given(documents)
def test_it_has_fixes_that_can_be_sent(document):
    document = as_sent(document)
    orjson.dumps(check(document, name="x").as_dicts())


@QUICK
@given(documents, st.sampled_from(["b", "in", "a-b"]))
@example({"nodes": [{"id": [], "input": 1}]}, "b")
def test_a_step_gets_another_id(document, new):
    document = as_sent(document)
    assume(isinstance(document, dict))
    made = rename_step(document, "a", new, catalogue=CATALOGUE)
    assert bool(made.changed) != same(made.definition, document)


@pytest.mark.parametrize("spot", SPOTS)
def test_a_long_chain_is_no_deep_recursion(spot):
    nodes = [{"id": "a", "type": "noop"}, *({"id": f"n{at}", "type": "noop"} for at in range(400))]
    ids = [node["id"] for node in nodes]
    edges = [{"from": one, "to": other} for one, other in pairwise(ids)]
    around = surroundings({"nodes": nodes, "edges": edges[::-1]}, CATALOGUE, Sample(input={"x": 1}))
    assert entries(around.known(spot))
