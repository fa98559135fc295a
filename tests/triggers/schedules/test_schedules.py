"""Schedules: what is due starts once, however late; each overlap policy and catch-up window, on a skipping clock."""

import pytest
from django.db import OperationalError

from accounts.models import Membership
from lib.refusals import Conflict, Invalid
from runs.kernel.refused import RunRefused
from runs.models import Run, StartedFrom
from tests import factories as make
from tests.schedules import HOLD, a_schedule, an_owner, entries, holding, runs_of
from triggers.schedules import firing, forgetting
from triggers.schedules.limits import MISSED_FIRINGS
from triggers.schedules.models import Schedule, ScheduleEntry
from triggers.schedules.reading import get_schedule
from triggers.schedules.service import change_schedule, create_schedule, delete_schedule, next_times, run_now
from workflows.models import Workflow

STARTED, OVERLAP, MISSED = ("started", ""), ("skipped", "overlap"), ("skipped", "missed")


PLAIN = make.chain("noop")


def ended(run):
    """End a run that waits."""
    make.cancel(str(run.pk))


def test_each_due_time_starts_one_run_and_the_clock_may_skip(clock):
    schedule = a_schedule(
        make.a_version(PLAIN), overlap="allow", input={"on": "{{ schedule.due_on }}", "n": 1}
    )
    assert firing.fire() == 0
    clock.advance(60)
    assert firing.fire() == 1
    assert firing.fire() == 0
    clock.advance(150)
    firing.fire()
    assert entries(schedule) == [STARTED] * 3
    runs = runs_of(schedule)
    assert [run.input for run in runs] == [{"on": "2031-01-01", "n": 1}] * 3
    assert {run.started_from for run in runs} == {StartedFrom.SCHEDULE}
    row = get_schedule(schedule.tenant_id, "nightly")
    assert f"{row.next_due_at:%H:%M:%S}" == "09:04:00"


@pytest.mark.parametrize(
    ("overlap", "window", "expected"),
    [
        ("allow", 86_400, [STARTED] * 100),
        ("allow", 600, [MISSED, *[STARTED] * 11]),
        ("allow", 0, [MISSED, STARTED]),
        ("skip", 600, [MISSED, STARTED, *[OVERLAP] * 10]),
        ("skip", 86_400, [STARTED, *[OVERLAP] * 99]),
        ("buffer_one", 600, [MISSED, STARTED, ("buffered", "overlap"), *[OVERLAP] * 9]),
        ("cancel_previous", 600, [MISSED, *[("skipped", "replaced")] * 10, STARTED]),
    ],
)
def test_a_hundred_missed_times_are_dealt_with_as_the_policy_says(clock, overlap, window, expected):
    schedule = a_schedule(holding(), overlap=overlap, catchup_seconds=window)
    clock.advance(100 * 60)
    firing.fire(seconds=30)
    assert entries(schedule) == expected
    assert len(runs_of(schedule)) == expected.count(STARTED)
    counts = ScheduleEntry.unsafe_all_tenants.filter(schedule=schedule.pk).values_list("due_count", flat=True)
    assert sum(counts) == 100
    firing.fire()
    assert len(entries(schedule)) == len(expected)


def test_what_was_missed_for_years_is_one_row_and_no_work_without_end(clock):
    schedule = a_schedule(holding(), every_seconds=1, catchup_seconds=0)
    clock.advance(3 * 366 * 86_400)
    firing.fire()
    missed = ScheduleEntry.unsafe_all_tenants.get(schedule=schedule.pk, reason="missed")
    assert missed.due_count == MISSED_FIRINGS
    assert "10,000 of these times or more" in missed.message
    assert entries(schedule)[1] == STARTED


