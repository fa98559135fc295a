"""Branches that are undone at the same time (R-139): each in reverse, and what fails in one holds up no other."""

import pytest
from django.db import connection

from runs.commands.lifecycle import resolve_compensation
from runs.integrity import repair
from runs.reading.presentation import found_run
from tests import factories as make
from tests import invariants
from tests.runs.test_saga import ONCE, break_, do, undoable
from tests.store.watching import watching

pytestmark = pytest.mark.django_db

TOGETHER = {"compensation": "parallel"}


def branches(*, queue="undo", **more):
    """`a`, then the branches `b`, `c` and `d` to `e`, and `ship`, which fails."""
    nodes = [*undoable(*"abcde", queue=queue), {"id": "ship", "type": "job", "queue": "ship", **ONCE}]
    edges = ["a>b", "a>c", "a>d", "d>e", "b>ship", "c>ship", "e>ship"]
    return make.graph(nodes, edges, **TOGETHER | more)


def failed(**more):
    run_id = make.start(branches(**more))[0]
    for name in "abcde":
        do(name)
    break_("ship")
    return run_id


def taken():
    """The compensations that workers have just got, by the nodes that they undo."""
    return {step.undoes: step for step in make.claimed("undo")}


def undo(steps, *names):
    make.complete(*(steps.pop(name) for name in names), output={})


def settle(run_id, node, how):
    step = make.steps(run_id)[f"{node}:compensate"].pk
    resolve_compensation(make.a_tenant().pk, run_id, step, how, by="ann", reason="seen to")


def test_branches_are_undone_at_the_same_time_and_each_in_reverse():
    run_id = failed()
    steps = taken()
    assert sorted(steps) == ["b", "c", "e"]
    undo(steps, "b")
    assert taken() == {}
    undo(steps, "c")
    assert taken() == {}
    undo(steps, "e")
    steps = taken()
    assert sorted(steps) == ["d"]
    undo(steps, "d")
    steps = taken()
    assert sorted(steps) == ["a"]
    assert make.run(run_id).status == "COMPENSATING"
    undo(steps, "a")
    assert make.run(run_id).status == "COMPENSATED"
    assert invariants.broken() == {}


def test_what_ends_in_one_batch_is_undone_on_as_in_several():
    run_id = failed()
    steps = taken()
    undo(steps, "b", "c", "e")
    undo(taken(), "d")
    undo(taken(), "a")
    assert make.run(run_id).status == "COMPENSATED"


def test_a_compensation_that_fails_holds_up_what_led_to_its_step_and_nothing_else():
    run_id = failed()
    steps = taken()
    make.fail(steps.pop("b"))
    assert make.run(run_id).status == "WAITING_FOR_MANUAL_ACTION"
    assert invariants.broken() == {}
    undo(steps, "c", "e")
    undo(taken(), "d")
    assert taken() == {}
    assert make.run(run_id).status == "WAITING_FOR_MANUAL_ACTION"
    settle(run_id, "b", "done")
    assert make.run(run_id).status == "COMPENSATING"
    undo(taken(), "a")
    assert make.run(run_id).status == "COMPENSATED"
    assert invariants.broken() == {}


@pytest.mark.parametrize("at_once", [True, False])
def test_each_compensation_that_fails_alerts_and_asks_and_the_run_waits_for_the_last(at_once):
    run_id = failed()
    steps = taken()
    if at_once:
        make.fail(steps.pop("b"), steps.pop("e"))
    else:
        make.fail(steps.pop("b"))
        make.fail(steps.pop("e"))
    assert [event for event in make.history(run_id) if "ALERT" in event or "WAITING" in event] == [
        "RUN_WAITING_FOR_MANUAL_ACTION",
        "ALERT b:compensate",
        "ALERT e:compensate",
    ]
    said, titles = found_run(make.a_tenant().pk, run_id)["waiting_for"].split(": ")
    assert said == "somebody to see to what could not be undone"
    assert sorted(titles.split(", ")) == ["Undo External job (b)", "Undo External job (e)"]
    settle(run_id, "e", "retry")
    assert make.run(run_id).status == "WAITING_FOR_MANUAL_ACTION"
    undo(taken(), "e")
    again = taken()
    assert sorted(again) == ["d"]
    settle(run_id, "b", "abandon")
    assert make.run(run_id).status == "COMPENSATING"
    assert invariants.broken() == {}
    undo(steps, "c")
    undo(again, "d")
    undo(taken(), "a")
    assert make.run(run_id).status == "FAILED"
    assert invariants.broken() == {}


def test_what_waits_to_be_undone_beside_a_failure_can_be_skipped_and_hurried():
    run_id = failed()
    steps = taken()
    make.fail(steps.pop("b"))
    undo(steps, "e")
    make.retry(run_id, "d:compensate")
    make.skip(run_id, "d:compensate", None)
    assert make.run(run_id).status == "WAITING_FOR_MANUAL_ACTION"
    make.skip(run_id, "b:compensate", None)
    undo(steps, "c")
    undo(taken(), "a")
    assert make.run(run_id).status == "COMPENSATED"
    assert invariants.broken() == {}


def test_a_compensation_that_waits_goes_on_while_another_one_waits_for_a_person(clock):
    definition = branches()
    definition["nodes"][1]["compensate"] = {"type": "signal", "params": {"name": "back"}}
    definition["nodes"][2]["compensate"] = {"type": "wait", "params": {"seconds": 60}}
    run_id = make.start(definition)[0]
    for name in "abcde":
        do(name)
    break_("ship")
    make.work("engine")
    make.fail(taken().pop("e"))
    assert make.run(run_id).status == "WAITING_FOR_MANUAL_ACTION"
    assert invariants.broken() == {}
    settle(run_id, "e", "done")
    make.fail(taken().pop("d"))
    assert make.pending_timers(run_id) == [("c:compensate", "wait")]
    clock.advance(61)
    make.tick()
    assert make.send(run_id, "back")
    assert make.statuses(run_id)["b:compensate"] == make.statuses(run_id)["c:compensate"] == "COMPLETED"
    settle(run_id, "d", "done")
    undo(taken(), "a")
    assert make.run(run_id).status == "COMPENSATED"
    assert invariants.broken() == {}


def test_the_others_are_undone_one_by_one():
    run_id = failed(compensation="sequential")
    order = []
    while steps := taken():
        (name,) = steps
        order.append(name)
        undo(steps, name)
    assert order == ["e", "d", "c", "b", "a"]
    assert make.run(run_id).status == "COMPENSATED"


def sent(**more):
    """The statements that follow from the end of a compensation, behind which there is another one."""
    failed(**more)
    last = taken().pop("e")
    with watching() as seen:
        make.complete(last, output={})
    return seen.named


def test_branches_that_are_undone_at_the_same_time_cost_no_statement_more():
    one_by_one, together = sent(compensation="sequential"), sent()
    assert together == one_by_one


def test_a_run_of_which_the_next_compensations_are_gone_is_repaired():
    run_id = failed()
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM runs_stepexecution WHERE run_id = %s AND undoes IS NOT NULL", [run_id])
    (found,) = repair.look([run_id])
    assert found.what == "nothing being undone"
    assert repair.repair([found]) == 1
    assert sorted(taken()) == ["b", "c", "e"]
