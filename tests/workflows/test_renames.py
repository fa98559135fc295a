"""Which steps get another id by changes."""

import pytest

from tests.workflows.documents import inverses
from workflows.document.changes import diff, keyed
from workflows.document.renames import renamed


def steps(**types):
    nodes = [
        {"id": name, **(body if isinstance(body, dict) else {"type": body})} for name, body in types.items()
    ]
    return keyed({"name": "flow", "nodes": nodes, "edges": []}, {})


CLEAN = {"type": "text.clean", "title": "Clean it"}


@pytest.mark.parametrize(
    ("before", "after", "ids"),
    [
        ({"a": CLEAN, "b": "noop"}, {"c": CLEAN, "b": "noop"}, {"a": "c"}),
        ({"a": CLEAN, "b": "noop"}, {"b": CLEAN, "a": "noop"}, {}),
        ({"a": CLEAN, "b": "noop"}, {"x": CLEAN, "y": "noop"}, {"a": "x", "b": "y"}),
        # Its own text reads it: more than the id changes.
        (
            {"a": {**CLEAN, "params": {"note": "{{ steps.a.output }}"}}},
            {"b": {**CLEAN, "params": {"note": "{{ steps.b.output }}"}}},
            {"a": "b"},
        ),
        ({"a": CLEAN}, {"b": "noop"}, {}),
        ({"a": "noop", "b": "noop"}, {"c": "noop", "d": "noop"}, {}),
        ({"a": CLEAN}, {}, {}),
        ({}, {"a": CLEAN}, {}),
    ],
)
def test_a_step_that_is_as_it_was_under_another_id_is_the_same_step(before, after, ids):
    changes = diff(steps(**before), steps(**after))
    assert renamed(changes) == ids
    assert renamed(inverses(changes)) == {new: old for old, new in ids.items()}
