"""A step that nobody begins in time fails (R-110): what counts, and what does not, on a clock that is moved by hand."""

import pytest

from runs.maintenance import timers
from runs.models import HistoryEvent, Timer
from tests import factories as make

pytestmark = pytest.mark.django_db
CODE = "ScheduleToStartTimeout"


def limited(seconds=60, edges=("work>done",), **extra):
    work = {"id": "work", "type": "job", "queue": "outside", "schedule_to_start_seconds": seconds, **extra}
    return make.graph([work, "done", "instead"], list(edges))


def started(**extra):
    return make.start(limited(**extra))[0]


def status(run_id):
    step = make.steps(run_id)["work"]
    return step.status, (step.error or {}).get("code")


def test_a_step_that_nobody_begins_in_time_fails_and_is_not_tried_again(clock):
    run_id = started(retry="minutes")
    clock.advance(59)
    make.tick()
    assert status(run_id) == ("QUEUED", None)
    clock.advance(1)
    make.tick()
    assert status(run_id) == ("FAILED", CODE)
    assert make.run(run_id).status == "FAILED"
    assert make.run(run_id).error["message"] == "No worker began it within 60 s of when it could be begun."
    assert make.pending_timers(run_id) == []
    assert make.claimed("outside") == []


@pytest.mark.parametrize(
    ("on_error", "edge", "follows"), [("continue", None, "done"), ("branch", "error", "instead")]
)
def test_its_failure_means_what_on_error_says(clock, on_error, edge, follows):
    definition = limited(on_error=on_error)
    definition["edges"].append({"from": "work", "to": "instead", "on": "error"})
    run_id = make.start(definition)[0]
    clock.advance(60)
    make.tick()
    make.work()
    assert make.statuses(run_id)[follows] == "COMPLETED"
    assert make.run(run_id).status == "COMPLETED"


def test_a_step_that_was_begun_in_time_may_take_longer(clock):
    run_id = started()
    (job,) = make.claimed("outside")
    clock.advance(20)
    make.complete(job, output={"ok": 1})
    assert status(run_id) == ("COMPLETED", None)
    assert make.pending_timers(run_id) == []

    other = started(lease_seconds=3600)
    (job,) = make.claimed("outside")
    clock.advance(300)
    assert make.tick() == 1
    assert make.tick() == 0
    assert status(other) == ("RUNNING", None)
    make.complete(job, output={"ok": 1})
    make.work()
    assert make.run(other).status == "COMPLETED"
    assert make.pending_timers(other) == []


def test_the_pause_before_a_retry_does_not_count(clock):
    run_id = started(retry={"max_retries": 2, "base_seconds": 600, "max_seconds": 600, "jitter": 0})
    (job,) = make.claimed("outside")
    make.fail(job, retryable=True)
    assert status(run_id)[0] == "QUEUED"
    clock.advance(300)
    assert make.tick() == 0
    clock.advance(300 + 59)
    make.tick()
    assert status(run_id)[0] == "QUEUED"
    clock.advance(1)
    make.tick()
    assert status(run_id) == ("FAILED", CODE)


def test_a_step_that_was_begun_late_and_fails_has_its_time_again(clock):
    """The first look came while it ran."""
    run_id = started(retry={"max_retries": 2, "base_seconds": 1, "jitter": 0}, lease_seconds=3600)
    (job,) = make.claimed("outside")
    clock.advance(600)
    make.tick()
    make.fail(job, retryable=True)
    clock.advance(1 + 59)
    make.tick()
    assert status(run_id)[0] == "QUEUED"
    clock.advance(1)
    make.tick()
    assert status(run_id) == ("FAILED", CODE)


def test_while_a_run_is_paused_nobody_could_begin_it(clock):
    run_id = started()
    clock.advance(30)
    make.pause(run_id)
    clock.advance(3600)
    make.tick()
    assert status(run_id)[0] == "QUEUED"
    make.unpause(run_id)
    for _ in range(2):
        clock.advance(29)
        make.tick()
        assert status(run_id)[0] == "QUEUED"
    clock.advance(2)
    make.tick()
    assert status(run_id) == ("FAILED", CODE)


def test_a_resumed_step_has_its_time_anew(clock):
    run_id = started()
    clock.advance(60)
    make.tick()
    make.resume(run_id)
    clock.advance(59)
    make.tick()
    assert status(run_id)[0] == "QUEUED"
    (job,) = make.claimed("outside")
    make.complete(job, output={"ok": 1})
    make.work()
    assert make.run(run_id).status == "COMPLETED"


def test_a_claim_that_comes_first_wins(clock, monkeypatch):
    """It is claimed between the look and the write."""
    run_id = started(retry="none")
    clock.advance(60)
    looked = timers.waits.unbegun
    jobs = []

    def claimed_meanwhile(limits):
        late = looked(limits)
        jobs.extend(make.claimed("outside"))
        return late

    monkeypatch.setattr(timers.waits, "unbegun", claimed_meanwhile)
    make.tick()
    assert status(run_id) == ("RUNNING", None)
    make.complete(*jobs, output={"ok": 1})
    make.work()
    assert make.run(run_id).status == "COMPLETED"


def test_a_step_that_waits_has_begun(clock):
    run_id = make.start(
        make.graph(
            [{"id": "work", "type": "signal", "params": {"name": "x"}, "schedule_to_start_seconds": 60}], []
        )
    )[0]
    make.work()
    clock.advance(600)
    make.tick()
    assert status(run_id) == ("WAITING", None)
    assert make.pending_timers(run_id) == []
    make.send(run_id, "x")
    assert make.run(run_id).status == "COMPLETED"


def test_what_has_no_limit_has_no_timer(clock):
    make.start(make.graph([{"id": "work", "type": "job", "queue": "outside"}], []))
    assert not Timer.unsafe_all_tenants.exists()


def test_history_tells_that_it_failed_and_of_no_attempt_that_began(clock):
    run_id = started()
    clock.advance(60)
    make.tick()
    event = HistoryEvent.unsafe_all_tenants.get(run_id=run_id, type="STEP_FAILED")
    assert event.payload["error"]["code"] == CODE
    assert "started_at" not in event.payload
