"""Boundary timers: an edge that is taken when the time is over, with or without an end to the step (R-018, R-121)."""

import pytest

from runs.kernel import reopen
from runs.maintenance import timers
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


def timer(after, to, *, interrupting):
    return {"after_seconds": after, "interrupting": interrupting, "to": to}


def fired(run_id):
    """What timers did to the run, in the order of its history."""
    kinds = ("TIMER_FIRED", "STEP_CANCELLED", "STEP_COMPLETED wait")
    return [event for event in make.history(run_id) if event.startswith(kinds)]


def test_timers_that_are_due_together_fire_in_the_order_of_their_times(clock):
    """The clock stood still for long: the reminder was due before what ends the step, and before the other wait."""
    work = {
        "id": "work",
        "type": "job",
        "queue": "outside",
        # In another order than that of their times.
        "boundary_timers": [
            timer(60, "escalate", interrupting=True),
            timer(40, "second", interrupting=False),
            timer(30, "first", interrupting=False),
            timer(90, "never", interrupting=False),
        ],
    }
    wait = {"id": "wait", "type": "wait", "params": {"duration": "PT35S"}}
    nodes = [work, wait, "escalate", "second", "first", "never"]
    run_id = make.start(make.graph(nodes, []))[0]
    make.work()
    clock.advance(1000)

    assert make.tick() == 5
    make.work()

    assert fired(run_id) == [
        "TIMER_FIRED work",
        "STEP_COMPLETED wait",
        "TIMER_FIRED work",
        "STEP_CANCELLED work",
    ]
    assert [event.payload["taken"] for event in make.events(run_id, "TIMER_FIRED")] == [["first"], ["second"]]
    assert make.statuses(run_id) == {
        "work": "CANCELLED",
        "wait": "COMPLETED",
        "escalate": "COMPLETED",
        "second": "COMPLETED",
        "first": "COMPLETED",
        "never": "SKIPPED",
    }


@pytest.mark.parametrize(("first", "second"), [("early", "late"), ("late", "early")])
def test_of_two_timers_that_would_end_a_step_the_one_that_was_due_first_does(clock, first, second):
    times = {"early": 30, "late": 60}
    work = {
        "id": "work",
        "type": "job",
        "queue": "outside",
        "boundary_timers": [timer(times[one], one, interrupting=True) for one in (first, second)],
    }
    runs = [make.start(make.graph([work, "early", "late"], []))[0] for _ in range(3)]
    clock.advance(1000)
    assert make.tick() == 6
    make.work()
    for run_id in runs:
        assert make.statuses(run_id) == {"work": "CANCELLED", "early": "COMPLETED", "late": "SKIPPED"}


def test_a_tick_that_is_out_of_time_leaves_what_was_due_later_for_the_next_one(clock):
    work = {
        "id": "work",
        "type": "job",
        "queue": "outside",
        "boundary_timers": [
            timer(30, "remind", interrupting=False),
            timer(60, "escalate", interrupting=True),
        ],
    }
    run_id = make.start(make.graph([work, "remind", "escalate"], []))[0]
    clock.advance(1000)
    timers.fire(seconds=0)
    assert fired(run_id) == ["TIMER_FIRED work"]
    timers.fire(seconds=0)
    assert fired(run_id) == ["TIMER_FIRED work", "STEP_CANCELLED work"]


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


def test_a_resume_whose_timers_can_not_be_set_is_none(clock, monkeypatch):
    def broken(*_args):
        raise RuntimeError("no timer")

    run_id = make.start(guarded(retry="none"))[0]
    (job,) = make.claimed("outside")
    make.fail(job)
    before = make.statuses(run_id)
    monkeypatch.setattr(reopen, "_arm_again", broken)
    with pytest.raises(RuntimeError, match="no timer"):
        make.resume(run_id)
    assert (make.run(run_id).status, make.statuses(run_id)) == ("FAILED", before)


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


@pytest.mark.parametrize("kind", ["signal", "human.approval"])
@pytest.mark.parametrize("joined", [False, True])
def test_a_wait_that_ends_behind_its_reminder_takes_the_reminders_edge_once(clock, kind, joined):
    params = {"name": "x"} if kind == "signal" else {"title": "Well?"}
    definition = guarded(kind, interrupting=False, params=params)
    if joined:
        definition["nodes"].append({"id": "first", "type": "noop"})
        definition["nodes"][2]["join"] = "all"
        definition["edges"].append({"from": "first", "to": "late"})
    run_id = make.start(definition)[0]
    make.work("engine")
    clock.advance(60)
    assert make.tick() == 1
    if kind == "signal":
        make.send(run_id, "x", {"ok": 1})
    else:
        make.skip(run_id, "work", {"outcome": "approved"})
    make.work()
    expected = dict.fromkeys(("work", "done", "late", *(["first"] if joined else ())), "COMPLETED")
    assert make.statuses(run_id) == expected
    assert make.run(run_id).status == "COMPLETED"


def reminded(*timers):
    work = {"id": "work", "type": "job", "queue": "outside", "retry": "none", "boundary_timers": [*timers]}
    return make.graph([work, "done", "late"], ["work>done"])


