"""What can be read within a body, and with which sample."""

import pytest

from engine.checks import bodies
from engine.entries import entries
from engine.errors import OutOfTime
from engine.preview import Fault, preview
from engine.surroundings import ABSENT, NoSuchPlace, Sample, Spot
from engine.surroundings_within import surroundings
from steps.catalogue import CATALOGUE

DEFINITION = {
    "name": "digest",
    "input_schema": {"type": "object", "properties": {"urls": {"type": "array"}}},
    "nodes": [
        {"id": "load", "type": "transform", "params": {"set": {"n": 1}}},
        {
            "id": "each",
            "type": "map",
            "title": "Each address",
            "params": {
                "items": "{{ input.urls }}",
                "body": {
                    "steps": [
                        {"id": "fetch", "type": "transform", "params": {"set": {"url": "{{ item }}"}}},
                        {"id": "tell", "type": "transform", "params": {"set": {"n": "{{ index }}"}}},
                    ]
                },
            },
        },
        {"id": "one", "type": "map", "params": {"items": [{"x": 1}], "body": {"type": "transform"}}},
        {"id": "again", "type": "loop", "params": {"body": {"type": "noop"}, "until": "output.n > 1"}},
    ],
    "edges": [
        {"from": "load", "to": "each"},
        {"from": "each", "to": "one"},
        {"from": "one", "to": "again"},
    ],
}
SAMPLE = Sample(input={"urls": ["https://a.example", "b"]}, outputs={"load": {"n": 1}, "fetch": {"url": "a"}})


def at(place, node, before_each=None):
    spot = Spot(place, node)
    return surroundings(DEFINITION, CATALOGUE, SAMPLE, node, before_each), spot


def paths(place, node):
    around, spot = at(place, node)
    return [".".join(value.path) for value in around.known(spot)]


def test_the_first_step_of_a_body_sees_the_item_and_what_is_around():
    assert paths("params", "fetch") == [
        "prev",
        "item",
        "index",
        "steps.load.output",
        "input",
        "run",
        "context",
    ]
    around, spot = at("params", "fetch")
    scope = around.scope(spot)
    assert (scope["item"], scope["index"], scope["prev"]) == ("https://a.example", 0, "https://a.example")
    assert scope["steps"] == {"load": {"output": {"n": 1}}}


def test_a_later_step_sees_those_before_it_in_the_body():
    assert paths("params", "tell")[:3] == ["prev", "steps.fetch.output", "item"]
    around, spot = at("params", "tell")
    shown = preview(around, spot, "{{ item }} {{ steps.fetch.output.url }} {{ steps.load.output.n }}")
    assert (shown.value, shown.problems) == ("https://a.example a 1", [])


def test_the_container_itself_and_those_behind_it_see_no_item():
    assert "item" not in paths("params", "each")
    assert "steps.fetch.output" not in paths("params", "one")


def test_one_step_as_a_body_sees_the_item():
    assert paths("body", "one")[:3] == ["item", "index", "prev"]
    around, spot = at("body", "one")
    assert preview(around, spot, "{{ item.x + index }}").value == 1


def test_a_condition_of_a_loop_sees_what_the_round_gave():
    assert paths("round", "again")[:2] == ["output", "iteration"]
    around, spot = at("round", "again")
    assert preview(around, spot, "iteration > 3").value is False
    assert "true or false" in preview(around, spot, "iteration").mismatch


def out_of_time():
    raise OutOfTime("it takes longer than anybody waits")


def test_who_has_no_time_is_told_so_and_gets_no_sample_of_the_items():
    around, spot = at("params", "fetch", out_of_time)
    item = next(value for value in around.known(spot) if value.path == ("item",))
    assert (item.sample, item.schema) == (ABSENT, None)
    assert preview(around, spot, "{{ item }}").fault == Fault("failed", "it takes longer than anybody waits")


