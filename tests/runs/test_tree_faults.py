"""What random trees of runs have brought to light (`test_tree_properties`), each as small as it can be."""

from datetime import UTC, datetime

import pytest

from runs.commands import operators
from runs.commands.lifecycle import cancel_runs, resolve_compensation
from runs.commands.targets import ItemPlace
from runs.kernel.refused import RunRefused
from runs.models import RunMessage, StepExecution
from tests import factories as make
from tests.runs.fleet import LONG_AGO
from tests.runs.trees import (
    break_,
    children,
    container,
    do,
    ends_as,
    job,
    plain,
    settle,
    started,
    undone_nodes,
)

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("body", [plain("do"), {"steps": [plain("do")]}], ids=["a step", "steps"])
def test_nothing_of_a_container_stays_open_that_is_skipped_as_the_last_step(body):
    each = {"id": "m", "type": "map", "params": {"items": [1, 2], "body": {**body}}}
    each["params"]["body"].pop("id", None)
    run_id = started(each)
    make.claimed("do", limit=1)
    make.skip(run_id, "m", {})
    settle()
    assert [child.status for child in make.children(run_id, "m")] == ["CANCELLED", "CANCELLED"]
    for step in StepExecution.unsafe_all_tenants.filter(status="RUNNING"):
        make.change(str(step.pk), lease_expires_at=LONG_AGO)
    make.leases_lost()
    settle()
    ends_as(run_id, "COMPLETED")


def test_content_that_a_compensation_of_its_container_stood_for_is_not_undone_by_a_run_above():
    undo = {"type": "job", "queue": "undo", "retry": "none"}
    inner = {**container("map", job("charge"), compensate=undo), "id": "inner"}
    inner["params"]["items"] = [1]
    run_id = started(job("a"), {**container("subworkflow", inner, plain("bad")), "id": "outer"})
    for queue in ("a", "charge"):
        do(queue)
    break_("bad")
    assert undone_nodes() == ["inner", "a"]
    ends_as(run_id, "COMPENSATED")


@pytest.mark.parametrize("how", ["fails", "is cancelled"])
def test_a_child_is_not_resumed_below_what_was_undone(how):
    run_id = started(
        job("a"), container("subworkflow", plain("bad"), job("charge"), on_error="continue"), plain("o")
    )
    do("a")
    break_("bad")
    if how == "fails":
        break_("o")
    else:
        cancel_runs(make.a_tenant().pk, [run_id], by="test", compensate=True)
        settle()
    assert undone_nodes() == ["a"]
    with pytest.raises(RunRefused):
        make.resume(str(children(run_id)[0].pk))
    ends_as(run_id, "COMPENSATED" if how == "fails" else "CANCELLED")


def test_a_run_that_was_cancelled_is_not_resumed_where_something_below_was_given_up():
    run_id = started(container("subworkflow", job("charge"), plain("bad")))
    do("charge")
    break_("bad")
    (undo,) = make.claimed("undo")
    make.fail(undo)
    settle()
    cancel_runs(make.a_tenant().pk, [run_id], by="test", compensate=True)
    settle()
    (child,) = children(run_id)
    resolve_compensation(make.a_tenant().pk, str(child.pk), undo.id, "abandon", by="test", reason="seen")
    settle()
    assert make.run(run_id).status == "FAILED"
    with pytest.raises(RunRefused):
        make.resume(run_id)
    ends_as(run_id, "FAILED")


@pytest.mark.parametrize("gives_up", [False, True])
def test_a_child_that_was_cancelled_and_had_its_content_undone_begins_anew(gives_up):
    inner = {**container("map", job("charge")), "id": "inner"}
    inner["params"]["items"] = [1]
    run_id = started({**container("subworkflow", inner, plain("rest")), "id": "outer"})
    do("charge")
    (child,) = children(run_id)
    cancel_runs(make.a_tenant().pk, [str(child.pk)], by="test", compensate=True)
    settle()
    (undo,) = make.claimed("undo")
    if gives_up:
        make.fail(undo)
        settle()
        resolve_compensation(make.a_tenant().pk, undo.run_id, undo.id, "abandon", by="test", reason="seen")
    else:
        make.complete(undo, output={})
    settle()
    assert make.run(run_id).status == "FAILED"
    make.resume(run_id)
    settle()
    do("charge")
    do("rest")
    assert len(children(run_id)) == 2
    ends_as(run_id, "COMPLETED")


def test_a_run_between_that_is_told_late_that_no_person_is_needed_ends_with_its_child():
    inner = {**container("map", job("charge")), "id": "inner"}
    inner["params"]["items"] = [1]
    run_id = started({**container("subworkflow", inner), "id": "outer"}, plain("o"))
    do("charge")
    break_("o")
    (undo,) = make.claimed("undo")
    make.fail(undo)
    settle()
    resolve_compensation(make.a_tenant().pk, undo.run_id, undo.id, "done", by="test", reason="seen")
    late = RunMessage.unsafe_all_tenants.filter(kind="child_undoing")
    assert late.update(due_at=datetime(2099, 1, 1, tzinfo=UTC)) == 1
    settle()
    late.update(due_at=LONG_AGO)
    settle()
    ends_as(run_id, "COMPENSATED")


def test_an_item_whose_lease_was_lost_leaves_its_container_as_it_is():
    undo = {"type": "job", "queue": "undo", "retry": "none"}
    body = {"type": "job", "queue": "do"}
    each = {
        "id": "m",
        "type": "map",
        "params": {"items": [1], "body": body},
        "compensate": undo,
        "retry": "none",
    }
    run_id = started(each)
    (item,) = make.claimed("do")
    make.change(item, lease_expires_at=LONG_AGO)
    make.leases_lost()
    cancel_runs(make.a_tenant().pk, [run_id], by="test", compensate=True)
    settle()
    # A container counts only where it completed.
    assert undone_nodes() == []
    ends_as(run_id, "CANCELLED")


@pytest.mark.parametrize("begins", ["never", "in hand", "lost"])
def test_a_step_that_a_timer_ends_is_undone_only_if_somebody_had_it(begins, clock):
    timers = [{"after_seconds": 60, "to": "late", "interrupting": True}]
    (run_id,) = make.start(
        make.graph([job("charge", boundary_timers=timers, retry="seed"), plain("late")], [])
    )
    for step in make.claimed("charge") if begins != "never" else ():
        if begins == "lost":
            make.change(step, lease_expires_at=LONG_AGO)
            make.leases_lost()
    clock.advance(61)
    make.tick()
    settle()
    break_("late")
    assert undone_nodes() == ([] if begins == "never" else ["charge"])
    assert make.run(run_id).status == ("FAILED" if begins == "never" else "COMPENSATED")


@pytest.mark.parametrize("kind", ["map", "loop", "subworkflow"])
def test_nothing_is_skipped_whose_run_undoes_what_it_did(kind):
    """The run above would end, and nobody would see that a refund waits for a person."""
    run_id = started(container(kind, job("charge"), plain("bad"), on_error="continue"))
    do("charge")
    break_("bad")
    (undo,) = make.claimed("undo")
    make.fail(undo)
    settle()
    with pytest.raises(RunRefused, match="undoes what it did"):
        make.skip(run_id, "m", {})
    if kind != "subworkflow":
        with pytest.raises(RunRefused, match="undoes what it did"):
            operators.act(make.a_tenant().pk, ItemPlace(run_id, "m", 0), "skip", by="test")
    (child,) = children(run_id)
    resolve_compensation(make.a_tenant().pk, str(child.pk), undo.id, "done", by="test", reason="seen")
    settle()
    ends_as(run_id, "COMPLETED")
