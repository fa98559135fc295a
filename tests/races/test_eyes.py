"""Four eyes over a tree while others act: nobody decides twice, and nobody waits for one another."""

import pytest

from lib.refusals import NotAllowed
from runs.commands import operators
from tasks_inbox.models import ManualTask, TaskDecision
from tests import factories as make
from tests.inbox.asking import again, decide, member
from tests.races.staging import blocked, holding


def ask(name):
    return {
        "id": name,
        "type": "human.approval",
        "params": {"title": "?", "due_seconds": 60, "exclude_deciders": True},
    }


def tree():
    """The tasks of a run, and of an item of it."""
    body = {"steps": [{"id": "slow", "type": "noop"}, ask("inner")]}
    each = {"id": "m", "type": "map", "params": {"items": [1], "body": body}}
    (run,) = make.start(make.graph([each, ask("outer")], []))
    make.work()
    inner, outer = ManualTask.unsafe_all_tenants.filter(status="OPEN").order_by("node")
    return run, inner, outer


@pytest.mark.parametrize("first", [0, 1])
def test_who_decides_above_and_below_at_the_same_moment_does_so_once(rounds, first):
    ann, bob = member("ann", "admin"), member("bob", "admin")
    for _ in rounds:
        _, *tasks = tree()
        one, other = tasks[first], tasks[1 - first]
        with holding(lambda one=one: decide(ann, one), before="complete_task"):
            second = blocked(lambda other=other: decide(ann, other))
        with pytest.raises(NotAllowed, match="above or below"):
            second.end()
        assert again(other).status == "OPEN"
        decide(bob, other)
        make.work()


def test_a_container_is_skipped_while_somebody_decides_in_it_and_both_are_written_down(rounds):
    ann, bob, cat = (member(name, "admin") for name in ("ann", "bob", "cat"))
    for _ in rounds:
        run, inner, outer = tree()
        before = TaskDecision.unsafe_all_tenants.count()
        terms = {"by": "bob", "reason": "So it is.", "who": bob}
        with holding(lambda inner=inner: decide(ann, inner), before="complete_task"):
            skip = blocked(
                lambda run=run, terms=terms: operators.skip_step(bob.tenant_id, run, "m", None, **terms)
            )
        skip.end()
        make.work()
        assert TaskDecision.unsafe_all_tenants.count() == before + 2
        assert make.statuses(run)["m"] == "SKIPPED"
        decide(cat, outer)
        make.work()
