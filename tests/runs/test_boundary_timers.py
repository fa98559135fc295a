"""Boundary timers: an edge that is taken when the time is over, with or without an end to the step (R-018, R-121)."""

import pytest

from tests import factories as make

pytestmark = pytest.mark.django_db


def guarded(kind="job", *, interrupting=True, params=None, **extra):
    work = {
        "id": "work",
        "type": kind,
        "boundary_timers": [{"after_seconds": 60, "interrupting": interrupting, "to": "late"}],
        **extra,
    }
    if kind == "job":
        work["queue"] = "outside"
    if params:
        work["params"] = params
    return make.graph([work, {"id": "done", "type": "noop"}, {"id": "late", "type": "noop"}], ["work>done"])


def test_a_step_that_ends_in_time_kills_the_timers_edge(clock):
    run_id = make.start(guarded())[0]
    assert make.pending_timers(run_id) == [("work", "boundary")]
    (job,) = make.claimed("outside")
    make.complete(job, output={"ok": 1})
    make.work()
    assert make.statuses(run_id) == {"work": "COMPLETED", "done": "COMPLETED", "late": "SKIPPED"}
    assert make.run(run_id).status == "COMPLETED"
    assert make.pending_timers(run_id) == []
    clock.advance(100)
    assert make.tick() == 0


@pytest.mark.parametrize("claimed", [False, True])
def test_an_interrupting_timer_ends_the_step_and_only_its_edge_is_taken(clock, claimed):
    run_id = make.start(guarded())[0]
    held = make.claimed("outside") if claimed else []
    clock.advance(60)
    assert make.tick() == 1
    make.work()
    assert make.statuses(run_id) == {"work": "CANCELLED", "done": "SKIPPED", "late": "COMPLETED"}
    assert make.run(run_id).status == "COMPLETED"
    assert make.run(run_id).output["timer_of"] == "work"
    if held:
        assert make.complete(*held, output={"late": True}).applied == set()
        assert make.steps(run_id)["work"].output["timer_of"] == "work"


def test_an_interrupting_timer_ends_a_wait(clock):
    run_id = make.start(guarded("signal", params={"name": "x"}))[0]
    make.work()
    clock.advance(60)
    make.tick()
    make.work()
    assert make.statuses(run_id) == {"work": "CANCELLED", "done": "SKIPPED", "late": "COMPLETED"}


def test_beside_a_step_that_goes_on_the_edge_is_taken_once_and_the_step_ends_as_ever(clock):
    run_id = make.start(guarded(interrupting=False))[0]
    (job,) = make.claimed("outside")
    clock.advance(60)
    assert make.tick() == 1
    assert make.tick() == 0
    make.work()
    assert make.statuses(run_id) == {"work": "RUNNING", "late": "COMPLETED"}
    assert make.run(run_id).status == "RUNNING"
    make.complete(job, output={"ok": 1})
    make.work()
    assert make.statuses(run_id) == {"work": "COMPLETED", "done": "COMPLETED", "late": "COMPLETED"}
    assert make.run(run_id).status == "COMPLETED"


def test_a_reminder_that_meets_the_step_in_a_join_counts_once(clock):
    definition = {
        "name": "j",
        "nodes": [
            {
                "id": "work",
                "type": "job",
                "queue": "outside",
                "boundary_timers": [{"duration": "PT1M", "interrupting": False, "to": "remind"}],
            },
            {"id": "remind", "type": "noop"},
            {"id": "both", "type": "noop"},
        ],
        "edges": [{"from": "work", "to": "both"}, {"from": "remind", "to": "both"}],
    }
    run_id = make.start(definition)[0]
    (job,) = make.claimed("outside")
    clock.advance(60)
    make.tick()
    make.work()
    assert "both" not in make.statuses(run_id)
    make.complete(job, output={"ok": 1})
    make.work()
    assert make.run(run_id).status == "COMPLETED"
    assert make.steps(run_id)["both"].output["work"] == {"ok": 1}
    assert make.joins(run_id)["both"].arrived == 2


def test_a_failure_stops_the_timer_and_a_resume_starts_it_anew(clock):
    run_id = make.start(guarded(retry="none"))[0]
    (job,) = make.claimed("outside")
    make.fail(job)
    assert make.run(run_id).status == "FAILED"
    assert make.pending_timers(run_id) == []
    clock.advance(100)
    make.resume(run_id)
    assert make.pending_timers(run_id) == [("work", "boundary")]
    clock.advance(59)
    assert make.tick() == 0
    clock.advance(1)
    make.tick()
    make.work()
    assert make.statuses(run_id)["late"] == "COMPLETED"


def test_an_edge_that_was_taken_before_a_failure_is_not_taken_again(clock):
    run_id = make.start(guarded(interrupting=False, retry="none"))[0]
    (job,) = make.claimed("outside")
    clock.advance(60)
    make.tick()
    make.work()
    make.fail(job)
    make.resume(run_id)
    assert make.pending_timers(run_id) == []
    (job,) = make.claimed("outside")
    make.complete(job, output={})
    make.work()
    assert make.run(run_id).status == "COMPLETED"
    assert make.history(run_id).count("STEP_COMPLETED late") == 1


def test_what_completes_while_the_run_fails_resolves_its_timers_edge_on_resume(clock):
    definition = guarded()
    definition["nodes"].append({"id": "bad", "type": "noop", "retry": "none"})
    run_id = make.start(definition)[0]
    (job,) = make.claimed("outside")
    (bad,) = make.claimed()
    make.fail(bad)
    make.complete(job, output={})
    assert make.run(run_id).status == "FAILED"
    assert make.pending_timers(run_id) == []
    make.resume(run_id)
    make.work()
    assert make.statuses(run_id) == {
        "work": "COMPLETED",
        "done": "COMPLETED",
        "late": "SKIPPED",
        "bad": "COMPLETED",
    }
