"""A step whose input can't be made is over before any worker saw it; what follows reads all it needs."""

import pytest

from tests import factories as make

pytestmark = pytest.mark.django_db

UNMAPPABLE = {"id": "b", "input": {"x": "{{ prev.missing }}"}, "on_error": "continue"}


def test_the_conditions_behind_a_step_whose_mapping_failed_see_the_run_s_input_and_earlier_outputs():
    edges = [
        "a>b",
        {"from": "b", "to": "c", "when": "input.n == 1"},
        {"from": "b", "to": "d", "when": "steps.a.output.n == 1"},
        {"from": "b", "to": "e", "when": "input.n == 2"},
    ]
    run_id = make.start(make.graph(["a", UNMAPPABLE, "c", "d", "e"], edges), {"n": 1})[0]

    make.work()

    assert make.statuses(run_id) == {
        "a": "COMPLETED",
        "b": "FAILED",
        "c": "COMPLETED",
        "d": "COMPLETED",
        "e": "SKIPPED",
    }


def test_the_mapping_behind_a_join_whose_mapping_failed_sees_earlier_outputs():
    definition = make.graph(
        ["a", "x", UNMAPPABLE, {"id": "c", "input": {"n": "{{ steps.a.output.n }}", "m": "{{ input.n }}"}}],
        ["a>b", "x>b", "b>c"],
    )
    run_id = make.start(definition, {"n": 1})[0]

    make.work()

    assert make.run(run_id).output == {"n": 1, "m": 1}
