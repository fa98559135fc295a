"""Steps that stay with their worker, within bounds that keep others from waiting (docs/engine.md, "Claim")."""

import pytest

from runs.kernel.advance import advance
from runs.kernel.plan import Affinity
from runs.limits import KEPT_STEPS
from runs.store.attempts import Succeeded
from tests import factories as make

pytestmark = pytest.mark.django_db

LONG = make.chain(*["noop"] * 20)


def hops(definition, worker="w"):
    """How many steps a worker gets in a row without claiming."""
    run_id = make.start(definition, {"n": 1})[0]
    hand, count = make.claimed(worker=worker), 0
    while hand:
        kept = advance(
            [(step, Succeeded(step.input)) for step in hand], Affinity(worker, "default", 100)
        ).kept
        make.scopes.load(kept)
        hand, count = kept, count + bool(kept)
    return run_id, count


def test_a_run_stays_with_its_worker_for_eight_steps_in_a_row():
    run_id, count = hops(LONG)

    assert count == KEPT_STEPS
    assert list(make.statuses(run_id).values()).count("QUEUED") == 1
    make.work()
    assert make.run(run_id).status == "COMPLETED"


def test_joins_on_the_way_do_not_begin_the_count_anew():
    names = [f"{kind}{place}" for place in range(8) for kind in "abc"]
    edges = []
    for place in range(8):
        edges += [f"a{place}>b{place}", f"a{place}>c{place}"]
        if place < 7:
            edges += [f"b{place}>a{place + 1}", f"c{place}>a{place + 1}"]

    assert hops(make.graph(names, edges))[1] <= KEPT_STEPS


def test_no_more_than_the_budget_stays():
    make.start(make.chain("noop", "noop"), *[{}] * 10)

    result = advance([(step, Succeeded({})) for step in make.claimed()], Affinity("w", "default", 3))

    assert len(result.kept) == 3
    assert len(make.claimed()) == 7


def test_what_goes_on_elsewhere_does_not_stay():
    run_id = make.start(make.graph(["a", {"id": "b", "queue": "blocking"}], ["a>b"]))[0]

    result = advance([(step, Succeeded({})) for step in make.claimed()], Affinity("w", "default", 3))

    assert (result.kept, result.wake) == ([], {"blocking"})
    assert make.statuses(run_id)["b"] == "QUEUED"


def test_a_kept_step_is_leased_like_a_claimed_one(clock):
    run_id = make.start(make.chain("noop", "noop"), {"n": 1})[0]
    kept = advance(
        [(step, Succeeded({"a": 1})) for step in make.claimed()], Affinity("w", "default", 3)
    ).kept[0]

    step = make.steps(run_id)["b"]
    assert (step.status, step.worker, step.epoch, step.attempt) == ("RUNNING", "w", 1, 1)
    assert (step.lease_expires_at - clock.now).seconds == step.lease_seconds
    assert (kept.id, kept.epoch, kept.input) == (str(step.id), 1, {"a": 1})


def test_nothing_is_kept_of_an_outcome_that_was_dropped():
    make.start(make.chain("noop", "noop"))
    step = make.claimed()[0]
    step.epoch += 1

    result = advance([(step, Succeeded({}))], Affinity("w", "default", 3))

    assert (result.kept, result.wake, result.applied) == ([], set(), set())


def test_the_budget_is_not_used_up_by_a_transaction_that_was_rolled_back():
    """A run that fails behind its join is taken out and the rest is written again."""
    bad = make.graph(
        ["a", "b", {"id": "c", "type": "transform", "params": {"set": {"x": "{{ prev.no.no }}"}}}],
        ["a>c", "b>c"],
    )
    failing = make.start(bad)[0]
    make.start(make.chain("noop", "noop"), *[{}] * 3)

    result = advance([(step, Succeeded({})) for step in make.claimed()], Affinity("w", "default", 3))

    assert make.run(failing).status == "FAILED"
    assert len(result.kept) == 3
