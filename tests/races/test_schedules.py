"""Ticks at the same moment: each due time of a schedule starts one run, whoever comes first (R-259)."""

import triggers.schedules.duties  # noqa: F401 (the duty)
from runs.maintenance import duties
from tests import factories as make
from tests.races.staging import Actor, blocked, holding
from tests.schedules import a_schedule, an_owner, entries, runs_of
from tests.schedules import holding as waiting
from triggers.schedules import firing
from triggers.schedules.models import ScheduleEntry
from triggers.schedules.service import change_schedule, run_now

TICKS = 4
STARTED = ("started", "")


def test_of_two_ticks_at_once_one_starts_the_run_and_the_other_finds_nothing(clock, rounds):
    schedule = a_schedule(make.a_version(make.chain("noop")), overlap="allow")
    for round_ in rounds:
        clock.advance(60)
        with holding(firing.fire, before="insert_entries") as first:
            others = [Actor(firing.fire) for _ in range(TICKS)]
            assert [each.end() for each in others] == [0] * TICKS
        assert first.end() == 1
        assert len(runs_of(schedule)) == round_ + 1
    make.work()
    assert entries(schedule) == [STARTED] * len(rounds)


def test_two_beats_tick_as_one(clock):
    """Each of them sends its tick, and a worker that hears none does the duty by itself."""
    schedule = a_schedule(make.a_version(make.chain("noop")), overlap="allow")
    clock.advance(60)
    actors = [Actor(lambda worker=f"w{number}": duties.do("schedules", worker)) for number in range(TICKS)]
    assert sorted(each.end() for each in actors) == [0] * (TICKS - 1) + [1]
    assert entries(schedule) == [STARTED]
    make.work()


def test_while_a_schedule_is_being_done_another_is_done_beside_it(clock):
    version = make.a_version(make.chain("noop"))
    one, other = a_schedule(version, "one"), a_schedule(version, "other")
    clock.advance(60)
    with holding(firing.fire, before="insert_entries"):
        assert firing.fire() == 1
    assert entries(one) == entries(other) == [STARTED]
    make.work()


def test_who_pauses_it_meanwhile_waits_and_finds_the_run_there(clock):
    schedule = a_schedule(waiting())
    owner = an_owner(schedule.workflow)
    clock.advance(60)
    with holding(firing.fire, before="insert_entries"):
        pause = blocked(lambda: change_schedule(owner, "nightly", enabled=False))
    assert pause.end().next_due_at is None
    assert entries(schedule) == [STARTED]
    clock.advance(60)
    assert firing.fire() == 0


def test_what_is_run_by_hand_meanwhile_is_seen_as_open(clock):
    schedule = a_schedule(waiting(), overlap="skip")
    owner = an_owner(schedule.workflow)
    clock.advance(60)
    with holding(lambda: run_now(owner, "nightly"), before="insert_entries"):
        assert firing.fire() == 0
    firing.fire()
    due = ScheduleEntry.unsafe_all_tenants.get(is_manual=False)
    assert (due.status, due.reason) == ("skipped", "overlap")