def test_skipping_leaves_out_what_is_due_while_a_run_is_open(clock):
    schedule = a_schedule(holding(), overlap="skip")
    clock.advance(60)
    firing.fire()
    clock.advance(60)
    firing.fire()
    (run,) = runs_of(schedule)
    assert ScheduleEntry.unsafe_all_tenants.get(reason="overlap").run_id == run.pk
    ended(run)
    clock.advance(60)
    firing.fire()
    assert entries(schedule) == [STARTED, OVERLAP, STARTED]


def test_one_due_time_is_buffered_and_starts_when_the_run_before_it_has_ended(clock):
    schedule = a_schedule(holding(), overlap="buffer_one")
    for _ in range(3):
        clock.advance(60)
        firing.fire()
    assert entries(schedule) == [STARTED, ("buffered", "overlap"), OVERLAP]
    ended(runs_of(schedule)[0])
    firing.fire()
    assert entries(schedule) == [STARTED, STARTED, OVERLAP]
    assert get_schedule(schedule.tenant_id, "nightly").buffered_due_at is None
    clock.advance(60)
    firing.fire()
    assert entries(schedule)[3] == ("buffered", "overlap")


def test_cancelling_ends_the_run_before_and_says_so(clock):
    schedule = a_schedule(holding(), overlap="cancel_previous")
    for _ in range(2):
        clock.advance(60)
        firing.fire()
    first, second = runs_of(schedule)
    assert (first.status, second.status) == ("CANCELLED", "RUNNING")
    row = ScheduleEntry.unsafe_all_tenants.get(run_id=second.pk)
    assert row.cancelled == [str(first.pk)]


