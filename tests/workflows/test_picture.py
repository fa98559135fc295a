"""What the picture of a definition is drawn from."""

import pytest

from engine.limits import WORKFLOW_NODES
from tests import factories as make
from workflows.design.picture import picture


def test_it_has_steps_and_ways_without_what_they_are_told():
    definition = make.graph(
        [
            {"id": "ask", "type": "http.request", "title": "Ask", "params": {"headers": {"x": "secret"}}},
            "end",
        ],
        [{"from": "ask", "to": "end", "when": "status == 200"}],
    )
    layout = {"nodes": {"ask": {"x": 1, "y": 2}}, "collapsed": {"each": True}}
    told = picture(definition, {**layout, "viewport": {"zoom": 3}})
    assert told is not None
    assert told["definition"] == {
        "nodes": [{"id": "ask", "type": "http.request", "title": "Ask"}, {"id": "end", "type": "noop"}],
        "edges": [{"from": "ask", "to": "end", "when": "status == 200"}],
    }
    assert told["layout"] == layout
    assert told["faces"]["http.request"] == {"title": "HTTP request", "icon": "globe", "group": "integration"}
    assert "secret" not in str(told)


def test_a_type_that_is_not_known_here_has_a_face_all_the_same():
    told = picture({"nodes": [{"id": "a", "type": "their.own"}], "edges": []}, {})
    assert told is not None
    assert told["faces"] == {"their.own": {"title": "their.own", "icon": "circle-help", "group": "unknown"}}


def test_the_short_dialect_is_drawn_as_its_steps():
    told = picture(
        {"steps": [{"id": "a", "type": "text.clean", "next": ["b"]}, {"id": "b", "type": "text.keywords"}]},
        {},
    )
    assert told is not None
    assert [step["id"] for step in told["definition"]["nodes"]] == ["a", "b"]
    assert [(way["from"], way["to"]) for way in told["definition"]["edges"]] == [("a", "b")]


@pytest.mark.parametrize(
    "draft",
    [
        {},
        {"nodes": []},
        {"nodes": "many"},
        {"nodes": ["a"], "edges": []},
        {"nodes": [{"id": "a"}], "edges": []},
        {"nodes": [{"type": "noop"}], "edges": []},
        {"nodes": [{"id": "a", "type": "noop"}], "edges": "none"},
        {"steps": 5},
        {
            "nodes": [{"id": f"s{number}", "type": "noop"} for number in range(WORKFLOW_NODES + 1)],
            "edges": [],
        },
    ],
)
def test_what_can_not_be_drawn_has_none(draft):
    assert picture(draft, {}) is None


def test_what_a_container_does_is_in_it():
    steps = [
        {"id": "a", "type": "http.request", "params": {"headers": {"x": "secret"}}},
        {"id": "b", "type": "noop"},
    ]
    params = {
        "items": "secret",
        "body": {"steps": steps, "edges": [{"from": "a", "to": "b", "when": "true"}]},
    }
    told = picture(make.graph([{"id": "each", "type": "map", "params": params}], []), {})
    assert told is not None
    [each] = told["definition"]["nodes"]
    assert each["params"] == {
        "body": {
            "steps": [{"id": "a", "type": "http.request"}, {"id": "b", "type": "noop"}],
            "edges": [{"from": "a", "to": "b", "when": "true"}],
        }
    }
    assert set(told["faces"]) == {"map", "http.request", "noop"}
    assert "secret" not in str(told)
