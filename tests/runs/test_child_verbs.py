"""Verbs on items that are runs of their own, on runs that steps wait for, and on what is within them."""

import pytest

from runs.commands import items, operators
from runs.commands.targets import ItemPlace
from runs.kernel.refused import RunRefused
from runs.models import Run
from tests import factories as make
from tests.invariants import broken
from tests.runs.items_at_hand import JOB, act, counts, keys_of, mapped, refused, statuses

pytestmark = pytest.mark.django_db

PART = {"steps": [{"id": "a", **JOB}, {"id": "b", **JOB}]}


@pytest.fixture(autouse=True)
def whole():
    """Whatever a test did, rows and history agree."""
    yield
    assert not broken()


def failed_part(*, alone, **params):
    """A run of a map of two parts, the second of which has failed behind its first step.

    With a step of the first one, which is in hand, or has completed before if the second one is `alone`.
    """
    run_id = mapped(PART, count=2, **params)
    make.work("engine")
    make.complete(*make.claimed())
    steps = make.claimed()
    by_run = {step.run_id: step for step in steps}
    first, second = sorted(by_run, key=lambda run: make.run(run).place[-1][1])
    if alone:
        make.complete(by_run[first])
        make.work("engine")
    make.fail(by_run[second])
    make.work("engine")
    return run_id, by_run[first], second


@pytest.mark.parametrize("by", ["item", "child", "step"])
def test_an_item_of_several_steps_goes_on_in_its_run(by):
    run_id, _, part = failed_part(alone=True)
    assert make.run(run_id).status == "FAILED"
    before = keys_of(run_id)
    if by == "item":
        act(run_id, 1, "retry")
    elif by == "child":
        items.resume_run(make.a_tenant().pk, part, by="ann")
    else:
        operators.act(make.a_tenant().pk, ItemPlace(part, "b"), "retry", by="ann")
    make.work("engine")
    (step,) = make.claimed()
    assert (step.run_id, step.node) == (part, "b")
    make.complete(step)
    make.work()
    assert make.run(run_id).status == "COMPLETED"
    assert keys_of(run_id) == before


def test_a_step_of_a_failed_part_is_skipped():
    run_id, _, part = failed_part(alone=True)
    operators.act(make.a_tenant().pk, ItemPlace(part, "b"), "skip", output="by hand", by="ann")
    make.work()
    assert make.run(run_id).output == {"results": [0, "by hand"]}


def test_while_others_go_on_a_tolerated_part_goes_on_in_its_run():
    run_id, other, part = failed_part(alone=False, tolerate_failures=1)
    assert (make.run(run_id).status, counts(run_id)) == ("RUNNING", (2, 1, 1))
    before = keys_of(run_id)
    act(run_id, 1, "retry")
    make.work("engine")
    assert keys_of(run_id) == before
    (step,) = make.claimed()
    assert (step.run_id, step.node) == (part, "b")
    make.complete(step, other)
    make.work()
    assert make.run(run_id).output == {"results": [0, 1]}


def test_an_open_part_is_skipped_and_its_run_ends():
    run_id = mapped(PART, count=2)
    make.work("engine")
    first, second = make.children_of(run_id)
    make.complete(*make.claimed())
    act(run_id, 1, "skip", output="by hand")
    assert (counts(run_id), statuses(run_id)) == ((2, 1, 0), ["WAITING", "SKIPPED"])
    make.work("engine")
    assert make.run(str(second.pk)).status == "CANCELLED"
    make.work()
    assert make.run(run_id).output == {"results": [0, "by hand"]}
    assert make.run(str(first.pk)).status == "COMPLETED"


def test_a_part_is_paused_goes_on_and_is_cancelled():
    run_id = mapped(PART, count=2, tolerate_failures=1)
    make.work("engine")
    part = str(make.children_of(run_id)[1].pk)
    act(run_id, 1, "pause")
    make.pause(run_id)
    make.work("engine")
    make.unpause(run_id)
    make.work("engine")
    assert make.run(part).status == "PAUSED"
    assert refused(run_id, 1, "pause") == "not_running"
    assert refused(run_id, 1, "retry") == "not_failed"
    act(run_id, 1, "unpause")
    act(run_id, 1, "cancel")
    make.work()
    assert (counts(run_id), statuses(run_id)) == ((2, 2, 1), ["COMPLETED", "FAILED"])
    assert make.children(run_id, "each")[1].error["code"] == "ChildCancelled"


