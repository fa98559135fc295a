"""A paused run starts no new work, in the runs below it neither: what would is refused, and says what to unpause."""

import pytest

from runs.commands import items, lifecycle, operators
from runs.commands.targets import ItemPlace
from runs.kernel import messages
from runs.kernel.advance import advance
from runs.kernel.refused import RunRefused
from runs.workers.execute import execute
from tests import factories as make
from tests.invariants import broken
from tests.runs.items_at_hand import JOB

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def whole():
    """Whatever a test did, rows and history agree."""
    yield
    assert not broken()


def tree(*, failed=False):
    """The runs of a tree from the root down: a map of one part, in which a map of parts has a job each.

    `failed`: the lowest one has failed, which the map above it tolerates.
    """
    lowest = {"steps": [{"id": "x", **JOB}, {"id": "y", **JOB}]}
    terms = {"items": [1, 2], "body": lowest, "tolerate_failures": 1}
    inner = {"id": "inner", "type": "map", "retry": "none", "params": terms}
    body = {"steps": [{"id": "a", "type": "noop"}, inner]}
    run_id = make.start(make.mapped(body, node={"retry": "none"}), {"items": [1]})[0]
    make.work("engine")
    make.complete(*make.claimed())
    make.work("engine")
    (middle,) = (str(child.pk) for child in make.children_of(run_id))
    low = str(make.children_of(middle)[0].pk)
    if failed:
        steps = make.claimed()
        make.complete(*(step for step in steps if step.run_id != low))
        make.fail(*(step for step in steps if step.run_id == low))
        make.work("engine")
        assert make.run(low).status == "FAILED"
    return run_id, middle, low


def refused(work):
    with pytest.raises(RunRefused) as refusal:
        work()
    assert refusal.value.conflict
    return refusal.value


VERBS = {
    ("run", "unpause"): False,
    ("run", "resume"): True,
    ("item", "unpause"): False,
    ("item", "retry"): True,
    ("item", "resume"): True,
    ("step", "retry"): True,
    ("step", "skip"): True,
}
"""(door, verb) → whether it is about a run that has failed."""


def do(door, verb, middle, low):
    tenant = make.a_tenant().pk
    match door, verb:
        case "run", "unpause":
            lifecycle.unpause_runs(tenant, [low], by="ann")
        case "run", _:
            items.resume_run(tenant, low, by="ann")
        case "item", _:
            operators.act(tenant, ItemPlace(middle, "inner", 0), verb, by="ann")
        case _:
            operators.act(tenant, ItemPlace(low, "x"), verb, by="ann")


@pytest.mark.parametrize("above", ["root", "middle"])
@pytest.mark.parametrize(("door", "verb"), VERBS)
def test_what_starts_work_below_a_paused_run_is_refused(door, verb, above):
    run_id, middle, low = tree(failed=VERBS[door, verb])
    paused = run_id if above == "root" else middle
    if verb == "unpause":
        make.pause(low)
    make.pause(paused)
    refusal = refused(lambda: do(door, verb, middle, low))
    assert refusal.code == "parent_paused"
    assert paused in refusal.message
    assert ("the topmost one" if above == "root" else "at each, item 0") in refusal.message
    make.work("engine")
    assert not [step for step in make.steps(low).values() if step.status == "QUEUED" and not step.held]
    make.unpause(paused)
    make.work("engine")
    do(door, verb, middle, low)
    make.work("engine")
    make.work()
    assert make.run(run_id).status == "COMPLETED"


@pytest.mark.parametrize("verb", ["skip", "cancel"])
def test_what_starts_nothing_is_done_below_a_paused_run(verb):
    run_id, middle, low = tree()
    make.pause(run_id)
    make.work("engine")
    operators.act(make.a_tenant().pk, ItemPlace(middle, "inner", 0), verb, by="ann")

    make.work("engine")
    assert make.run(low).status == "CANCELLED"
    assert not make.claimed()


def test_an_item_that_is_no_run_is_not_unpaused_either():
    run_id = make.start(make.mapped(JOB), {"items": [1]})[0]
    make.work("engine")
    place = ItemPlace(run_id, "each", 0)
    operators.act(make.a_tenant().pk, place, "pause", by="ann")
    make.pause(run_id)
    assert (
        refused(lambda: operators.act(make.a_tenant().pk, place, "unpause", by="ann")).code == "parent_paused"
    )
    make.unpause(run_id)
    operators.act(make.a_tenant().pk, place, "unpause", by="ann")
    make.work()
    assert make.run(run_id).status == "COMPLETED"


def test_a_dead_letter_below_a_paused_run_is_not_redriven():
    run_id, _, low = tree(failed=True)
    make.pause(run_id)
    assert refused(lambda: lifecycle.redo_failed(make.a_tenant().pk, [low], by="ann")).code in (
        "parent_paused",
        "is_part",
    )


def test_a_child_that_begins_in_a_paused_run_is_paused():
    child = make.a_version(make.chain("noop")).workflow.name
    sub = {"id": "sub", "type": "subworkflow", "params": {"workflow": child}}
    run_id = make.start(make.graph([sub], []), {"n": 1})[0]
    (step,) = make.claimed("engine")
    make.pause(run_id)
    advance([(step, execute(step))])
    (below,) = make.children_of(run_id)
    assert (make.run(str(below.pk)).status, make.claimed()) == ("PAUSED", [])
    make.unpause(run_id)
    make.work()
    assert make.run(run_id).status == "COMPLETED"


def test_a_child_that_was_told_to_go_on_before_the_pause_is_paused():
    child = make.a_version(make.graph([{"id": "x", **JOB}], [])).workflow.name
    sub = {"id": "sub", "type": "subworkflow", "retry": "none", "params": {"workflow": child}}
    run_id = make.start(make.graph([sub], []), {"n": 1})[0]
    make.work("engine")
    make.fail(*make.claimed())
    make.work("engine")
    make.resume(run_id)
    advance([(step, execute(step)) for step in make.claimed("engine")])
    make.pause(run_id)
    messages.deliver()
    (below,) = make.children_of(run_id)
    assert (make.run(str(below.pk)).status, make.claimed()) == ("PAUSED", [])
    make.unpause(run_id)
    make.work()
    assert make.run(run_id).status == "COMPLETED"


def test_a_pause_just_behind_an_unpause_holds():
    run_id, middle, low = tree()
    make.pause(run_id)
    messages.deliver()
    make.unpause(run_id)
    make.pause(run_id)
    messages.deliver()
    assert {make.run(run).status for run in (run_id, middle, low)} == {"PAUSED"}
    make.unpause(run_id)
    make.work()
    assert make.run(run_id).status == "COMPLETED"
