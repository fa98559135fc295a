"""The rules of changes, by the vectors that the builder's own tests check, too (`frontend/test/`)."""

import json
from pathlib import Path
from uuid import uuid4

import pytest

from workflows.document.change_requests import read_groups
from workflows.document.changes import Group, apply, diff, inverse, unkeyed

VECTORS = json.loads((Path(__file__).parent / "change_vectors.json").read_text())


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"].replace(" ", "_") for vector in VECTORS])
def test_changes_do_here_what_they_do_in_the_builder(vector):
    before, after = vector["before"], vector["after"]
    [group] = read_groups([{"id": str(uuid4()), "label": "", "changes": vector["changes"]}])
    made = apply(before, [group])
    assert unkeyed(made.document) == unkeyed(before if after is None else after)
    assert bool(made.conflicts) == (after is None)
    if after is None:
        return
    undone = Group(group.id, "", tuple(inverse(change) for change in reversed(group.changes)))
    assert unkeyed(apply(made.document, [undone]).document) == unkeyed(before)
    led_back = Group(group.id, "", tuple(diff(made.document, before)))
    assert unkeyed(apply(made.document, [led_back]).document) == unkeyed(before)