def nested(**params):
    """A run of a map of parts with a map of jobs each, of which one has failed; the part, and its item."""
    inner = {"id": "inner", "type": "map", "retry": "none", "params": {"items": [7, 8], "body": JOB}}
    run_id = mapped({"steps": [{"id": "a", **JOB}, inner]}, count=1, **params)
    make.work("engine")
    make.complete(*make.claimed())
    make.work("engine")
    (part,) = make.children_of(run_id)
    work = {step.index: step for step in make.claimed()}
    make.complete(work[0])
    make.fail(work[1])
    make.work("engine")
    return run_id, str(part.pk)


@pytest.mark.parametrize("verb", ["retry", "skip"])
def test_an_item_of_a_container_in_a_part_brings_back_the_runs_above(verb):
    run_id, part = nested()
    assert (make.run(run_id).status, make.run(part).status) == ("FAILED", "FAILED")
    operators.act(make.a_tenant().pk, ItemPlace(part, "inner", 1), verb, output=9, by="ann")
    make.work("engine")
    assert (make.run(run_id).status, statuses(part, "inner")[0]) == ("RUNNING", "COMPLETED")
    make.work()
    assert make.run(run_id).output["results"] == [{"results": [7, 8 if verb == "retry" else 9]}]
    assert [str(child.pk) for child in make.children_of(run_id)] == [part]


def test_a_part_whose_item_is_over_does_not_begin_again():
    run_id, part = nested(tolerate_failures=1)
    assert make.statuses(run_id)["each"] == "COMPLETED"
    with pytest.raises(RunRefused) as refusal:
        operators.act(make.a_tenant().pk, ItemPlace(part, "inner", 1), "retry", by="ann")
    assert refusal.value.code in ("container_is_completed", "run_ended")
    assert make.run(part).status == "FAILED"


def called():
    """A run that waits for a run of the workflow `child`, of two steps; and that run."""
    definition = make.graph([{"id": "a", **JOB}, {"id": "b", **JOB}], ["a>b"])
    terms = {"workflow__name": "child", "workflow__draft_definition": definition}
    make.VersionFactory(workflow__tenant=make.a_tenant(), **terms)
    step = {"id": "call", "type": "subworkflow", "retry": "none", "params": {"workflow": "child"}}
    run_id = make.start(make.graph([step, "after"], ["call>after"]), {"n": 1})[0]
    make.work("engine")
    return run_id, str(make.children_of(run_id)[0].pk)


def test_the_run_of_a_step_is_paused_goes_on_and_is_cancelled():
    run_id, child = called()
    act(run_id, None, "pause", node="call")
    assert make.run(child).status == "PAUSED"
    assert refused(run_id, None, "pause", node="call") == "not_running"
    act(run_id, None, "unpause", node="call")
    act(run_id, None, "cancel", node="call")
    make.work("engine")
    assert make.run(child).status == "CANCELLED"
    assert make.steps(run_id)["call"].error["code"] == "ChildCancelled"


@pytest.mark.parametrize("verb", ["retry", "resume"])
def test_the_failed_run_of_a_step_goes_on(verb):
    run_id, child = called()
    make.complete(*make.claimed())
    make.fail(*make.claimed())
    make.work("engine")
    assert make.run(run_id).status == "FAILED"
    act(run_id, None, verb, node="call")
    make.work()
    assert make.run(run_id).status == "COMPLETED"
    assert [str(one.pk) for one in make.children_of(run_id)] == [child]
    assert make.history(child).count("STEP_COMPLETED a") == 1


def test_a_step_that_waits_for_no_run_has_none_to_act_on():
    run_id, _ = called()
    assert refused(run_id, None, "pause", node="after") == "not_begun"
    run_id = mapped()
    assert refused(run_id, None, "pause") == "no_child"
    assert Run.unsafe_all_tenants.get(pk=run_id).status == "RUNNING"
