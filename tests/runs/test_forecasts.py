"""Forecasts are learned once from what completed, and kept for runs that go on; nobody learns from another tenant."""

from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import transaction

from runs.maintenance import forecasts as duty
from runs.maintenance.clocks import calendars_of
from runs.models import ForecastCursor, RestTime, Run, StepExecution
from runs.store import forecasts as store
from runs.store.forecasts import Completed
from tests import factories as make
from tests.runs.forecasting import DONE, WORKS, clocks_of, forecast, learned, look, some_runs
from tests.store.watching import watching
from tests.telemetry import count_all

pytestmark = pytest.mark.django_db


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


@pytest.mark.parametrize("of_items", [True, False])
def test_what_waits_in_a_run_below_for_a_time_is_not_done_before_it(clock, of_items):
    wait = {"id": "w", "type": "wait", "params": {"seconds": "{{ input.s }}"}}
    inner = make.a_version(make.graph([wait, "b"], ["w>b"])).workflow.name
    call = {"workflow": inner, "input": {"s": "{{ item }}" if of_items else "{{ input.items[0] }}"}}
    step = (
        {"type": "map", "params": {"items": "{{ input.items }}", "body": call}}
        if of_items
        else {"type": "subworkflow", "params": call}
    )
    outer = make.graph([{"id": "sub", **step}], [])
    version = make.a_version(
        make.graph(
            [
                {
                    "id": "deep",
                    "type": "subworkflow",
                    "params": {
                        "workflow": make.a_version(outer).workflow.name,
                        "input": {"items": "{{ input.items }}"},
                    },
                }
            ],
            [],
        )
    )

    def lasting(*seconds):
        run_id = make.start_version(version, {"items": [*seconds]})[0]
        make.work()
        return run_id

    for _ in range(DONE):
        run_id = lasting(10)
        clock.advance(10)
        make.tick()
        make.work()
        assert make.run(run_id).status == "COMPLETED"
    run_id = lasting(5_000, 9_000)
    look()
    seconds = 9_000 if of_items else 5_000
    assert forecast(run_id).p50 >= clock.now + timedelta(seconds=seconds)


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
    theirs = make.start(WORKS, tenant=make.a_tenant("theirs"))[0]
    look()
    assert forecast(theirs) is None
    assert {row.tenant_id for row in RestTime.unsafe_all_tenants.all()} == {version.tenant_id}


def test_people_count_by_the_calendar_from_where_they_are_asked_on(clock):
    asks = {"id": "ask", "type": "human.approval", "params": {"title": "Go on?", "candidates": ["user:ann"]}}
    version = make.a_version(make.graph(["a", asks, "z"], ["a>ask", "ask>z"]))
    assert calendars_of(version.pk).keys() == {"", "a", "ask"}
    assert calendars_of(make.a_version(WORKS).pk) == {}
    assert clocks_of(version).of(version.tenant_id, version.pk, "ask")[1] is False
    make.CalendarFactory(tenant_id=version.tenant_id)
    clocks = clocks_of(version)
    is_working = [clocks.of(version.tenant_id, version.pk, node)[1] for node in ("a", "ask", "z", "")]
    assert is_working == [True, True, False, True]


def test_a_task_counts_by_its_own_calendar_and_so_does_what_leads_to_it(clock):
    def asks(name, calendar=None):
        params = {"title": "Go on?", **({"calendar": calendar} if calendar else {})}
        return {"id": name, "type": "human.approval", "params": params}

    each = {"title": "Go on?", "calendar": "Late shift"}
    of_each = {"list": "{{ [1] }}", "body": {"type": "human.approval", "params": each}}
    nodes = [
        "a",
        asks("b", "Early shift"),
        {"id": "c", "type": "map", "params": of_each},
        asks("d"),
        asks("e", "{{ input.x }}"),
    ]
    graph = make.graph(nodes, ["a>b", "b>c", "c>d", "d>e"])
    version = make.a_version({**graph, "sla_working_days": 3, "sla_calendar": "Office"})
    named = {
        "": "Early shift",
        "a": "Early shift",
        "b": "Early shift",
        "c": "Late shift",
        "d": "Office",
        "e": "Office",
    }
    assert calendars_of(version.pk) == named
    forked = make.a_version(
        make.graph(["a", asks("b", "Early shift"), asks("c", "Late shift")], ["a>b", "a>c"])
    )
    assert calendars_of(forked.pk) == {"": None, "a": None, "b": "Early shift", "c": "Late shift"}


def test_a_task_with_an_early_calendar_is_told_to_be_done_early(clock):
    early = {"title": "Go on?", "calendar": "Early shift", "candidates": {"users": ["ann"]}}
    version = make.a_version(make.graph([{"id": "ask", "type": "human.approval", "params": early}], []))
    make.CalendarFactory(tenant_id=version.tenant_id, opens=1_200, closes=1_320)
    make.CalendarFactory(tenant_id=version.tenant_id, name="Early shift", opens=300, closes=720)
    clock.set(datetime(2031, 1, 6, 6, tzinfo=UTC))
    rows = [
        Completed(version.tenant_id, version.workflow_id, version.pk, began, ended, [("ask", began, ended)])
        for began, ended in [(clock.now.timestamp() - 3_600, clock.now.timestamp() - 1_800)] * DONE
    ]
    run_id = make.start_version(version, {})[0]
    make.work()
    clock.set(datetime(2031, 1, 6, 11, 45, tzinfo=UTC))
    StepExecution.unsafe_all_tenants.filter(run_id=run_id).update(queued_at=clock.now)
    after, _ = store.to_learn()
    assert store.learn(duty.rest_rows(rows, clocks_of(version)), after, after + 1)
    look()
    # A quarter of an hour today, the other one tomorrow from five o'clock on.
    told = forecast(run_id).p50
    assert told.date() == date(2031, 1, 7)
    assert told.hour == 5


def test_whoever_dies_in_the_middle_has_learned_nothing(version, clock, monkeypatch):
    some_runs(version, clock, many=1)
    count_all()
    duty.make()

    def dying(rows, after, last):
        with transaction.atomic():
            real(rows, after, last)
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
    expected = ["forecast_cursor", "next_to_forecast", "open_to_forecast", "work_calendars"]
    assert statements() == few == expected
