"""What a step gives has one schema, whoever asks: an expression behind it, its container, the form of a test."""

from itertools import pairwise, product

import pytest

from engine.entries import entries
from engine.fields_read import outputs_read
from engine.json_schema import self_contained
from engine.surroundings import Sample, Spot
from engine.surroundings_within import surroundings
from steps.catalogue import CATALOGUE

LINE = {"id": "line", "type": "transform", "params": {"set": {"amount": 1, "text": "{{ input.text }}"}}}
AFTER = {"id": "after", "type": "noop"}
CONTAINERS = ("map", "loop")
NESTED = [inner for depth in range(3) for inner in product(CONTAINERS, repeat=depth)]
# As the only step, one that gives its input gives the item, of which nothing is known.
STEPS = [(kind, "steps") for kind in CATALOGUE] + [
    (kind, "type") for kind, spec in CATALOGUE.items() if not spec.gives_input
]


def line(*steps):
    edges = [{"from": one["id"], "to": other["id"]} for one, other in pairwise(steps)]
    return {"name": "x", "nodes": list(steps), "edges": edges}


def around(kind, id, body):
    """A container of this kind."""
    params = {"items": "{{ input.list }}"} if kind == "map" else {"until": "iteration > 2"}
    return {"id": id, "type": kind, "params": {**params, "body": body}}


def body_of(form, step):
    return {"steps": [LINE, step]} if form == "steps" else {key: step[key] for key in ("type", "params")}


def given_by(id, definition):
    """The schema that an expression behind the step sees."""
    known = surroundings(definition, CATALOGUE, Sample()).known(Spot("output"))
    return next(value.schema for value in known if value.path == ("steps", id, "output"))


@pytest.mark.parametrize("nested", NESTED, ids="-".join)
@pytest.mark.parametrize(("kind", "form"), STEPS)
def test_an_expression_a_container_and_a_form_know_the_same_of_a_step(kind, form, nested):
    step = {"id": "step", "type": kind, "params": CATALOGUE[kind].example.get("params", {})}
    for at, container in enumerate(nested):
        step = around(container, f"c{at}", body_of(form if at == 0 else "steps", step))
    schema = given_by(step["id"], line(LINE, step))

    held = given_by("each", line(around("map", "each", {"steps": [{**LINE, "id": "first"}, step]})))
    assert (held["properties"]["results"]["items"] or None) == schema

    fields = schema.get("properties", {}) if schema else {}
    holes = {key: f"{{{{ steps.{step['id']}.output[{key!r}] }}}}" for key in fields}
    read = outputs_read(line(LINE, step, {**AFTER, "params": {"x": holes}}), "after", CATALOGUE)
    assert (read[step["id"]]["properties"] if fields else {}) == fields


def test_a_form_knows_the_fields_of_items():
    each = around("map", "each", body_of("steps", {**LINE, "id": "made"}))
    after = {**AFTER, "params": {"x": "{{ prev.results.map(one, one.amount) }}"}}
    items = outputs_read(line(each, after), "after", CATALOGUE)["each"]["properties"]["results"]["items"]
    assert items["properties"]["amount"] == {"type": "integer"}


OTHER = {**LINE, "id": "other"}
WHEN = {"from": "line", "to": "other", "when": "output.amount > 1"}
ASK = {"id": "ask", "type": "human.approval", "params": {"title": "?"}}
REMINDED = {**ASK, "boundary_timers": [{"after_seconds": 1, "to": "other"}]}
FAILED = {"from": "line", "to": "fail", "on": "error"}
FAIL = {"id": "fail", "type": "fail", "params": {"message": "No"}}


@pytest.mark.parametrize(
    ("is_sure", "body", "params"),
    [
        (True, {"steps": [LINE]}, {}),
        (True, {"steps": [LINE, OTHER]}, {}),
        (True, {"steps": [ASK, LINE]}, {}),
        (True, {"steps": [LINE]}, {"count": 2}),
        (False, {"steps": [LINE, OTHER], "edges": [WHEN]}, {}),
        (False, {"steps": [{**LINE, "on_error": "continue"}]}, {}),
        (False, {"steps": [{**ASK, "on_error": "branch"}, LINE]}, {}),
        (False, {"steps": [LINE]}, {"count": "{{ input.n }}"}),
        (None, {"steps": [LINE]}, {"count": 0}),
        (None, {"steps": [LINE, OTHER], "edges": []}, {}),
        (None, {"steps": [REMINDED, OTHER], "edges": []}, {}),
        (None, {"steps": [LINE, OTHER], "edges": [FAILED | {"to": "other"}]}, {}),
        (True, {"steps": [LINE, FAIL], "edges": [FAILED]}, {}),
        (False, {"steps": [{**LINE, "on_error": "branch"}, FAIL], "edges": [FAILED]}, {}),
    ],
)
def test_a_field_is_always_there_if_every_way_through_a_round_gives_it(is_sure, body, params):
    loop = around("loop", "again", body)
    loop["params"] |= params
    found = entries(surroundings(line(loop), CATALOGUE, Sample()).known(Spot("round", "again")))
    assert {one.path: one.always for one in found}.get("output.amount") is is_sure


def test_references_are_followed_to_what_they_point_to():
    part = {"type": "object", "properties": {"$defs": {"type": "string"}}}
    schema = {"properties": {"a": {"$ref": "#/$defs/Part", "title": "A"}}, "$defs": {"Part": part}}
    assert self_contained(schema) == {"properties": {"a": {**part, "title": "A"}}}
    assert self_contained(part) is part


def test_a_schema_that_holds_itself_or_grows_without_measure_is_open():
    own = {"properties": {"next": {"$ref": "#/$defs/Own"}}, "$defs": {"Own": {}}}
    own["$defs"]["Own"] = {"properties": {"next": {"$ref": "#/$defs/Own"}}}
    assert self_contained(own) == {"properties": {"next": {"properties": {"next": {}}}}}
    doubled = {f"d{at}": {"allOf": [{"$ref": f"#/$defs/d{at + 1}"}] * 2} for at in range(40)}
    assert len(str(self_contained({"$ref": "#/$defs/d0", "$defs": doubled}))) < 100_000
