"""The saga over a tree of runs: what child runs did is undone with their root, in its place, each effect once."""

import pytest

from runs.commands.lifecycle import cancel_runs, resolve_compensation
from runs.kernel import messages
from runs.kernel.refused import RunRefused
from runs.models import Run, UndoEntry
from runs.reading.inner_steps import inner_steps
from tests import factories as make
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
    undone,
    undone_nodes,
)

pytestmark = pytest.mark.django_db


KINDS = ["map", "loop", "subworkflow"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("has_own", [True, False])
def test_what_a_child_did_is_undone_with_its_root(kind, has_own):
    first = {"id": "a", "type": "noop"} | ({"compensate": {"type": "noop"}} if has_own else {})
    run_id = started(first, container(kind, job("charge"), {"id": "n", "type": "noop"}), plain("o"))
    do("charge")
    break_("o")
    assert make.run(run_id).status == "COMPENSATING"
    (child,) = children(run_id)
    (undo,) = make.claimed("undo")
    assert undo.run_id == str(child.pk)
    assert undo.input["idempotency_key"] == f"{child.pk}/charge"
    make.complete(undo, output={})
    settle()
    assert children(run_id)[0].status == "COMPENSATED"
    ends_as(run_id, "COMPENSATED")


@pytest.mark.parametrize("kind", KINDS)
def test_content_is_undone_in_the_place_of_its_container(kind):
    run_id = started(job("reserve"), container(kind, job("one"), job("two")), job("pack"), plain("o"))
    for queue in ("reserve", "one", "two", "pack"):
        do(queue)
    break_("o")
    assert undone_nodes() == ["pack", "two", "one", "reserve"]
    ends_as(run_id, "COMPENSATED")


@pytest.mark.parametrize("kind", KINDS)
def test_a_child_that_fails_undoes_itself_before_its_parent_undoes_anything(kind):
    run_id = started(job("reserve"), container(kind, job("charge"), plain("bad")))
    do("reserve")
    do("charge")
    break_("bad")
    assert undone_nodes() == ["charge", "reserve"]
    ends_as(run_id, "COMPENSATED")


def test_the_last_completed_comes_first_over_all_children():
    run_id = started(container("map", job("one"), job("two")), plain("o"), run_input={"l": [1, 2]})
    first, second = make.claimed("one")
    make.complete(first, output={})
    settle()
    make.complete(second, output={})
    settle()
    a, b = sorted(make.claimed("two"), key=lambda step: step.run_id != first.run_id)
    make.complete(a, output={})
    settle()
    make.complete(b, output={})
    settle()
    break_("o")
    assert undone() == [
        [(second.run_id, "two")],
        [(first.run_id, "two")],
        [(second.run_id, "one")],
        [(first.run_id, "one")],
    ]
    ends_as(run_id, "COMPENSATED")


def test_children_are_undone_at_the_same_time_where_the_workflow_says_so():
    run_id = started(
        job("reserve"),
        container("map", job("one"), job("two")),
        plain("o"),
        run_input={"l": [1, 2, 3]},
        compensation="parallel",
    )
    do("reserve")
    do("one", 3)
    do("two", 3)
    break_("o")
    assert [[node for _, node in batch] for batch in undone()] == [["two"] * 3, ["one"] * 3, ["reserve"]]
    ends_as(run_id, "COMPENSATED")


def test_an_item_that_fails_takes_what_the_others_did_with_it():
    run_id = started(container("map", job("charge"), plain("check")), run_input={"l": [1, 2]})
    do("charge", 2)
    first, second = make.claimed("check")
    make.complete(first, output={})
    make.fail(second)
    settle()
    assert undone_nodes() == ["charge", "charge"]
    ends_as(run_id, "COMPENSATED")


def test_a_child_that_is_open_when_its_root_fails_is_awaited_and_undone():
    nodes = [container("subworkflow", job("charge"), job("ship")), plain("o")]
    (run_id,) = make.start(make.graph(nodes, []), {})
    settle()
    do("charge")
    (ship,) = make.claimed("ship")
    break_("o")
    assert (make.run(run_id).status, children(run_id)[0].status) == ("FAILING", "CANCELLING")
    make.complete(ship, output={"late": True})
    settle()
    assert undone_nodes() == ["ship", "charge"]
    ends_as(run_id, "COMPENSATED")


def test_a_child_of_a_child_is_undone_in_its_place():
    inner = container("map", job("charge"), job("note"))
    inner["params"]["items"] = [1, 2]
    run_id = started(
        job("a"),
        {**container("loop", job("b"), {**inner, "id": "inner"}, job("c")), "id": "outer"},
        plain("o"),
    )
    for queue, count in (("a", 1), ("b", 1), ("charge", 2), ("note", 2), ("c", 1)):
        do(queue, count)
    break_("o")
    assert undone_nodes() == ["c", "note", "note", "charge", "charge", "b", "a"]
    ends_as(run_id, "COMPENSATED")


def test_a_compensation_of_a_completed_container_replaces_that_of_its_content():
    undo = {"type": "job", "queue": "undo", "retry": "none"}
    run_id = started(container("map", job("charge"), job("ship"), compensate=undo), plain("o"))
    do("charge")
    do("ship")
    break_("o")
    assert undone_nodes() == ["m"]
    ends_as(run_id, "COMPENSATED")


def test_a_compensation_of_a_container_that_did_not_complete_does_not_count():
    undo = {"type": "job", "queue": "undo", "retry": "none"}
    run_id = started(container("map", job("charge"), plain("bad"), compensate=undo))
    do("charge")
    break_("bad")
    assert undone_nodes() == ["charge"]
    # The child undid itself; the root had nothing to undo.
    ends_as(run_id, "FAILED")


@pytest.mark.parametrize("compensate", [True, False])
def test_a_cancel_undoes_the_tree_only_when_asked(compensate):
    run_id = started(job("a"), container("subworkflow", job("charge"), plain("rest")))
    do("a")
    do("charge")
    cancel_runs(make.a_tenant().pk, [run_id], by="test", compensate=compensate)
    settle()
    assert undone_nodes() == (["charge", "a"] if compensate else [])
    ends_as(run_id, "CANCELLED")


def test_a_child_that_was_cancelled_alone_keeps_what_it_did_until_its_root_is_undone():
    node = container("subworkflow", job("charge"), plain("rest"), on_error="continue")
    run_id = started(node, plain("o"))
    do("charge")
    make.cancel(str(children(run_id)[0].pk))
    settle()
    assert make.claimed("undo") == []
    break_("o")
    assert undone_nodes() == ["charge"]
    assert children(run_id)[0].status == "CANCELLED"
    ends_as(run_id, "COMPENSATED")


def test_a_child_that_a_timer_stopped_keeps_what_it_did_until_its_root_is_undone(clock):
    timers = [{"after_seconds": 60, "to": "late", "interrupting": True}]
    node = container("subworkflow", job("charge"), plain("rest"), boundary_timers=timers)
    (run_id,) = make.start(make.graph([node, plain("late")], []), {})
    settle()
    do("charge")
    clock.advance(61)
    make.tick()
    settle()
    assert make.claimed("undo") == []
    break_("late")
    assert undone_nodes() == ["charge"]
    assert make.run(run_id).status == "COMPENSATED"


@pytest.mark.parametrize("how", ["done", "abandon", "retry"])
@pytest.mark.parametrize("kind", ["map", "subworkflow"])
def test_a_refund_that_waits_for_a_person_is_the_status_of_the_root(how, kind):
    run_id = started(job("reserve"), container(kind, job("charge")), plain("o"))
    do("reserve")
    do("charge")
    break_("o")
    (undo,) = make.claimed("undo")
    make.fail(undo)
    settle()
    assert make.run(run_id).status == "WAITING_FOR_MANUAL_ACTION"
    (child,) = children(run_id)
    assert child.status == "WAITING_FOR_MANUAL_ACTION"
    assert make.claimed("undo") == []
    resolve_compensation(make.a_tenant().pk, str(child.pk), undo.id, how, by="test", reason="seen")
    settle()
    assert make.run(run_id).status == "COMPENSATING"
    assert undone_nodes() == (["charge", "reserve"] if how == "retry" else ["reserve"])
    assert children(run_id)[0].status == ("FAILED" if how == "abandon" else "COMPENSATED")
    ends_as(run_id, "FAILED" if how == "abandon" else "COMPENSATED")


def test_a_child_that_waits_for_a_person_with_its_own_undoing_is_the_status_of_a_closing_root():
    run_id = started(job("reserve"), container("subworkflow", job("charge"), plain("bad")))
    do("reserve")
    do("charge")
    break_("bad")
    (undo,) = make.claimed("undo")
    make.fail(undo)
    settle()
    (child,) = children(run_id)
    assert child.status == "WAITING_FOR_MANUAL_ACTION"
    # Its step waits for it still: the root goes on.
    assert make.run(run_id).status == "RUNNING"
    cancel_runs(make.a_tenant().pk, [run_id], by="test", compensate=True)
    settle()
    assert make.run(run_id).status == "WAITING_FOR_MANUAL_ACTION"
    resolve_compensation(make.a_tenant().pk, str(child.pk), undo.id, "done", by="test", reason="seen")
    settle()
    assert undone_nodes() == ["reserve"]
    ends_as(run_id, "CANCELLED")


def test_a_run_that_undid_its_tree_is_not_resumed():
    run_id = started(container("map", job("charge")), plain("o"))
    do("charge")
    break_("o")
    (child,) = children(run_id)
    undone()
    for run in (run_id, str(child.pk)):
        with pytest.raises(RunRefused):
            make.resume(run)
    ends_as(run_id, "COMPENSATED")


def test_a_child_is_not_resumed_while_a_run_above_it_closes():
    node = container("subworkflow", job("charge"), plain("bad"), on_error="continue")
    child_of_bad = {**node, "params": dict(node["params"])}
    run_id = started(child_of_bad, job("more"), plain("o"))
    do("charge")
    break_("bad")
    undone()
    do("more")
    break_("o")
    (child,) = children(run_id)
    assert make.run(run_id).status == "COMPENSATING"
    with pytest.raises(RunRefused):
        make.resume(str(child.pk))
    assert undone_nodes() == ["more"]


def test_the_steps_of_items_are_counted_as_undone():
    run_id = started(container("map", job("charge"), plain("note")), plain("o"), run_input={"l": [1, 2]})
    do("charge", 2)
    do("note", 2)
    break_("o")
    (undo,) = make.claimed("undo")
    make.complete(undo, output={})
    settle()
    counted = {one.counted.node: one.counted for one in inner_steps(make.a_tenant().pk, run_id)}
    assert (counted["charge"].counts, counted["charge"].undone) == ({"COMPLETED": 2}, 1)
    assert counted["note"].undone == 0
    assert undone_nodes() == ["charge"]
    ends_as(run_id, "COMPENSATED")


def test_a_plan_of_a_tree_has_an_end_for_each_child():
    run_id = started(container("map", job("charge")), plain("o"), run_input={"l": [1, 2]})
    do("charge", 2)
    break_("o")
    undone()
    entries = UndoEntry.unsafe_all_tenants.filter(run_id=run_id)
    assert entries.filter(node=None).count() == 2
    assert {entry.state for entry in entries} == {"undone"}
    ends_as(run_id, "COMPENSATED")


def test_a_run_that_an_earlier_release_had_begun_to_undo_goes_on():
    run_id = started(job("a"), job("b"), job("c"), plain("o"))
    for queue in "abc":
        do(queue)
    break_("o")
    UndoEntry.unsafe_all_tenants.filter(run_id=run_id).delete()
    assert undone_nodes() == ["c", "b", "a"]
    ends_as(run_id, "COMPENSATED")


def test_a_child_that_has_not_ended_is_told_to_undo_later_and_holds_up_no_other(clock, caplog):
    charges = container("map", job("charge"))
    run_id = started(charges, plain("o"), run_input={"l": [1, 2]}, compensation="parallel")
    do("charge", 2)
    make.fail(*make.claimed("o"))
    first, second = (str(child.pk) for child in children(run_id))
    child = Run.unsafe_all_tenants.filter(pk=first)
    ended = child.values_list("completed_at", flat=True).get()
    child.update(status="RUNNING", completed_at=None)
    messages.deliver()
    assert [step.run_id for step in make.claimed("undo")] == [second]
    assert not caplog.records
    child.update(status="COMPLETED", completed_at=ended)
    messages.deliver()
    assert not make.claimed("undo")
    clock.advance(1)
    messages.deliver()
    (step,) = make.claimed("undo")
    assert step.run_id == first
