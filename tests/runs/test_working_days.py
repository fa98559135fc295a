"""Waits, timers and deadlines in working days: counted once, by the tenant's calendar, on its own clocks."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from runs.calendars import judging
from runs.calendars.judging import judge
from runs.kernel.working_time import STANDARD
from runs.models import Calendar, Timer
from runs.reading.presentation import run_row
from steps.catalogue import CATALOGUE, extended
from tests import factories as make

pytestmark = pytest.mark.django_db

FRIDAY = datetime(2031, 1, 3, 9, tzinfo=UTC)


def a_calendar(name="Office", **columns):
    return make.CalendarFactory(name=name, **{"timezone": "Europe/Berlin"} | columns)


def waits(duration="2 business days", **params):
    return make.graph([{"id": "w", "type": "wait", "params": {"duration": duration, **params}}], [])


def begun(definition):
    run_id = make.start(definition)[0]
    make.work()
    return run_id


def ends(run_id):
    (timer,) = Timer.unsafe_all_tenants.filter(run_id=run_id, status="PENDING")
    return timer.fire_at.astimezone(UTC).isoformat()


@pytest.mark.parametrize(
    ("begins", "region", "duration", "end"),
    [
        (FRIDAY, "", "2 business days", "2031-01-07T09:00:00+00:00"),
        (FRIDAY, "DE-BY", "2 working days", "2031-01-08T09:00:00+00:00"),
        (FRIDAY.replace(day=4), "", "1 business day", "2031-01-06T09:00:00+00:00"),
        # The clocks go forward in the night to Sunday, the 30th, and back in that to the 26th of October.
        (datetime(2031, 3, 28, 9, tzinfo=UTC), "", "1 business day", "2031-03-31T08:00:00+00:00"),
        (datetime(2031, 10, 24, 8, tzinfo=UTC), "", "1 business day", "2031-10-27T09:00:00+00:00"),
        (FRIDAY.replace(hour=22), "", "1 business day", "2031-01-06T16:00:00+00:00"),
    ],
)
def test_a_wait_of_working_days_ends_by_the_clocks_of_its_calendar(clock, begins, region, duration, end):
    a_calendar(region=region)
    clock.set(begins)
    assert ends(begun(waits(duration, calendar="Office"))) == end


def test_it_says_in_which_calendar_it_counts_and_one_that_is_changed_later_moves_nothing(clock):
    calendar = a_calendar()
    clock.set(FRIDAY)
    run_id = begun(waits(calendar="Office"))
    assert run_row(make.a_tenant().pk, run_id)["waiting_for"].endswith(
        ", 2 working days of Office (Europe/Berlin)"
    )

    Calendar.objects.for_tenant(calendar.tenant_id).update(weekdays=[7])
    clock.set(datetime(2031, 1, 7, 9, tzinfo=UTC))
    assert make.tick() == 1
    make.work()
    assert make.run(run_id).status == "COMPLETED"


def test_without_a_name_the_default_calendar_counts(clock):
    clock.set(FRIDAY)
    assert STANDARD.name in run_row(make.a_tenant().pk, begun(waits()))["waiting_for"]
    a_calendar("First", weekdays=[6])
    a_calendar("Second")
    assert "of First" in run_row(make.a_tenant().pk, begun(waits()))["waiting_for"]
    a_calendar("default")
    assert "of default" in run_row(make.a_tenant().pk, begun(waits()))["waiting_for"]
    gone = run_row(make.a_tenant().pk, begun(waits(calendar="Gone")))["waiting_for"]
    assert "of default (Europe/Berlin); there is no calendar Gone" in gone


def test_where_no_day_is_worked_on_days_count(clock):
    clock.set(FRIDAY)
    a_calendar(weekdays=[])
    assert ends(begun(waits(calendar="Office"))) == "2031-01-05T09:00:00+00:00"


def test_a_calendar_of_another_tenant_says_nothing(clock):
    clock.set(FRIDAY)
    other = make.a_tenant("other")
    make.CalendarFactory(tenant_id=other.pk, name="Office", weekdays=[7], opens=0, closes=1440)
    assert (
        "there is no calendar Office"
        in run_row(make.a_tenant().pk, begun(waits(calendar="Office")))["waiting_for"]
    )


def test_a_boundary_timer_counts_working_days_too_and_again_when_its_step_does(clock):
    a_calendar()
    clock.set(FRIDAY)
    timers = [{"duration": "1 business day", "calendar": "Office", "to": "late"}]
    definition = make.graph(
        [{"id": "ask", "type": "signal", "params": {"name": "go"}, "boundary_timers": timers}, "late", "end"],
        ["ask>end"],
    )
    run_id = begun(definition)
    assert ends(run_id) == "2031-01-06T09:00:00+00:00"
    clock.set(datetime(2031, 1, 6, 9, tzinfo=UTC))
    assert make.tick() == 1
    make.work()
    assert make.statuses(run_id)["late"] == "COMPLETED"


def test_the_deadline_of_a_run_is_counted_as_it_starts(clock):
    a_calendar()
    clock.set(FRIDAY)
    definition = make.graph(
        [{"id": "s", "type": "signal", "params": {"name": "go"}}],
        [],
        sla_seconds=5,
        sla_working_days=1,
        sla_calendar="Office",
    )
    run_id = begun(definition)
    assert make.run(run_id).sla_deadline == datetime(2031, 1, 6, 9, tzinfo=UTC)
    row = run_row(make.a_tenant().pk, run_id)
    assert row["sla_counts"] == "1 working day of Office (Europe/Berlin)"


def test_a_calendar_that_is_not_there_is_warned_of():
    a_calendar()
    wait = {"id": "in", "type": "wait", "params": {"duration": "1 business day", "calendar": "Gone"}}
    definition = {
        "name": "n",
        "sla_calendar": "Gone",
        "nodes": [
            {"id": "a", "type": "wait", "params": {"duration": "1 business day", "calendar": "Office"}},
            {"id": "m", "type": "map", "params": {"items": [1], "body": {"steps": [wait]}}},
            {
                "id": "b",
                "type": "noop",
                "boundary_timers": [{"duration": "P1D", "calendar": "Away", "to": "a"}],
            },
            {"id": "h", "type": "human.form", "params": {"calendar": "{{ input.which }}"}},
        ],
    }
    found = judge(make.a_tenant().pk, [definition, {"name": "x", "nodes": []}])
    assert [(one.code, one.field) for one in found[0]] == [
        ("unknown_calendar", "sla_calendar"),
        ("unknown_calendar", "nodes[1].params.body.steps[0].params.calendar"),
        ("unknown_calendar", "nodes[2].boundary_timers[0].calendar"),
    ]
    assert found[1] == []


def test_an_installed_step_type_may_keep_to_a_calendar(monkeypatch):
    types = [
        replace(CATALOGUE[like], name=name) for like, name in (("wait", "acme.wait"), ("noop", "acme.none"))
    ]
    monkeypatch.setattr(judging, "EXECUTABLE", extended(CATALOGUE, types))
    nodes = [
        {"id": f"n{at}", "type": one.name, "params": {"calendar": "Gone"}} for at, one in enumerate(types)
    ]
    (found,) = judge(make.a_tenant().pk, [make.graph(nodes, [])])
    assert [one.field for one in found] == ["nodes[0].params.calendar"]
