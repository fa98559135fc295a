"""Waits for time: a step waits without a worker, a timer ends it once, and what ends the run ends it (R-114…)."""

from datetime import timedelta

import pytest

from runs.models import Run
from tests import factories as make

pytestmark = pytest.mark.django_db


def waits(**params):
    return make.graph(
        [{"id": "w", "type": "wait", "params": params}, {"id": "after", "type": "noop"}], ["w>after"]
    )


def test_a_wait_of_three_days_ends_after_three_days_and_not_before(clock):
    run_id = make.start(waits(duration="P3D"))[0]
    make.work()
    step = make.steps(run_id)["w"]
    assert (step.status, step.worker, step.lease_expires_at) == ("WAITING", None, None)
    assert make.pending_timers(run_id) == [("w", "wait")]

    clock.advance(3 * 86_400 - 1)
    assert make.tick() == 0
    clock.advance(1)
    assert make.tick() == 1

    make.work()
    assert make.run(run_id).status == "COMPLETED"
    assert make.steps(run_id)["w"].output["fired_at"].startswith("2031-01-04T09:00:00")
    assert make.pending_timers(run_id) == []
    assert make.tick() == 0
    assert make.history(run_id).count("STEP_COMPLETED w") == 1


def test_a_wait_counts_from_when_its_turn_came_not_from_when_somebody_had_time_for_it(clock):
    run_id = make.start(waits(seconds=100))[0]
    clock.advance(60)
    make.work()
    clock.advance(40)
    assert make.tick() == 1
    make.work()
    assert make.run(run_id).status == "COMPLETED"


def test_until_a_moment_and_one_that_is_over_ends_at_once(clock):
    until = (clock.now + timedelta(hours=1)).isoformat()
    later, over = make.start(
        waits(until="{{ input.at }}"), {"at": until}, {"at": "2001-01-01T00:00:00+02:00"}
    )
    make.work()
    make.tick()
    make.work()
    assert make.run(over).status == "COMPLETED"
    assert make.run(later).status == "RUNNING"
    clock.advance(3600)
    make.tick()
    make.work()
    assert make.run(later).status == "COMPLETED"


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"duration": "{{ input.d }}"}, "`duration` must be an ISO 8601 duration"),
        ({"until": "{{ input.d }}"}, "`until` must be a time as in 2027"),
        ({"seconds": "{{ input.d }}"}, "seconds"),
    ],
)
def test_a_time_that_turns_out_to_be_none_fails_the_step_and_names_the_param(params, message):
    run_id = make.start(waits(**params), {"d": "next week"})[0]
    make.work()
    assert make.run(run_id).status == "FAILED"
    assert make.run(run_id).error["code"] == "BadParams"
    assert message in make.run(run_id).error["message"]


def test_a_timer_whose_effect_is_lost_is_still_to_fire(clock, before):
    """H-9: that it fired and what it does are one transaction."""
    run_id = make.start(waits(seconds=10))[0]
    make.work()
    clock.advance(10)

    def die():
        raise SystemExit

    before("advance", die)
    with pytest.raises(SystemExit):
        make.tick()
    assert make.pending_timers(run_id) == [("w", "wait")]
    assert make.statuses(run_id) == {"w": "WAITING"}

    assert make.tick() == 1
    make.work()
    assert make.run(run_id).status == "COMPLETED"


def test_a_cancelled_run_has_no_timer_left(clock):
    run_id = make.start(waits(seconds=10))[0]
    make.work()
    make.cancel(run_id)
    assert make.statuses(run_id) == {"w": "CANCELLED"}
    assert make.pending_timers(run_id) == []
    clock.advance(100)
    assert make.tick() == 0


def test_a_failure_cancels_the_wait_and_a_resumed_run_waits_until_the_same_moment(clock):
    definition = make.graph(
        [
            {"id": "w", "type": "wait", "params": {"seconds": 100}},
            {"id": "a", "type": "noop", "retry": "none"},
        ],
        [],
    )
    run_id = make.start(definition)[0]
    make.work("engine")
    clock.advance(30)
    (step,) = make.claimed()
    make.fail(step)
    assert make.run(run_id).status == "FAILED"
    assert make.statuses(run_id) == {"w": "CANCELLED", "a": "FAILED"}
    assert make.pending_timers(run_id) == []

    clock.advance(30)
    make.resume(run_id)
    make.work()
    assert make.statuses(run_id) == {"w": "WAITING", "a": "COMPLETED"}
    clock.advance(40)
    make.tick()
    assert make.run(run_id).status == "COMPLETED"


def test_many_timers_due_at_once_each_fire_once_in_few_statements(clock, monkeypatch):
    runs = make.start(waits(seconds=5), *({"n": n} for n in range(1_200)))
    make.work()
    clock.advance(5)
    # A tick has its time and leaves the rest to the next one.
    assert sum(make.tick() for _ in range(4)) == 1_200
    make.work()
    assert set(Run.unsafe_all_tenants.filter(pk__in=runs).values_list("status", flat=True)) == {"COMPLETED"}


def test_a_wait_in_a_join_of_any_is_cancelled_with_its_timer_when_another_was_first(clock):
    definition = make.graph(
        [
            {"id": "w", "type": "wait", "params": {"seconds": 100}},
            {"id": "a", "type": "noop"},
            {"id": "first", "type": "noop", "join": "any"},
        ],
        ["w>first", "a>first"],
    )
    run_id = make.start(definition)[0]
    make.work()
    assert make.run(run_id).status == "COMPLETED"
    assert make.statuses(run_id)["w"] == "CANCELLED"
    assert make.pending_timers(run_id) == []