def test_who_can_not_write_what_it_did_has_replaced_and_cancelled_nothing(clock, monkeypatch):
    version = make.a_version(make.graph([{"id": "a", "type": "job", "queue": "work"}], []))
    schedule = a_schedule(version, overlap="cancel_previous")
    clock.advance(60)
    firing.fire()
    make.claimed("work")
    clock.advance(60)
    firing.fire()
    clock.advance(60)
    before = entries(schedule)
    assert before == [STARTED, ("buffered", "overlap")]
    with monkeypatch.context() as patched:
        patched.setattr(firing.store, "insert_entries", lambda *_: 1 // 0)
        firing.fire()
    assert (entries(schedule), len(runs_of(schedule))) == (before, 1)
    firing.fire()
    assert entries(schedule) == [STARTED, ("skipped", "replaced"), ("buffered", "overlap")]


def test_cancelling_waits_for_a_step_that_is_being_done(clock):
    version = make.a_version(make.graph([{"id": "a", "type": "job", "queue": "work"}], []))
    schedule = a_schedule(version, overlap="cancel_previous")
    clock.advance(60)
    firing.fire()
    (step,) = make.claimed("work")
    clock.advance(60)
    firing.fire()
    clock.advance(60)
    firing.fire()
    assert entries(schedule) == [STARTED, ("skipped", "replaced"), ("buffered", "overlap")]
    make.complete(step)
    firing.fire()
    assert entries(schedule) == [STARTED, ("skipped", "replaced"), STARTED]
    assert [run.status for run in runs_of(schedule)] == ["CANCELLED", "RUNNING"]


def test_a_run_that_ends_as_it_starts_is_not_in_the_way(clock):
    version = make.a_version(make.graph([{"id": "a", "type": "decision"}], []))
    schedule = a_schedule(version, overlap="skip")
    clock.advance(180)
    firing.fire()
    make.work()
    assert entries(schedule)[0] == STARTED


def test_one_bad_schedule_stops_no_other_and_says_why(clock, monkeypatch):
    version = make.a_version(PLAIN)
    names = ("archived", "raising", "unfitting", "well")
    schedules = {name: a_schedule(version, name) for name in names}
    gone = make.a_version(PLAIN)
    Schedule.unsafe_all_tenants.filter(name="archived").update(workflow=gone.workflow_id)
    Workflow.unsafe_all_tenants.filter(pk=gone.workflow_id).update(archived_at=clock.now)
    Schedule.unsafe_all_tenants.filter(name="unfitting").update(input={"a": "{{ schedule.none }}"})
    start = firing.start_workflow

    def starting(*args, by, **more):
        if by == "schedule raising":
            raise ZeroDivisionError
        return start(*args, by=by, **more)

    monkeypatch.setattr(firing, "start_workflow", starting)
    clock.advance(60)
    assert firing.fire(seconds=30) == 4
    assert entries(schedules["archived"]) == entries(schedules["unfitting"]) == [("skipped", "refused")]
    assert entries(schedules["raising"]) == []
    assert entries(schedules["well"]) == [STARTED]
    monkeypatch.undo()
    assert firing.fire() == 1
    assert entries(schedules["raising"]) == [STARTED]


def test_where_whoever_it_acts_for_may_start_no_more_it_stops_and_the_history_says_so(clock):
    schedule = a_schedule(make.a_version(PLAIN))
    Membership.unsafe_all_tenants.filter(user__username="owner").update(role="viewer")
    clock.advance(60)
    firing.fire()
    clock.advance(60)
    assert firing.fire() == 0
    assert entries(schedule) == [("skipped", "not_allowed")]
    why = "It acts for owner, whose role (viewer) may not start runs."
    assert ScheduleEntry.unsafe_all_tenants.get().message == why
    row = get_schedule(schedule.tenant_id, "nightly")
    assert (row.enabled, row.off_reason, row.next_due_at) == (False, why, None)


def test_a_business_key_that_a_run_has_already_starts_none(clock):
    version = make.a_version(make.graph([HOLD], [], business_key="{{ input.day }}"))
    schedule = a_schedule(version, overlap="allow", input={"day": "{{ schedule.due_on }}"})
    clock.advance(120)
    firing.fire()
    assert entries(schedule) == [STARTED, ("skipped", "key_exists")]


def test_jitter_puts_off_but_loses_nothing(clock):
    schedule = a_schedule(make.a_version(PLAIN), overlap="allow", jitter_seconds=30)
    row = Schedule.unsafe_all_tenants.get()
    late = (row.fire_at - row.next_due_at).total_seconds()
    assert 0 <= late < 30
    clock.advance(60 + late - 0.001)
    assert firing.fire() == 0
    clock.advance(0.002)
    assert firing.fire() == 1
    clock.advance(150)
    firing.fire()
    assert entries(schedule) == [STARTED] * 3


def test_a_pause_is_kept_with_its_note_and_what_passed_meanwhile(clock):
    schedule = a_schedule(holding(), overlap="buffer_one")
    owner = an_owner(schedule.workflow, "other")
    for _ in range(2):
        clock.advance(60)
        firing.fire()
    paused = change_schedule(owner, "nightly", enabled=False, note="Stock-taking.")
    assert (paused.next_due_at, paused.note, paused.acts_for) == (None, "Stock-taking.", "owner")
    clock.advance(600)
    assert firing.fire() == 0
    resumed = change_schedule(owner, "nightly", enabled=True)
    assert (resumed.note, resumed.acts_for) == ("", "other")
    assert entries(schedule) == [STARTED, ("skipped", "paused"), ("skipped", "paused")]
    last = ScheduleEntry.unsafe_all_tenants.order_by("due_at").last()
    assert (last.due_count, last.message) == (10, "It was switched off. Stock-taking.")


def test_switching_on_what_is_on_loses_nothing(clock):
    schedule = a_schedule(make.a_version(PLAIN), overlap="allow")
    clock.advance(60)
    change_schedule(an_owner(schedule.workflow), "nightly", enabled=True, overlap="skip")
    firing.fire()
    assert entries(schedule) == [STARTED]


def test_it_is_run_now_also_while_it_is_off(clock):
    schedule = a_schedule(holding(), enabled=False, note="Not yet.")
    owner = an_owner(schedule.workflow)
    first, second = run_now(owner, "nightly"), run_now(owner, "nightly")
    rows = ScheduleEntry.unsafe_all_tenants.order_by("id")
    assert [(str(row.run_id), row.is_manual, row.by) for row in rows] == [
        (first, True, "owner"),
        (second, True, "owner"),
    ]
    run = Run.unsafe_all_tenants.get(pk=first)
    assert (run.created_by, run.started_from) == ("owner", StartedFrom.SCHEDULE)
    change_schedule(owner, "nightly", enabled=True)
    clock.advance(60)
    firing.fire()
    assert entries(schedule)[-1] == OVERLAP


def test_a_moment_is_due_once_and_then_nothing_is(clock):
    at = clock.now.replace(hour=10)
    schedule = a_schedule(make.a_version(PLAIN), at=at)
    assert next_times(get_schedule(schedule.tenant_id, "nightly"), 5) == [at]
    clock.advance(3_700)
    firing.fire()
    row = get_schedule(schedule.tenant_id, "nightly")
    assert (entries(schedule), row.next_due_at, next_times(row, 5)) == ([STARTED], None, [])


def test_a_changed_timing_counts_from_now_on(clock):
    schedule = a_schedule(make.a_version(PLAIN))
    owner = an_owner(schedule.workflow)
    changed = change_schedule(owner, "nightly", cron="0 7 * * *", timezone="Europe/Berlin")
    assert changed.every_seconds is None
    assert f"{changed.next_due_at:%d %H:%M}" == "02 06:00"
    renamed = change_schedule(owner, "nightly", name="early")
    assert renamed.name == "early"
    delete_schedule(owner, "early")
    assert not Schedule.unsafe_all_tenants.exists()


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({}, "cron"),
        ({"cron": "* * * * *", "every_seconds": 5}, "every_seconds"),
        ({"cron": "0 0 30 2 *"}, "cron"),
        ({"cron": "* * * * *", "timezone": "Mars/Olympus"}, "timezone"),
        ({"cron": "* * * * *", "calendar": "none"}, "calendar"),
        ({"cron": "* * * * *", "name": "a/b"}, "name"),
        ({"cron": "* * * * *", "input": {"a": "{{ input.b }}"}}, "input"),
        ({"cron": "* * * * *", "jitter_seconds": 10**6}, "jitter_seconds"),
    ],
)
def test_what_can_not_be_is_refused_at_its_field(clock, values, field):
    version = make.a_version(PLAIN)
    with pytest.raises(Invalid) as refused:
        create_schedule(an_owner(version), **({"name": "x", "workflow": version.workflow.name} | values))
    assert refused.value.field == field


