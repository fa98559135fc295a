"""Never stuck: whatever is broken by hand is found, repaired, counted and told, and nothing else is (R-210)."""

import logging

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from config import doctor
from runs.commands.lifecycle import cancel_runs, pause_runs
from runs.integrity import repair
from runs.integrity.verify import verify
from runs.limits import REPAIRS
from runs.maintenance import seals, stuck
from runs.models import Repair, Run
from runs.reading import queries
from runs.store import meters
from tests import damage
from tests import factories as make
from tests.damage import ASKED, JOB, SIGNAL, an_undoing_run, sql, steps

pytestmark = pytest.mark.django_db

ENDS = {
    damage.failing_for_ever: "FAILED",
    damage.cancelling_for_ever: "CANCELLED",
    damage.undone_for_ever: "COMPENSATED",
    damage.failed_to_undo_and_nobody_was_told: "WAITING_FOR_MANUAL_ACTION",
    damage.a_person_is_waited_for_and_nothing_failed: "COMPENSATED",
    damage.a_person_without_a_task: "RUNNING",
    damage.a_map_that_knows_nothing: "FAILED",
    damage.a_child_that_is_gone: "FAILED",
}
DAMAGES = [
    damage.held_for_ever,
    damage.a_step_that_is_gone,
    damage.a_first_step_that_is_gone,
    damage.a_retried_step_that_is_gone,
    damage.dead_edges_without_a_row,
    damage.sinks_that_were_miscounted,
    damage.a_join_that_forgot_an_edge,
    damage.a_join_that_did_not_fire,
    damage.a_join_with_nothing_before_it,
    damage.a_wait_without_its_timer,
    damage.a_signal_without_its_timeout,
    damage.a_signal_that_is_there_already,
    damage.a_wait_that_says_nothing,
    damage.items_that_are_gone,
    damage.a_map_that_miscounted,
    damage.a_map_that_says_nothing,
    damage.the_end_of_a_child_that_nobody_told,
    damage.the_end_of_an_item_that_nobody_told,
    damage.an_item_that_says_nothing,
    damage.a_timer_of_a_step_that_is_over,
    *ENDS,
]


def forget(run_id):
    """Nothing makes this run whole again."""
    sql("SET LOCAL handoff.archiving = 'on'")
    sql("DELETE FROM runs_historyevent WHERE run_id = %s", run_id)
    sql("DELETE FROM runs_run WHERE id = %s", run_id)


@pytest.mark.parametrize("staged", DAMAGES, ids=lambda staged: staged.__name__)
def test_damage_is_found_repaired_counted_and_told(staged, clock, caplog):
    run_id, what, go_on = staged(clock)

    with caplog.at_level(logging.ERROR, "handoff.stuck"):
        assert stuck.check() == 1

    (noted,) = Repair.unsafe_all_tenants.all()
    assert (str(noted.run_id), noted.what, noted.done) == (run_id, what, True)
    assert f"Run {run_id} was stuck and is repaired: {what}" in caplog.text
    told = [event.payload["what"] for event in make.events(run_id, "RUN_REPAIRED")]
    assert set(told) == {what}
    assert stuck.check() == 0
    if go_on:
        go_on()
    assert make.run(run_id).status == ENDS.get(staged, "COMPLETED")
    assert stuck.check() == 0


def test_what_a_repair_ends_is_counted(clock, django_capture_on_commit_callbacks, monkeypatch):
    ended = []
    damage.the_end_of_an_item_that_nobody_told(clock)
    monkeypatch.setattr(meters, "ended", ended.extend)
    with django_capture_on_commit_callbacks(execute=True):
        assert stuck.check() == 1
    assert ended == ["COMPLETED", "COMPLETED"]


