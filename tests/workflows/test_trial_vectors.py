"""What a test run skips, by the vectors that the builder's own tests check, too (`frontend/test/`)."""

import json
from pathlib import Path

import pytest

from workflows.trials.rewrite import TrialOptions, trial_definition

VECTORS = json.loads((Path(__file__).parent / "trial_vectors.json").read_text())
IDS = [vector["name"].replace(" ", "_") for vector in VECTORS]


@pytest.mark.parametrize("vector", VECTORS, ids=IDS)
def test_a_test_run_skips_what_the_builder_says(vector):
    trial = trial_definition({"name": "ours", "nodes": vector["nodes"], "edges": []}, TrialOptions())
    skipped = sorted(one.node for one in trial.stubbed)
    assert skipped == sorted([*vector["effects"], *vector["waits"]])