def test_an_input_that_does_not_fit_is_refused_when_the_schedule_is_made(clock):
    schema = {"type": "object", "required": ["day"]}
    version = make.a_version(make.graph([HOLD], [], input_schema=schema))
    with pytest.raises(RunRefused) as refused:
        a_schedule(version)
    assert refused.value.field == "input"
    a_schedule(version, input={"day": "{{ schedule.due_on }}"})
    with pytest.raises(Conflict) as taken:
        a_schedule(version, input={"day": 1})
    assert taken.value.field == "name"


def test_old_history_is_forgotten_but_for_the_last_row(clock):
    schedule = a_schedule(make.a_version(PLAIN), overlap="allow")
    clock.advance(180)
    firing.fire()
    change_schedule(an_owner(schedule.workflow), "nightly", enabled=False)
    clock.advance((forgetting.KEPT_DAYS + 1) * 86_400)
    assert forgetting.forget() == 2
    assert entries(schedule) == [STARTED]


def test_a_database_that_is_away_is_no_fault_of_a_schedule(clock, monkeypatch):
    schedule = a_schedule(make.a_version(PLAIN))
    clock.advance(60)

    def away(found):
        raise OperationalError

    monkeypatch.setattr(firing.rights, "why_not", away)
    with pytest.raises(OperationalError):
        firing.fire()
    monkeypatch.undo()
    firing.fire()
    assert entries(schedule) == [STARTED]