@pytest.mark.parametrize("at_once", [True, False])
def test_two_timers_that_lead_to_the_same_step_take_that_edge_once(clock, at_once):
    first = {"after_seconds": 60, "interrupting": False, "to": "late"}
    run_id = make.start(reminded(first, first | {"after_seconds": 120}))[0]
    (job,) = make.claimed("outside")
    for seconds in (120,) if at_once else (60, 60):
        clock.advance(seconds)
        make.tick()
    assert make.pending_timers(run_id) == []
    make.work()
    assert make.statuses(run_id) == {"work": "RUNNING", "late": "COMPLETED"}
    make.complete(job, output={"ok": 1})
    make.work()
    assert make.run(run_id).status == "COMPLETED"
    assert make.history(run_id).count("TIMER_FIRED work") == 1


def test_a_timer_that_ends_the_step_takes_no_edge_that_a_reminder_has_taken(clock):
    first = {"after_seconds": 60, "interrupting": False, "to": "late"}
    run_id = make.start(reminded(first, {"after_seconds": 120, "to": "late"}))[0]
    (job,) = make.claimed("outside")
    clock.advance(60)
    make.tick()
    make.work()
    make.fail(job)
    make.resume(run_id)
    assert make.pending_timers(run_id) == [("work", "boundary")]
    clock.advance(120)
    make.tick()
    make.work()
    assert make.statuses(run_id) == {"work": "CANCELLED", "done": "SKIPPED", "late": "COMPLETED"}
    taken = [event.payload.get("taken") for event in make.events(run_id, "STEP_CANCELLED")]
    assert taken == [[]]


def test_a_join_is_given_the_moment_at_which_a_timer_led_to_it_whatever_the_step_gave_since(clock):
    remind = {"after_seconds": 60, "interrupting": False, "to": "both"}
    work = {"id": "work", "type": "job", "queue": "outside", "boundary_timers": [remind]}
    definition = make.graph([work, {"id": "other", "type": "job", "queue": "other"}, "both"], ["other>both"])
    before, after = make.start(definition, {}, {})
    jobs = {job.run_id: job for job in make.claimed("outside")}
    others = {job.run_id: job for job in make.claimed("other")}
    clock.advance(60)
    make.tick()
    make.complete(jobs[after], output={"ok": 1})
    make.complete(*others.values(), output={"m": 2})
    make.complete(jobs[before], output={"ok": 1})
    make.work()
    moment = {"fired_at": "2031-01-01T09:01:00+00:00", "timer_of": "work"}
    for run_id in (before, after):
        assert make.steps(run_id)["both"].output == {"work": moment, "other": {"m": 2}}


def test_a_signal_that_comes_after_a_reminder_ends_the_step_and_takes_no_edge_again(clock):
    run_id = make.start(guarded("signal", interrupting=False, params={"name": "x"}))[0]
    make.work()
    clock.advance(60)
    make.tick()
    make.work()
    assert make.statuses(run_id) == {"work": "WAITING", "late": "COMPLETED"}
    make.send(run_id, "x", {"ok": 1})
    make.work()
    assert make.statuses(run_id) == {"work": "COMPLETED", "done": "COMPLETED", "late": "COMPLETED"}
    assert make.run(run_id).status == "COMPLETED"


@pytest.mark.parametrize("rules", [1, 2])
def test_a_run_whose_sinks_a_reminder_has_led_to_waits_for_the_step_but_by_the_first_rules(rules, clock):
    remind = {"after_seconds": 60, "interrupting": False, "to": "late"}
    work = {"id": "work", "type": "job", "queue": "outside", "boundary_timers": [remind]}
    version = make.a_version(make.graph([work, "late"], ["work>late"]), rules=rules)
    run_id = make.start_version(version, {})[0]
    (job,) = make.claimed("outside")
    clock.advance(60)
    make.tick()
    make.work()
    assert make.run(run_id).status == ("COMPLETED" if rules == 1 else "RUNNING")
    assert make.statuses(run_id) == {"work": "CANCELLED" if rules == 1 else "RUNNING", "late": "COMPLETED"}
    assert bool(make.complete(job, output={}).applied) == (rules == 2)
    assert make.run(run_id).status == "COMPLETED"


def test_a_rerun_of_a_rerun_goes_the_way_of_the_reminder_too(clock):
    remind = {"after_seconds": 60, "interrupting": False, "to": "late"}
    work = {"id": "work", "type": "job", "queue": "outside", "boundary_timers": [remind]}
    both = {"id": "both", "type": "noop"}
    run_id = make.start(make.graph([work, "late", both, "end"], ["work>both", "late>both", "both>end"]))[0]
    (job,) = make.claimed("outside")
    clock.advance(60)
    make.tick()
    make.complete(job, output={"ok": 1})
    make.work()
    for from_node in ("end", "late"):
        before, run_id = run_id, make.rerun(run_id, from_node)
        make.work()
        assert make.statuses(run_id) == make.statuses(before)
        assert make.run(run_id).output == make.run(before).output
        assert make.steps(run_id)["late"].output["timer_of"] == "work"