def test_the_items_are_looked_at_when_somebody_asks_for_them_and_once():
    asked = []
    around, spot = at("params", "tell", lambda: asked.append(1))
    assert asked == []
    around.known(spot)
    around.scope(spot)
    assert asked == [1]


def nested(depth, wide):
    """Containers in each other, so many beside each other on each level, with a step in the innermost ones."""
    steps = [{"id": f"s{depth}-0", "type": "noop"}]
    for level in reversed(range(depth)):
        steps = [
            {"id": f"c{level}-{at}", "type": "map", "params": {"items": [1], "body": {"steps": inner}}}
            for at, inner in enumerate(
                [[{"id": f"n{level}-{at}", "type": "noop"}] for at in range(wide)] + [steps]
            )
        ]
    return {"name": "deep", "nodes": steps, "edges": []}


def test_only_the_bodies_around_a_step_are_outlined(monkeypatch):
    outlined = []
    real = bodies.outline_of
    monkeypatch.setattr(bodies, "outline_of", lambda *of: outlined.append(of[0]) or real(*of))
    around = surroundings(nested(5, 20), CATALOGUE, SAMPLE, "s5-0")
    assert "s5-0" in around.outline.by_id
    assert len(outlined) == 5


def test_a_step_that_is_nowhere_is_said_to_be_none():
    around, spot = at("params", "nowhere")
    with pytest.raises(NoSuchPlace):
        around.known(spot)


LINE = {"id": "line", "type": "transform", "params": {"set": {"text": "{{ item }}"}}}
ASKED = {"type": "object", "properties": {"all_here": {"type": "boolean", "title": "All here"}}}
ONBOARDING = {
    "name": "onboarding",
    "nodes": [
        {
            "id": "documents",
            "type": "loop",
            "params": {
                "body": {
                    "steps": [
                        {"id": "remind", "type": "noop"},
                        {"id": "ask", "type": "human.form", "params": {"title": "?", "form": ASKED}},
                    ]
                },
                "until": "output.data.all_here",
            },
        },
        {
            "id": "lines",
            "type": "map",
            "params": {
                "items": [1],
                "body": {"type": "map", "params": {"items": [2], "body": {"steps": [LINE]}}},
            },
        },
        {"id": "digest", "type": "noop"},
    ],
    "edges": [{"from": "documents", "to": "lines"}, {"from": "lines", "to": "digest"}],
}


def offered(place, node, definition=ONBOARDING):
    return {
        one.path: one
        for one in entries(surroundings(definition, CATALOGUE, Sample()).known(Spot(place, node)))
    }


def test_a_condition_of_a_loop_is_offered_the_fields_of_the_last_step_of_a_round():
    field = offered("round", "documents")["output.data.all_here"]
    assert (field.type, field.title) == ("boolean", "All here")
    assert offered("params", "lines")["prev.data.all_here"].type == "boolean"


def test_what_the_items_of_items_give_is_known_behind_their_container():
    known = {
        value.path: value.schema
        for value in surroundings(ONBOARDING, CATALOGUE, Sample()).known(Spot("params", "digest"))
    }
    within = known["prev",]["properties"]["results"]["items"]["properties"]["results"]["items"]
    assert [*within["properties"]] == ["text"]


@pytest.mark.parametrize(
    "body",
    [
        {"steps": [LINE, {**LINE, "id": "other"}], "edges": []},
        {"steps": [LINE, {"id": 1}]},
        {"steps": [{**LINE, "type": "noop"}]},
        {"steps": [{**LINE, "type": "unknown"}]},
        {"steps": "none", "edges": 1},
        {"workflow": "another"},
        {"type": ["map"]},
        {"type": "loop", "params": {"body": 1}},
        "none",
        None,
    ],
)
def test_of_a_body_whose_result_is_not_known_nothing_is_said(body):
    loop = {"id": "again", "type": "loop", "params": {"body": body, "until": "output"}}
    paths = offered("round", "again", {"name": "x", "nodes": [loop], "edges": []})
    assert paths["output"].type == "any"