def test_items_that_forgot_what_they_wait_for_are_repaired_each_by_itself(clock):
    run_id = damage.a_map_of_runs(3)
    sql("UPDATE runs_stepexecution SET waiting = NULL WHERE run_id = %s AND index IN (0, 2)", run_id)

    assert stuck.check() == 2

    assert sorted(Repair.unsafe_all_tenants.values_list("node", "index", "done")) == [
        ("each", 0, True),
        ("each", 2, True),
    ]
    assert [event.payload.get("index") for event in make.events(run_id, "RUN_REPAIRED")] == [0, 2]
    make.work()
    assert make.run(run_id).status == "COMPLETED"


@pytest.mark.parametrize("forgetful", ["index IS NULL", "index = 0", "true"], ids=["map", "item", "both"])
def test_what_begins_to_wait_anew_does_nothing_twice_at_the_same_time(clock, forgetful):
    run_id = damage.a_map_of_runs(2)
    sql(f"UPDATE runs_stepexecution SET waiting = NULL WHERE run_id = %s AND {forgetful}", run_id)

    assert stuck.check() > 0

    assert [*verify([run_id])] == []
    make.work("engine")
    children = Run.unsafe_all_tenants.filter(parent_id=run_id)
    assert children.filter(completed_at=None).count() == 2
    make.work()
    assert make.run(run_id).status == "COMPLETED"


def test_what_comes_back_is_counted_for_each_item(clock):
    run_id = damage.a_map_of_runs(REPAIRS + 2, at_once=1)
    for _ in range(REPAIRS + 2):
        make.complete(*make.claimed())
        sql("DELETE FROM runs_runmessage WHERE run_id = %s", run_id)
        assert stuck.check() == 1
        make.work("engine")

    assert make.run(run_id).status == "COMPLETED"
    assert set(Repair.unsafe_all_tenants.values_list("done", flat=True)) == {True}


def test_a_repair_of_an_item_reads_that_item_alone(clock):
    run_id = damage.a_map_of_runs(4)
    sql("UPDATE runs_stepexecution SET waiting = NULL WHERE run_id = %s AND index = 1", run_id)
    with CaptureQueriesContext(connection) as few:
        assert stuck.check() == 1
    bigger = damage.a_map_of_runs(12, at_once=12)
    sql("UPDATE runs_stepexecution SET waiting = NULL WHERE run_id = %s AND index = 1", bigger)
    with CaptureQueriesContext(connection) as many:
        assert stuck.check() == 1
    make.work()
    assert len(many) == len(few)


def test_a_timer_of_a_run_that_has_ended_is_dropped_and_nothing_stands_behind_the_end(clock):
    run_id = make.start(make.graph([SIGNAL, "b"], ["a>b"]))[0]
    make.work()
    make.send(run_id, "go", 1)
    make.work()
    seals.seal()
    sql("UPDATE runs_timer SET status = 'PENDING' WHERE run_id = %s", run_id)
    assert stuck.check() == 0, "it may yet be its time"
    clock.advance(300)

    assert stuck.check() == 1

    assert make.pending_timers(run_id) == []
    assert make.events(run_id, "RUN_REPAIRED") == []
    assert Repair.unsafe_all_tenants.count() == 1


def test_what_cant_be_repaired_is_reported_once_and_left_alone(clock, caplog):
    run_id = make.start(make.chain("noop", "noop"))[0]
    make.complete(*make.claimed())
    sql("DELETE FROM runs_stepexecution WHERE run_id = %s", run_id)

    assert [stuck.check(), stuck.check(), stuck.check()] == [0, 0, 0]

    (noted,) = Repair.unsafe_all_tenants.all()
    assert (noted.what, noted.done) == ("nothing open", False)
    assert "What a gave is gone" in noted.detail
    assert caplog.text.count("is stuck and can't be repaired: nothing open") == 1
    assert make.events(run_id, "RUN_REPAIRED") == []
    cancel_runs(make.a_tenant().pk, [run_id], by="test")
    forget(run_id)


