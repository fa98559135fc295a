"""Bodies as entries of a document, by the vectors that the builder's own tests check, too (`frontend/test/`)."""

import json
from pathlib import Path

import pytest

from workflows.document.changes import keyed, unkeyed

VECTORS = json.loads((Path(__file__).parent / "body_vectors.json").read_text())
IDS = [vector["name"].replace(" ", "_") for vector in VECTORS]


@pytest.mark.parametrize("vector", VECTORS, ids=IDS)
def test_bodies_are_here_what_they_are_in_the_builder(vector):
    definition, document = vector["definition"], vector["document"] | {"settings": {}, "layout": {}}
    assert unkeyed(document) == (definition, {})
    if not vector.get("folds_only"):
        made = keyed(definition, {})
        assert made == document
        assert [list(made[root]) for root in ("nodes", "edges")] == [
            list(document[root]) for root in ("nodes", "edges")
        ]
