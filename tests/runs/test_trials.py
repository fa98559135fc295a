"""Test runs in the database: with every step pinned they go the way that the run goes in memory."""

import random

import pytest

from engine.graph import compile_graph
from engine.outcomes import Failed
from engine.simulate import simulate
from steps.catalogue import EXECUTABLE
from tests import factories as make
from tests.engine.strategies import BYTES, case_from
from tests.engine.telling import play
from tests.families import shown
from workflows.trials.rewrite import TrialOptions, trial_definition

pytestmark = pytest.mark.django_db


def _cases():
    """Cases in which no timer has a say."""
    drawn = (case_from(random.Random(seed).randbytes(BYTES), races=False) for seed in range(80))
    return [
        case
        for case in drawn
        if not case.rung and all(kind != "interrupted" for kind, _ in case.script.values())
    ]


@pytest.mark.parametrize("case", shown(_cases(), 15), ids=lambda case: "")
def test_a_test_with_every_step_pinned_goes_the_way_of_the_run(case):
    real = play(case, case.order.pick())
    pins = {name: step.output for name, step in real.steps.items() if step.status == "COMPLETED"}
    errors = {name: step.error for name, step in real.steps.items() if step.status == "FAILED"}
    made = trial_definition(case.definition, TrialOptions(pins=pins, errors=errors))
    compiled = compile_graph(made.definition, EXECUTABLE)
    in_memory = simulate(
        compiled, case.run_input, lambda *_: Failed({"code": "Reached", "message": "was not"})
    )

    (run_id,) = make.start(made.definition, case.run_input)
    make.work()

    run = make.run(run_id)
    assert run.status == in_memory.status
    if run.status == "COMPLETED":
        assert run.output == in_memory.output
        assert make.statuses(run_id) == {name: str(step.status) for name, step in in_memory.steps.items()}