def test_the_doctor_says_what_was_repaired_and_what_cant_be(clock):
    assert queries.repairs() == (0, 0)
    damage.held_for_ever(clock)
    stuck.check()
    lost = make.start(make.chain("noop", "noop"))[0]
    make.complete(*[held for held in make.claimed() if held.run_id == lost])
    sql("DELETE FROM runs_stepexecution WHERE run_id = %s", lost)
    stuck.check()

    assert queries.repairs() == (1, 1)
    assert [(found.level, found.text) for found in doctor._stuck()] == [
        ("problem", "stuck runs that can't be repaired: 1"),
        ("warn", "repairs of stuck runs: 1"),
    ]
    forget(lost)


def test_what_comes_back_again_and_again_is_reported(clock):
    run_id, *_ = damage.held_for_ever(clock)
    assert stuck.check() == 1
    for _ in range(3):
        steps("held = true", run_id)
        stuck.check()

    assert list(Repair.unsafe_all_tenants.order_by("id").values_list("done", flat=True)) == [True] * 3 + [
        False
    ]
    steps("held = false", run_id)


def test_a_run_that_somebody_is_busy_with_is_left_alone(clock):
    run_id, *_ = damage.held_for_ever(clock)
    (found,) = repair.look([run_id])
    steps("held = false", run_id)

    assert repair.repair([found]) == 0, "it was so, and is no longer"


def test_a_paused_run_holds_its_steps(clock):
    run_id = make.start(make.chain("noop"))[0]
    pause_runs(make.a_tenant().pk, [run_id], by="test")
    assert stuck.check() == 0


def test_every_open_run_is_looked_at_in_turn(clock, monkeypatch):
    monkeypatch.setattr(stuck, "BATCH", 2)
    runs = [damage.held_for_ever(clock)[0] for _ in range(5)]

    repaired = [stuck.check(seconds=0) for _ in range(3)]

    assert repaired == [2, 2, 1]
    assert not Run.unsafe_all_tenants.filter(pk__in=runs).exclude(status="RUNNING").exists()
    assert stuck.check() == 0


def sources(run_id):
    with connection.cursor() as cursor:
        cursor.execute("SELECT node, source FROM runs_wake_source WHERE run_id = %s ORDER BY node", [run_id])
        return dict(cursor.fetchall())


def test_the_view_names_one_source_for_each_open_step(clock):
    nodes = [
        {"id": "a", **JOB},
        {"id": "b", "type": "wait", "params": {"seconds": 30}},
        SIGNAL | {"id": "c"},
        ASKED | {"id": "d"},
        {"id": "e", **JOB, "queue": "other"},
    ]
    run_id = make.start(make.graph(nodes, []))[0]
    make.work()
    make.claimed("job")
    expected = {"a": "leased", "b": "timer", "c": "signal", "d": "person", "e": "claimable"}
    assert sources(run_id) == expected
    pause_runs(make.a_tenant().pk, [run_id], by="test")
    assert sources(run_id) == expected | {"e": "held"}
    undoing = an_undoing_run()
    assert sources(undoing) == {"a:compensate": "claimable"}
    make.fail(*make.claimed("undo"))
    assert sources(undoing) == {"a:compensate": "person"}
    assert stuck.check() == 0


def test_a_run_that_cannot_be_looked_at_hides_no_other(clock, caplog):
    """The duty that finds what is stuck must not be stopped by what it looks for."""
    hidden, _, _ = damage.a_join_that_did_not_fire(clock)
    found = [damage.a_wait_without_its_timer(clock)[0], damage.held_for_ever(clock)[0]]

    broken = make.not_compiling(make.run(hidden).version_id)
    with broken, caplog.at_level(logging.ERROR, "handoff.stuck"):
        assert stuck.check() == 2

    assert f"Run {hidden} can't be looked at" in caplog.text
    assert {str(one.run_id) for one in Repair.unsafe_all_tenants.all()} == set(found)
    assert stuck.check() == 1
