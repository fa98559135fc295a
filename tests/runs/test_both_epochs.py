"""A worker that lost a step and was given it again may report both epochs in one batch: the lost one has no effect."""

from dataclasses import replace

import pytest

from runs.kernel.advance import advance
from runs.store import hot
from runs.store.attempts import Errored, Succeeded
from tests import factories as make

pytestmark = pytest.mark.django_db


def a_stale_and_a_live_claim(definition):
    """A run whose step `a` is claimed once; and that claim as it was one epoch before."""
    run_id = make.start(definition)[0]
    (live,) = [step for step in hot.claim(queue="default", worker="w", cursor=0, limit=9) if step.node == "a"]
    live.scope = {"vars": {}}
    return run_id, replace(live, epoch=live.epoch - 1), live


@pytest.mark.parametrize("stale_first", [True, False])
def test_the_join_behind_it_counts_one_arrival(stale_first):
    definition = make.graph(["a", {"id": "b", "type": "job"}, "j"], ["a>j", "b>j"])
    run_id, stale, live = a_stale_and_a_live_claim(definition)
    endings = [(stale, Succeeded("stale")), (live, Succeeded("live"))]

    advance(endings if stale_first else endings[::-1])

    assert make.steps(run_id)["a"].output == "live"
    join = make.joins(run_id)["j"]
    assert (join.arrived, join.taken) == (1, ["a"])
    assert "j" not in make.steps(run_id)


def test_a_stale_failure_does_not_fail_the_run_that_the_live_completion_moves_on():
    run_id, stale, live = a_stale_and_a_live_claim(make.graph("ab", ["a>b"]))
    final = Errored({"code": "Stale", "message": "This was the lost attempt."})

    advance([(stale, final), (live, Succeeded({}))])

    assert make.run(run_id).status == "RUNNING"
    assert make.statuses(run_id) == {"a": "COMPLETED", "b": "QUEUED"}
