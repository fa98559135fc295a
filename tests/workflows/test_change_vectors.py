"""The rules of changes, by the vectors that the builder's own tests check, too (`frontend/test/`)."""

import json
from pathlib import Path

import pytest

from tests.workflows.documents import inverse, same_document
from workflows.document.change_requests import read_groups
from workflows.document.changes import NOTHING, Change, Group, apply, diff

KEY = "0192f3a4-7f3e-7c55-8a7e-0a4b9d1c2e3f"
VECTORS = json.loads((Path(__file__).parent / "change_vectors.json").read_text())


def group_of(changes):
    """The group as it is read; or as it stands, where a step is no object: nobody can send that."""
    if all(isinstance(change.get("to", {}), dict) for change in changes if len(change["path"]) == 2):
        return read_groups([{"id": KEY, "label": "", "changes": changes}])[0]
    made = [
        Change(tuple(change["path"]), *(change.get(part, NOTHING) for part in ("from", "to", "at", "was_at")))
        for change in changes
    ]
    return Group(KEY, "", tuple(made))


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"].replace(" ", "_") for vector in VECTORS])
def test_changes_do_here_what_they_do_in_the_builder(vector):
    before, after = vector["before"], vector["after"]
    group = group_of(vector["changes"])
    made = apply(before, [group])
    assert same_document(made.document, before if after is None else after)
    assert bool(made.conflicts) == (after is None)
    if after is None:
        return
    undone = Group(group.id, "", tuple(inverse(change) for change in reversed(group.changes)))
    assert same_document(apply(made.document, [undone]).document, vector.get("undone", before))
    led_back = Group(group.id, "", tuple(diff(made.document, before)))
    assert same_document(apply(made.document, [led_back]).document, before)
