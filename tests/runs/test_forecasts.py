"""Forecasts are learned once from what completed, and kept for runs that go on; nobody learns from another tenant."""

from datetime import timedelta

import pytest

from runs.maintenance import forecasts as duty
from runs.maintenance.foretelling import Clocks, people_of
from runs.models import Calendar, Forecast, ForecastCursor, RestTime, Run
from runs.store import forecasts as store
from tests import factories as make
from tests.store.watching import watching
from tests.telemetry import count_all

pytestmark = pytest.mark.django_db

WORKS = make.chain("noop", "noop")
DONE = 25


def learned(**only) -> int:
    return sum(row.times for row in RestTime.unsafe_all_tenants.filter(**only))


def forecast(run_id) -> Forecast | None:
    return Forecast.unsafe_all_tenants.filter(run_id=run_id).first()


def look() -> None:
    """Count, learn and foretell whatever there is."""
    count_all()
    duty.make()
    duty.make()


def some_runs(version, clock, seconds=(60, 600), many=DONE) -> None:
    """Runs whose first step takes the one and whose second one the other time."""
    for _ in range(many):
        make.start_version(version, {})
        for lasts in seconds:
            step = make.claimed()[0]
            clock.advance(lasts)
            make.complete(step)


@pytest.fixture
def version():
    return make.a_version(WORKS)


def test_each_completed_run_is_learned_from_once(version, clock):
    some_runs(version, clock, many=3)
    look()
    assert [learned(node=node) for node in ("a", "b", "")] == [3, 3, 3]
    look()
    assert learned() == 9
    some_runs(version, clock, many=1)
    look()
    assert learned() == 12


def test_what_failed_was_cancelled_is_a_test_or_was_mended_teaches_nothing(clock):
    version = make.a_version(make.graph([{"id": "a", "retry": "none"}], []))
    failed, cancelled, mended, tried = make.start_version(version, {}, {}, {}, {})
    Run.unsafe_all_tenants.filter(pk=tried).update(is_test=True)
    make.cancel(cancelled)
    for step in make.claimed():
        make.fail(step) if step.run_id in (failed, mended) else make.complete(step)
    make.resume(mended)
    make.work()
    assert [make.run(run).status for run in (failed, cancelled, mended, tried)] == [
        "FAILED",
        "CANCELLED",
        "COMPLETED",
        "COMPLETED",
    ]
    look()
    assert learned() == 0


def test_an_open_run_is_told_by_the_step_at_which_it_is(version, clock):
    some_runs(version, clock)
    run_id = make.start_version(version, {})[0]
    look()
    told, now = forecast(run_id), clock.now
    assert told.tenant_id == version.tenant_id
    assert told.p50 - now == pytest.approx(timedelta(seconds=660), rel=0.15)
    assert now < told.p50 <= told.p90
    step = make.claimed()[0]
    clock.advance(60)
    make.complete(step)
    clock.advance(300)
    look()
    assert forecast(run_id).p50 - clock.now == pytest.approx(
        timedelta(seconds=300), abs=timedelta(seconds=90)
    )


def test_time_that_passes_makes_no_end_earlier_and_none_lies_in_the_past(version, clock):
    some_runs(version, clock)
    run_id = make.start_version(version, {})[0]
    before = None
    for _ in range(12):
        look()
        told = forecast(run_id)
        assert clock.now <= told.p50 <= told.p90
        if before is not None:
            assert (told.p50, told.p90) >= (before.p50, before.p90)
        before = told
        clock.advance(150)


def test_of_too_few_runs_nothing_is_told(version, clock):
    some_runs(version, clock, many=19)
    run_id = make.start_version(version, {})[0]
    look()
    assert forecast(run_id) is None


def test_a_new_version_borrows_of_the_former_one_and_a_new_step_of_whole_runs(version, clock):
    some_runs(version, clock)
    same = make.next_version(version.workflow, {**WORKS, "description": "as before"})
    other = make.next_version(
        version.workflow, {**make.graph(["x", "b"], ["x>b"]), "name": version.workflow.name}
    )
    runs = [make.start_version(one, {})[0] for one in (same, other)]
    look()
    for run_id in runs:
        assert forecast(run_id).p50 - clock.now == pytest.approx(timedelta(seconds=660), rel=0.15)


def test_of_open_steps_the_one_counts_that_promises_the_latest_end(clock):
    version = make.a_version(make.graph(["a", "b"], []))
    for _ in range(DONE):
        make.start_version(version, {})
        quick, slow = make.claimed()
        make.complete(quick)
        clock.advance(1000)
        make.complete(slow)
    run_id = make.start_version(version, {})[0]
    look()
    assert forecast(run_id).p50 - clock.now == pytest.approx(timedelta(seconds=1000), rel=0.1)


