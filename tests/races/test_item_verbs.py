"""Verbs on an item against its own end, a claim of it and each other: it is counted once, and who is late is told."""

import pytest

from runs.commands import operators
from runs.commands.targets import ItemPlace
from runs.kernel.refused import RunRefused
from runs.models import Container
from tests import factories as make
from tests.races.staging import Actor, blocked, holding

MAPPED = make.mapped({"type": "noop", "retry": "none"}, tolerate_failures=2)


def opened():
    """A run of a map of two items, of which a worker has both."""
    run_id = make.start(MAPPED, {"items": [1, 2]})[0]
    make.work("engine")
    return run_id, sorted(make.claimed(), key=lambda step: step.index)


def act(run_id, verb, index=0):
    place = ItemPlace(run_id, "each", index)
    return lambda: operators.act(make.a_tenant().pk, place, verb, output="by hand", by="ann")


def counts(run_id):
    row = Container.unsafe_all_tenants.get(run_id=run_id)
    return row.opened, row.ended, row.failed


def test_an_item_that_completes_behind_its_cancel_is_counted_once(rounds):
    for _ in rounds:
        run_id, (first, second) = opened()
        with holding(act(run_id, "cancel"), before="advance"):
            late = blocked(lambda first=first: make.complete(first))
        late.end()
        assert counts(run_id) == (2, 1, 1)
        make.complete(second)
        make.work()
        assert make.steps(run_id)["each"].output["results"][0]["error"]["code"] == "ItemCancelled"


def test_a_cancel_behind_the_end_of_its_item_is_told(rounds):
    for _ in rounds:
        run_id, (first, second) = opened()
        with holding(lambda first=first: make.complete(first), before="count_children"):
            cancel = blocked(act(run_id, "cancel"))
        with pytest.raises(RunRefused, match="it is done"):
            cancel.end()
        assert counts(run_id) == (2, 1, 0)
        make.complete(second)
        make.work()
        assert make.run(run_id).output == {"results": [1, 2]}


def test_the_last_item_ends_while_a_failed_one_is_tried_again(rounds):
    for _ in rounds:
        run_id, (first, second) = opened()
        make.fail(first)
        with holding(act(run_id, "retry"), before="withdraw_item"):
            last = blocked(lambda second=second: make.complete(second))
        last.end()
        assert counts(run_id) == (2, 1, 0)
        make.work()
        assert make.run(run_id).output == {"results": [1, 2]}


def test_a_retry_behind_the_end_of_the_container_is_told(rounds):
    for _ in rounds:
        run_id, (first, second) = opened()
        make.fail(first)
        with holding(lambda second=second: make.complete(second), before="containers_over"):
            retry = blocked(act(run_id, "retry"))
        with pytest.raises(RunRefused, match="its container is COMPLETED"):
            retry.end()
        make.work()
        assert make.run(run_id).status == "COMPLETED"


def test_two_who_skip_an_item_skip_it_once(rounds):
    for _ in rounds:
        run_id, (first, second) = opened()
        make.fail(first)
        with holding(act(run_id, "skip"), before="pass_item"):
            other = blocked(act(run_id, "skip"))
        with pytest.raises(RunRefused, match="it is done"):
            other.end()
        assert counts(run_id) == (2, 1, 0)
        make.complete(second)
        make.work()
        assert make.run(run_id).output == {"results": ["by hand", 2]}


@pytest.mark.parametrize(("verb", "before"), [("pause", "hold_item"), ("skip", "advance")])
def test_a_claim_that_was_first_has_the_item(rounds, verb, before):
    for _ in rounds:
        run_id = make.start(MAPPED, {"items": [1, 2]})[0]
        make.work("engine")
        actor = Actor(act(run_id, verb), before=before).until_halted()
        held = make.claimed()
        with pytest.raises(RunRefused, match="A worker took the step"):
            actor.end()
        make.complete(*held)
        make.work()
        assert make.run(run_id).output == {"results": [1, 2]}
