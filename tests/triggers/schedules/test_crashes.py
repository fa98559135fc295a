"""Whatever point a worker dies at while schedules are done, each due time is dealt with once (R-259)."""

from datetime import UTC, datetime, timedelta

import pytest

from lib.clock import set_now
from lib.uuid7 import uuid7
from runs.models import Run
from tests import factories as make
from tests import invariants
from tests.crash import choosing, victim
from tests.schedules import a_schedule, entries, holding, runs_of
from tests.triggers.schedules import crashing
from triggers.schedules import firing
from triggers.schedules.models import ScheduleEntry

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.processes]

START = datetime(2031, 1, 1, 9, tzinfo=UTC)
TIMES = [START + timedelta(minutes=minutes) for minutes in (2, 3, 20)]


@pytest.fixture(autouse=True)
def _real_clock():
    yield
    set_now(None)


def prepared(overlap):
    """A schedule of every minute whose runs end when they are worked on, and one whose runs don't."""
    set_now(START)
    ends = a_schedule(make.a_version(make.chain("noop")), uuid7(), overlap=overlap, catchup_seconds=300)
    stays = a_schedule(holding(), uuid7(), overlap=overlap, catchup_seconds=300)
    return ends, stays


@pytest.mark.parametrize("chosen", choosing.EACH_TRANSACTION_OR_POINT)
def test_each_due_time_is_dealt_with_once_wherever_a_worker_dies(chosen):
    seen, died_at = set(), set()
    for overlap in ("buffer_one", "cancel_previous"):
        prepared(overlap)
        hits = victim.hits_of(crashing.tick_schedules, TIMES)
        points = chosen(hits) - died_at
        seen |= choosing.every(hits)
        died_at |= points
        for point in sorted(points):
            pair = prepared(overlap)
            victim.dies(f"{point}:2", crashing.tick_schedules, TIMES)
            crashing.tick_schedules(TIMES[-1:])
            for schedule in pair:
                found = entries(schedule)
                counted = ScheduleEntry.unsafe_all_tenants.filter(schedule=schedule.pk)
                assert sum(counted.values_list("due_count", flat=True)) == 20, (point, found)
                started = [each for each in found if each[0] == "started"]
                assert len(runs_of(schedule)) == len(started), (point, found)
            assert invariants.broken() == {}, point
            Run.unsafe_all_tenants.update(created_by="earlier")
    expected = {f"before_{name}" for name in crashing.STAGED.split()} - {"before_moment"}
    assert expected - seen == set()
    set_now(TIMES[-1])
    assert firing.fire() == 0