def test_what_waits_for_a_time_is_not_done_before_it(clock):
    wait = {"id": "w", "type": "wait", "params": {"seconds": "{{ input.s }}"}}
    version = make.a_version(make.graph([wait, "b"], ["w>b"]))
    for _ in range(DONE):
        make.start_version(version, {"s": 10})
        make.work()
        clock.advance(10)
        make.tick()
        make.work()
    run_id = make.start_version(version, {"s": 5_000})[0]
    make.work()
    look()
    assert forecast(run_id).p50 >= clock.now + timedelta(seconds=5_000)


def test_a_run_is_foretold_while_it_goes_on_and_no_longer(version, clock):
    some_runs(version, clock)
    done, paused, failing = make.start_version(version, {}, {}, {})
    look()
    assert all(forecast(run) for run in (done, paused, failing))
    make.pause(paused)
    make.cancel(failing)
    make.work()
    assert make.run(done).status == "COMPLETED"
    look()
    assert [forecast(run) for run in (done, paused, failing)] == [None, None, None]
    make.unpause(paused)
    look()
    assert forecast(paused)


def test_risk_is_how_likely_the_deadline_is_missed(clock):
    version = make.a_version({**WORKS, "sla_seconds": 700})
    some_runs(version, clock, seconds=(60, 600), many=20)
    some_runs(version, clock, seconds=(60, 6_000), many=20)
    run_id = make.start_version(version, {})[0]
    look()
    assert forecast(run_id).risk == pytest.approx(0.5, abs=0.1)
    clock.advance(690)
    look()
    assert forecast(run_id).risk > 0.9
    clock.advance(60)
    look()
    assert forecast(run_id).risk == 1
    free = make.start_version(make.next_version(version.workflow, {**WORKS}), {})[0]
    look()
    assert forecast(free).risk is None


def test_nobody_learns_from_another_tenant(version, clock):
    some_runs(version, clock)
    theirs = make.start(WORKS, tenant=make.TenantFactory())[0]
    look()
    assert forecast(theirs) is None
    assert {row.tenant_id for row in RestTime.unsafe_all_tenants.all()} == {version.tenant_id}


def test_people_count_by_the_calendar_from_where_they_are_asked_on(clock):
    asks = {"id": "ask", "type": "human.approval", "params": {"title": "Go on?", "candidates": ["user:ann"]}}
    version = make.a_version(make.graph(["a", asks, "z"], ["a>ask", "ask>z"]))
    assert people_of(version.pk).ahead == {"", "a", "ask"}
    assert people_of(make.a_version(WORKS).pk).ahead == set()
    tenant = version.tenant_id
    assert Clocks().of(tenant, version.pk, "ask")[1] is False
    Calendar.objects.create(
        tenant_id=tenant, name="default", timezone="UTC", weekdays=[1, 2, 3, 4, 5], opens=540, closes=1020
    )
    clocks = Clocks()
    assert [clocks.of(tenant, version.pk, node)[1] for node in ("a", "ask", "z", "")] == [
        True,
        True,
        False,
        True,
    ]


def test_whoever_dies_in_the_middle_has_learned_nothing(version, clock, monkeypatch):
    some_runs(version, clock, many=1)
    count_all()
    duty.make()

    def dying(rows, last):
        real(rows, last)
        raise RuntimeError

    real = store.learn
    ForecastCursor.objects.update(after=0)
    RestTime.unsafe_all_tenants.all().delete()
    monkeypatch.setattr(store, "learn", dying)
    with pytest.raises(RuntimeError):
        duty.make()
    assert (learned(), ForecastCursor.objects.get().after) == (0, 0)
    monkeypatch.undo()
    duty.make()
    assert learned() == 3


def test_weeks_that_count_no_more_are_forgotten(version, clock):
    some_runs(version, clock)
    run_id = make.start_version(version, {})[0]
    look()
    assert forecast(run_id)
    clock.advance(14 * 7 * 86_400)
    assert duty.forget() > 0
    assert learned() == 0
    look()
    assert forecast(run_id) is None


def test_so_many_statements_whatever_there_is(version, clock):
    def statements():
        with watching() as seen:
            duty.make()
        return seen.named

    some_runs(version, clock, many=1)
    make.start_version(version, {})
    look()
    few = statements()
    some_runs(version, clock, many=20)
    make.start_version(version, *[{}] * 30)
    look()
    assert (
        statements()
        == few
        == ["lock_forecasts", "next_to_forecast", "open_to_forecast", "rest_times", "keep_forecasts"]
    )
