"""Runs that begin others: a step waits for a run of its own, and a run follows when another has completed."""

import pytest

from runs.kernel import messages
from runs.models import Run, RunMessage
from tests import factories as make
from tests.store.watching import watching

pytestmark = pytest.mark.django_db

CHILD = make.graph(["x"], []) | {"name": "child"}


def parent(workflow="child", node=None, **params):
    """A definition with a step `sub` that runs this workflow, and a step `after` it."""
    sub = {"id": "sub", "type": "subworkflow", "params": {"workflow": workflow, **params}, **(node or {})}
    return make.graph([sub, "after"], ["sub>after"]) | {"name": "parent"}


def published(definition):
    """It under its own name, which others give."""
    return make.VersionFactory(workflow__tenant=make.a_tenant(), workflow__draft_definition=definition)


def begun(definition, given):
    """The id of a run of this definition, published under its own name."""
    return make.start_version(published(definition), given)[0]


def children_of(run_id):
    """The runs that a run began, in their order."""
    return list(Run.unsafe_all_tenants.filter(parent_id=run_id).order_by("id"))


def started(child=CHILD, given=None, **how):
    """A run whose step `sub` waits for a run of `child`, and the id of that."""
    published(child)
    run_id = begun(parent(**how), given or {"n": 1})
    make.work("engine")
    return run_id, *(str(one.pk) for one in children_of(run_id))


def test_a_step_waits_for_a_run_of_its_own_and_gives_what_that_gives():
    run_id, child = started()
    assert make.statuses(run_id) == {"sub": "WAITING"}
    assert make.run(child).input == {"n": 1}
    make.work()

    assert make.run(run_id).status == "COMPLETED"
    assert make.steps(run_id)["sub"].output == {"n": 1}
    assert make.run(child).depth == 1
    assert not RunMessage.unsafe_all_tenants.exists()


def test_its_input_is_what_the_step_says():
    run_id, child = started(input={"twice": "{{ input.n * 2 }}"})
    assert make.run(child).input == {"twice": 2}
    make.work()
    assert make.run(run_id).output == {"twice": 2}


def test_a_child_that_fails_fails_its_step():
    run_id, child = started(
        make.graph([{"id": "x", "type": "transform", "params": {"set": {"a": "{{ input.none }}"}}}], [])
        | {"name": "child"}
    )
    make.work()
    error = make.steps(run_id)["sub"].error
    assert (error["code"], error["details"]["run"]) == ("ChildFailed", child)
    assert make.run(run_id).status == "FAILED"


@pytest.mark.parametrize(
    ("params", "reason"),
    [
        ({"workflow": "nobody"}, "not_found"),
        ({"version": 7}, "not_found"),
        ({"input": {"n": "x"}}, "invalid_input"),
    ],
)
def test_what_can_not_be_started_fails_the_step(params, reason):
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    run_id, *_ = started({**CHILD, "input_schema": schema}, **params)
    error = make.steps(run_id)["sub"].error
    assert (error["code"], error["details"]["reason"]) == ("ChildNotStarted", reason)


def test_a_workflow_that_begins_itself_ends_at_the_limit(settings):
    settings.HANDOFF_TREE_DEPTH = 3
    run_id = begun(parent("parent"), {})
    make.work()
    assert make.run(run_id).status == "FAILED"
    assert Run.unsafe_all_tenants.count() == 4


def test_cancelling_goes_down():
    run_id, child = started()
    make.cancel(run_id)
    make.work("engine")
    assert make.run(child).status == "CANCELLED"
    assert make.statuses(child) == {"x": "CANCELLED"}


def test_a_child_that_is_cancelled_fails_its_step():
    run_id, child = started()
    make.cancel(child)
    make.work("engine")
    assert make.run(run_id).status == "FAILED"
    assert make.steps(run_id)["sub"].error["code"] == "ChildCancelled"


def test_pausing_goes_down_and_up_again():
    run_id, child = started()
    make.pause(run_id)
    make.work("engine")
    assert make.run(child).status == "PAUSED"
    make.unpause(run_id)
    make.work()
    assert make.run(run_id).status == "COMPLETED"


def test_a_child_that_was_paused_by_itself_stays_so():
    run_id, child = started()
    make.pause(child)
    make.pause(run_id)
    make.work("engine")
    make.unpause(run_id)
    make.work()
    assert make.run(child).status == "PAUSED"


def test_a_step_that_times_out_ends_its_child(clock):
    run_id, child = started(node={"boundary_timers": [{"after_seconds": 60, "to": "after"}]})
    clock.advance(61)
    make.tick()
    make.work("engine")
    assert make.run(child).status == "CANCELLED"
    make.work()
    assert make.run(run_id).status == "COMPLETED"


def test_a_map_runs_a_workflow_for_each_item():
    published(CHILD)
    body = {
        "type": "subworkflow",
        "params": {"workflow": "child", "input": {"at": "{{ index }}", "is": "{{ item }}"}},
    }
    run_id = make.start(make.mapped(body, max_concurrency=2), {"items": ["a", "b", "c"]})[0]
    make.work()
    assert make.run(run_id).output == {
        "results": [{"at": place, "is": item} for place, item in enumerate("abc")]
    }
    assert len(children_of(run_id)) == 3


def test_a_map_whose_item_fails_ends_the_runs_of_the_others():
    published(CHILD)
    body = {"type": "subworkflow", "params": {"workflow": "child"}}
    run_id = make.start(make.mapped(body), {"items": ["a", "b", "c"]})[0]
    make.work("engine")
    first, *others = make.claimed()
    make.fail(first)
    make.work()
    make.complete(*others)
    make.work("engine")
    assert make.run(run_id).status == "FAILED"
    assert sorted(one.status for one in children_of(run_id)) == ["CANCELLED", "CANCELLED", "FAILED"]


def test_a_run_follows_with_what_the_first_one_gave():
    published(CHILD)
    run_id = begun(make.graph(["a"], []) | {"name": "first", "next_workflow": "child"}, {"n": 5})
    make.work()
    [follower] = Run.unsafe_all_tenants.filter(follows=run_id)
    assert (follower.input, follower.status, follower.chained) == ({"n": 5}, "COMPLETED", 1)


def test_why_no_run_follows_stands_in_history():
    run_id = begun(make.graph(["a"], []) | {"name": "first", "next_workflow": "nobody"}, {})
    make.work()
    [event] = make.events(run_id, "NEXT_NOT_STARTED")
    assert event.payload["reason"] == "not_found"
    assert make.run(run_id).status == "COMPLETED"


def test_runs_that_follow_one_another_end_at_the_limit(monkeypatch):
    monkeypatch.setattr("runs.commands.child_runs.CHAINED_RUNS", 3)
    run_id = begun(make.graph(["a"], []) | {"name": "first", "next_workflow": "first"}, {})
    make.work()
    assert Run.unsafe_all_tenants.count() == 4
    assert make.run(run_id).status == "COMPLETED"


@pytest.mark.parametrize("verbs", [[make.pause], [make.pause, make.unpause], [make.cancel]])
def test_many_children_are_told_in_as_many_statements_as_few(verbs):
    def statements(count):
        body = {"type": "signal", "params": {"name": "never"}}
        run_id = make.start(make.mapped(body), {"items": [*range(count)]})[0]
        make.work()
        for verb in verbs[:-1]:
            verb(run_id)
            messages.deliver()
        verbs[-1](run_id)
        with watching() as seen:
            assert messages.deliver() >= count
        return seen.trips

    assert statements(2) == statements(9)
