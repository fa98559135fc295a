"""Children that failed go on in place when the run that began them is resumed: what they did stays done."""

from itertools import pairwise

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from runs.commands import former_children
from runs.kernel.refused import RunRefused
from runs.models import Run, RunMessage
from runs.store import child_runs
from tests import factories as make

pytestmark = pytest.mark.django_db


def noop(id, **more):
    """A step that a test ends as it likes."""
    return {"id": id, "type": "noop", "retry": "none", **more}


def chain_of(*ids):
    """The definition of a workflow of such steps, one after another, called `child`."""
    return make.graph([noop(id) for id in ids], [f"{a}>{b}" for a, b in pairwise(ids)])


def with_child(**params):
    """The id of a run that waits for the steps `a` and `b` of a workflow `child`."""
    make.VersionFactory(
        workflow__tenant=make.a_tenant(),
        workflow__name="child",
        workflow__draft_definition=chain_of("a", "b"),
    )
    step = {"id": "call", "type": "subworkflow", "params": {"workflow": "child", **params}}
    run_id = make.start(make.graph([step], []), {"n": 1})[0]
    make.work("engine", "blocking")
    return run_id


def ended(node, *, failed=False):
    """End what waits for a worker, which is of this node."""
    steps = make.claimed()
    assert {step.node for step in steps} == {node}
    (make.fail if failed else make.complete)(*steps)
    make.work("engine", "blocking")
    return steps


def only_child(run_id):
    """The one run that it began."""
    (child,) = make.children_of(run_id)
    return child


def test_a_resumed_run_resumes_its_child():
    run_id = with_child()
    ended("a")
    ended("b", failed=True)
    assert make.run(run_id).status == "FAILED"
    make.resume(run_id)
    make.work("engine", "blocking")
    assert (only_child(run_id).status, make.statuses(run_id)) == ("RUNNING", {"call": "WAITING"})
    ended("b")
    assert make.run(run_id).status == "COMPLETED"
    child = only_child(run_id)
    assert make.history(str(child.pk)).count("RUN_REOPENED") == 1


def test_an_item_of_several_steps_goes_on_where_it_failed():
    run_id = make.start(
        make.mapped({"steps": [noop("a", input="{{ item }}"), noop("b")]}), {"items": [1, 2]}
    )[0]
    make.work("engine", "blocking")
    ended("a")
    first, second = sorted(make.claimed(), key=lambda step: step.id)
    make.complete(first)
    make.fail(second)
    make.work("engine", "blocking")
    assert make.run(run_id).status == "FAILED"
    before = {child.pk: child.parent_step_id for child in make.children_of(run_id)}
    make.resume(run_id)
    make.work("engine", "blocking")
    ended("b")
    assert make.steps(run_id)["each"].status == "COMPLETED"
    after = {child.pk: child.parent_step_id for child in make.children_of(run_id)}
    assert after.keys() == before.keys()
    assert {*after.values()} == {step.pk for step in make.children(run_id, "each")}


def statements_of_a_resume(items):
    """How many statements it takes to let so many failed items of several steps go on."""
    body = {"steps": [noop("a"), noop("b")]}
    step = {
        "id": "each",
        "type": "map",
        "params": {"items": list(range(items)), "body": body, "tolerate_failures": items - 1},
    }
    run_id = make.start(make.graph([step], []), {})[0]
    make.work("engine", "blocking")
    ended("a", failed=True)
    make.resume(run_id)
    with CaptureQueriesContext(connection) as captured:
        make.work("engine", "blocking")
    assert len(make.claimed()) == items
    return [query["sql"] for query in captured if "content_hash" in query["sql"]]


def test_however_many_items_go_on_the_version_of_their_container_is_looked_up_once():
    few, many = statements_of_a_resume(2), statements_of_a_resume(30)
    assert len(few) == len(many) > 0


def test_a_child_that_was_resumed_by_itself_is_waited_for():
    run_id = with_child()
    ended("a", failed=True)
    child = str(only_child(run_id).pk)
    make.resume(child)
    make.resume(run_id)
    make.work("engine", "blocking")
    ended("a")
    ended("b")
    assert make.run(run_id).status == "COMPLETED"
    assert str(only_child(run_id).pk) == child


def test_what_a_child_gave_meanwhile_is_taken():
    run_id = with_child()
    ended("a", failed=True)
    make.resume(str(only_child(run_id).pk))
    ended("a")
    ended("b")
    make.resume(run_id)
    make.work("engine", "blocking")
    assert make.run(run_id).status == "COMPLETED"
    assert len(make.children_of(run_id)) == 1


def test_with_another_input_another_run_begins():
    run_id = with_child()
    ended("a", failed=True)
    make.retry(run_id, "call", {"n": 2})
    make.work("engine", "blocking")
    assert [child.input for child in make.children_of(run_id)] == [{"n": 1}, {"n": 2}]


def test_a_child_that_was_cancelled_goes_on_in_place():
    """What it did is never repeated under another idempotency key."""
    run_id = with_child()
    ended("a")
    make.cancel(str(only_child(run_id).pk))
    make.work("engine", "blocking")
    make.resume(run_id)
    make.work("engine", "blocking")
    assert only_child(run_id).status == "RUNNING"
    ended("b")
    assert make.run(run_id).status == "COMPLETED"


def test_a_child_that_can_not_be_resumed_fails_its_parent_again(monkeypatch):
    run_id = with_child()
    ended("a", failed=True)
    make.resume(run_id)

    def refuse(*_, **__):
        raise RunRefused("broken_version", "It does not compile here.")

    monkeypatch.setattr(former_children, "reopen", refuse)
    make.work("engine", "blocking")
    assert make.run(run_id).status == "FAILED"
    assert make.steps(run_id)["call"].error["code"] == "ChildFailed"


@pytest.fixture
def told(monkeypatch):
    """The id of a run that was resumed, and whose child does not know of it yet."""
    run_id = with_child()
    ended("a", failed=True)
    make.resume(run_id)
    with monkeypatch.context() as patched:
        patched.setattr(child_runs, "due_messages", lambda limit: [])
        make.work("engine", "blocking")
    assert make.statuses(run_id) == {"call": "WAITING"}
    return run_id


def test_a_run_that_is_cancelled_before_its_child_goes_on_leaves_that_alone(told):
    run_id = told
    assert RunMessage.unsafe_all_tenants.get().kind == "resume"
    make.cancel(run_id)
    make.work("engine", "blocking")
    assert (make.run(run_id).status, only_child(run_id).status) == ("CANCELLED", "FAILED")
    assert not RunMessage.unsafe_all_tenants.exists()


def test_a_child_that_is_told_to_go_on_has_not_ended(told):
    assert child_runs.steps_without_child([told]) == []
    step = make.steps(told)["call"]
    (state,) = child_runs.child_states(
        [{"step_id": str(step.pk), "chain": step.waiting["run"]}], most=9
    ).values()
    assert (state.status, state.has_ended) == ("FAILED", False)


def test_the_round_of_a_loop_goes_on_where_it_failed():
    body = {"steps": [noop("a"), noop("b")]}
    again = {"id": "again", "type": "loop", "params": {"body": body, "count": 1}}
    run_id = make.start(make.graph([again], []), {"n": 1})[0]
    make.work("engine", "blocking")
    ended("a")
    ended("b", failed=True)
    assert make.run(run_id).status == "FAILED"
    make.resume(run_id)
    make.work("engine", "blocking")
    ended("b")
    assert make.run(run_id).status == "COMPLETED"
    assert Run.unsafe_all_tenants.filter(parent_id=run_id).count() == 1
