"""Forecasts cost little: what is known is not read again, what says the same is not written, nobody is told in vain."""

import pytest

from runs.kernel import live
from runs.maintenance import forecasts as duty
from runs.maintenance import past as known_past
from runs.maintenance.clocks import Clocks
from runs.maintenance.forecasting import forecast_of, is_another
from runs.maintenance.past import Past
from runs.models import Calendar
from runs.store import forecasts as store
from tests import factories as make
from tests.runs.forecasting import WORKS, clocks_of, forecast, look, some_runs
from tests.store.watching import watching
from tests.telemetry import count_all

pytestmark = pytest.mark.django_db

ASKS = {"id": "ask", "type": "human.approval", "params": {"title": "Go on?"}}


@pytest.fixture
def version():
    return make.a_version(WORKS)


@pytest.fixture
def told(monkeypatch) -> list[str]:
    """The runs of which watchers were told."""
    runs: list[str] = []
    monkeypatch.setattr(live, "tell", lambda changes: runs.extend(change.run_id for change in changes))
    return runs


def statements() -> list[str]:
    """What a tick sends."""
    with watching() as seen:
        duty.make()
    return seen.named


def an_open_run(version) -> str:
    """A run that is at its first step, which somebody has in hand."""
    run_id = make.start_version(version, {})[0]
    make.claimed()
    return run_id


def read_anew(run_id, past) -> tuple:
    """What is told of a run by what is known so: its forecast, whether or not it is another one than is kept."""
    found = store.runs_to_forecast([run_id])
    past.read(found.open, found.now)
    clocks = Clocks()
    clocks.read({(run.tenant_id, run.version_id) for run in found.open})
    return forecast_of(found.open[0], found.now, past, clocks)


def test_a_calendar_is_made_a_clock_once_until_it_is_changed(clock):
    version = make.a_version(make.graph([ASKS], []))
    calendar = make.CalendarFactory(tenant_id=version.tenant_id)

    def of_now():
        return clocks_of(version).of(version.tenant_id, version.pk, "ask")[0]

    first = of_now()
    assert of_now() is first
    clock.advance(86_400)
    assert of_now() is first
    Calendar.objects.for_tenant(version.tenant_id).filter(pk=calendar.pk).update(closes=720)
    changed = of_now()
    assert changed is not first
    noon = clock.now.replace(hour=12, minute=0).timestamp()
    assert changed.place(noon + 3_600) == changed.place(noon)
    Calendar.objects.for_tenant(version.tenant_id).filter(pk=calendar.pk).update(closes=1020, name="Office")
    assert of_now() is first


def test_tenants_calendars_are_read_in_one_statement():
    graph = make.graph([ASKS], [])
    versions = [make.a_version(graph, tenant=make.a_tenant(slug)) for slug in ("one", "two", "three")]
    for version in versions:
        make.CalendarFactory(tenant_id=version.tenant_id)
    pairs = [(version.tenant_id, version.pk) for version in versions]
    clocks_of(versions[0]), clocks_of(versions[1]), clocks_of(versions[2])
    with watching() as wire:
        clocks = Clocks()
        clocks.read(pairs), clocks.read(pairs)
    assert wire.trips == 1


def test_a_process_counts_on_what_it_has_read_once(version, clock):
    some_runs(version, clock)
    run_id = an_open_run(version)
    look()
    before = forecast(run_id)
    some_runs(version, clock, seconds=(60, 6_000), many=40)
    count_all()
    seen = statements()
    assert "learn_rest_times" in seen
    assert "rest_times" not in seen
    assert forecast(run_id).p90 > before.p90
    kept, anew = (read_anew(run_id, past) for past in (duty._past, Past()))
    assert kept == anew


def test_what_another_process_has_learned_is_read(version, clock):
    some_runs(version, clock)
    run_id = an_open_run(version)
    look()
    some_runs(version, clock, seconds=(60, 6_000), many=40)
    count_all()
    duty.learn(Past(), Clocks(), 1)
    assert "rest_times" in statements()
    assert read_anew(run_id, duty._past) == read_anew(run_id, Past())


def test_weeks_that_pass_are_no_more_counted_by_whoever_has_read_them(version, clock):
    some_runs(version, clock)
    run_id = an_open_run(version)
    look()
    assert forecast(run_id)
    clock.advance(15 * 7 * 86_400)
    look()
    assert forecast(run_id) is None


def test_little_news_is_no_reason_to_tell_by_it():
    row = {"tenant_id": 1, "workflow_id": 1, "version_id": 1, "node": "a", "week": "", "is_working": False}

    def rows(times):
        return [row | {"lasted": 9, "bucket": 9, "times": times}]

    past = Past()
    past._known[1, "a"] = known_past._Known(1, {})
    past._versions[1, "a"] = {1}
    assert past.of(1, "a", may_work=False) is None
    past.add(rows(100), 1)
    first = past.of(1, "a", may_work=False)
    past.add(rows(2), 2)
    assert past.of(1, "a", may_work=False) is first
    past.add(rows(1), 3)
    assert past.of(1, "a", may_work=False)[0].total == 103


def test_what_is_known_is_bounded_and_what_was_forgotten_is_read_again(version, clock, monkeypatch):
    some_runs(version, clock)
    other = make.next_version(version.workflow, {**WORKS, "description": "as before"})
    run_ids = [an_open_run(one) for one in (version, other)]
    look()
    told = [forecast(run_id) for run_id in run_ids]
    monkeypatch.setattr(known_past, "PAST_COUNTS", 1)
    monkeypatch.setattr(duty, "RUNS", 1)
    assert statements().count("rest_times") >= 1
    assert len({version for version, _ in duty._past._known}) == 1
    assert [forecast(run_id).p50 for run_id in run_ids] == [row.p50 for row in told]


def test_a_forecast_is_written_only_where_it_says_something_else(version, clock, told):
    some_runs(version, clock)
    run_id = an_open_run(version)
    told.clear()
    look()
    first = forecast(run_id)
    assert told == [run_id]
    assert (first.p50.second, first.p50.microsecond) == (0, 0)
    clock.advance(1)
    assert "keep_forecasts" not in statements()
    assert forecast(run_id).made_at == first.made_at
    assert told == [run_id]
    clock.advance(1_200)
    look()
    assert forecast(run_id).p50 > first.p50
    assert forecast(run_id).made_at == clock.now
    assert told == [run_id] * 2


def test_who_watches_is_told_of_a_forecast_that_is_gone(version, clock, told):
    some_runs(version, clock)
    run_id = an_open_run(version)
    look()
    make.pause(run_id)
    told.clear()
    look()
    assert forecast(run_id) is None
    assert told == [run_id]
    look()
    assert told == [run_id]


@pytest.mark.parametrize(
    ("away", "by", "expected"),
    [
        (3_600, 60, False),
        (3_600, 240, True),
        (864_000, 36_000, False),
        (864_000, 50_000, True),
        (0, 60, True),
    ],
)
def test_an_end_is_another_one_by_a_twentieth_of_how_far_away_it_is(away, by, expected):
    row = {"run_id": "", "p50": 1e9 + away, "p90": 1e9 + 1e7, "risk": None}
    for before in (row["p50"] - by, row["p50"] + by):
        assert is_another(row, row | {"p50": before}, 1e9) is expected
    assert is_another(row, row | {"risk": 0.5}, 1e9)
    assert is_another(row, None, 1e9)
    assert not is_another(row, row, 1e9)
