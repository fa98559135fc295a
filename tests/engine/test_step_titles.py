"""What steps are called, whatever shape a draft has."""

import pytest

from engine.checks.outline import Limits, outline_of
from engine.graph import compile_graph
from engine.step_titles import card_lines, step_title
from steps.catalogue import CATALOGUE, EXECUTABLE


@pytest.mark.parametrize(
    ("step", "title", "lines"),
    [
        (
            {"id": "charge", "type": "job", "title": "Take the money"},
            "Take the money",
            ("Take the money", "External job"),
        ),
        ({"id": "charge", "type": "job"}, "External job (charge)", ("External job", "charge")),
        ({"id": "charge", "type": "job", "title": " "}, "External job (charge)", ("External job", "charge")),
        ({"id": "charge", "type": "job", "title": 7}, "External job (charge)", ("External job", "charge")),
        ({"id": "charge", "type": "their.own"}, "their.own (charge)", None),
        ({"id": "charge", "type": ["job"]}, "charge", None),
        ({"id": "charge"}, "charge", None),
    ],
)
def test_a_step_is_called_by_its_title_or_by_its_type_and_id(step, title, lines):
    assert step_title(step, CATALOGUE) == title
    outline = outline_of({"nodes": [step], "edges": []}, CATALOGUE, Limits())
    assert [one.title for one in outline.nodes] == [title]
    if lines:
        assert card_lines(title, "charge", "External job") == lines


def test_every_node_of_a_graph_has_a_title():
    inner = {"steps": [{"id": "low", "type": "noop"}]}
    each = {
        "id": "each",
        "type": "map",
        "params": {"items": [1], "body": inner},
        "compensate": {"type": "job"},
    }
    graph = compile_graph({"nodes": [each], "edges": []}, EXECUTABLE)
    assert {name: node.title for name, node in graph.steps.items()} == {
        "each": "For each item (each)",
        "each:compensate": "Undo For each item (each)",
    }
    body = graph.nodes["each"].body
    assert body is not None
    assert body.part is not None
    assert body.part.nodes["low"].title == "Do nothing (low)"
