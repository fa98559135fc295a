"""Telemetry over REST: the scoreboard of any period, of what one may read, and steps by type or node."""

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from operations.telemetry.models import StepTelemetry, TelemetryBucket
from tests import factories as make
from tests.operations.telemetry.factories import RunTelemetryFactory
from tests.store.watching import watching
from tests.telemetry import count_all
from workflows.models import Workflow

pytestmark = pytest.mark.django_db

SUMMARY, STEPS = "/api/v1/telemetry/summary", "/api/v1/telemetry/step-types"
ONE = {"retry": "none"}


@pytest.fixture
def busy(people):
    """Three runs of `good`, of which two completed and one is open, and one of `bad`, which failed."""
    tenant = people.tenant()
    good = make.a_version({**make.chain("noop", "noop"), "name": "good"}, tenant=tenant)
    bad = make.a_version({**make.graph([{"id": "x", **ONE}], []), "name": "bad"}, tenant=tenant)
    make.start_version(good, {}, {})
    make.work()
    make.start_version(bad, {})
    make.fail(make.claimed()[0])
    make.start_version(good, {})
    count_all()
    return good, bad


def test_the_scoreboard_of_the_last_seven_days(api, busy):
    shown = api.get(SUMMARY).json()
    counts = ("runs", "started", "completed", "failed", "cancelled", "interventions")
    assert [shown[name] for name in counts] == [3, 4, 2, 1, 0, 0]
    assert (shown["completion_rate"], shown["failed_rate"]) == (pytest.approx(2 / 3), pytest.approx(1 / 3))
    assert shown["targets"] == {"completion_rate": 0.999, "failed_rate": 0.001, "interventions_per_day": 0.0}
    assert shown["average_seconds"] is not None
    assert shown["p50_seconds"] <= shown["p95_seconds"]
    assert shown["p50_range_seconds"][0] <= shown["p50_seconds"] <= shown["p50_range_seconds"][1]
    assert (shown["resumed"], shown["endings"]) == (0, 3)
    rows = [(row["workflow"], row["runs"], row["completion_rate"]) for row in shown["by_workflow"]]
    assert rows == [(busy[0].workflow.name, 2, 1.0), (busy[1].workflow.name, 1, 0.0)]
    assert (shown["by_version"], shown["step"], len(shown["by_day"])) == ([], "day", 8)
    assert sum(day["started"] for day in shown["by_day"]) == 4
    assert not shown["behind"]


def test_a_workflow_has_its_versions_side_by_side(api, busy, people):
    good = busy[0]
    newer = make.next_version(good.workflow, make.chain("noop"))
    make.start_version(newer, {})
    make.work()
    count_all()
    shown = api.get(SUMMARY, {"workflow": good.workflow.name}).json()
    assert [(row["version"], row["completed"]) for row in shown["by_version"]] == [(1, 3), (2, 1)]
    assert shown["by_workflow"] == []
    steps = api.get(STEPS, {"workflow": good.workflow.name, "version": 2, "by": "node"}).json()["results"]
    assert [(row["node"], row["step_type"], row["count"]) for row in steps] == [("a", "noop", 1)]


def test_steps_by_their_type(api, busy):
    [row] = api.get(STEPS).json()["results"]
    assert (row["step_type"], row["node"], row["count"], row["failed"]) == ("noop", None, 5, 1)
    assert (row["failure_share"], row["share_of_failures"]) == (0.2, 1.0)
    assert row["machine"]["p50"] is not None
    low, high = row["machine"]["p50_range"]
    assert low <= row["machine"]["p50"] <= high
    assert row["human"] == {"p50": None, "p95": None, "p50_range": None, "p95_range": None, "total_ms": 0}
    assert {row["node"] for row in api.get(STEPS, {"by": "node"}).json()["results"]} == {"a", "b", "x"}


def test_a_period_counts_its_hours_at_both_ends_and_its_days_between(api, people):
    tenant = people.tenant()
    version = make.a_version(make.chain("noop"), tenant=tenant)
    now = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    begin = (now - timedelta(days=4)).replace(hour=5)
    expected = 0
    row = {"workflow_id": version.workflow_id, "version_id": version.pk, "tenant_id": tenant.pk}
    of_days = Counter()
    for hour in range(24 * 4):
        at = begin + timedelta(hours=hour - 8)
        RunTelemetryFactory(at=at, completed=hour, **row)
        of_days[at.replace(hour=0)] += hour
        expected += hour if begin <= at < begin + timedelta(days=3, hours=2) else 0
    for day, completed in of_days.items():
        RunTelemetryFactory(span="day", at=day, completed=completed, **row)
    period = {"from": begin.isoformat(), "to": (begin + timedelta(days=3, hours=2)).isoformat()}
    shown = api.get(SUMMARY, period).json()
    assert shown["completed"] == expected == sum(day["completed"] for day in shown["by_day"])
    short = {"from": begin.isoformat(), "to": (begin + timedelta(hours=30)).isoformat()}
    shown = api.get(SUMMARY, short).json()
    assert (shown["step"], len(shown["by_day"])) == ("hour", 30)
    assert shown["completed"] == sum(range(8, 38))


def test_what_one_may_not_read_is_in_no_figure(people, busy):
    good, bad = (version.workflow.name for version in busy)
    closed = make.FolderFactory(tenant=people.tenant())
    Workflow.objects.for_tenant(people.tenant().pk).filter(name=bad).update(folder=closed)
    viewer = people.client("viewer")
    shown = viewer.get(SUMMARY).json()
    assert (shown["failed"], [row["workflow"] for row in shown["by_workflow"]]) == (0, [good])
    assert viewer.get(STEPS).json()["results"][0]["failed"] == 0
    answers = [viewer.get(SUMMARY, {"workflow": name}) for name in (bad, "none")]
    assert [answer.status_code for answer in answers] == [400, 400]
    assert len({answer.json()["error"]["message"] for answer in answers}) == 1
    assert people.client("admin", tenant="theirs").get(SUMMARY).json()["started"] == 0


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"from": "yesterday"}, "from"),
        ({"to": "2026-01-01"}, "to"),
        ({"from": "2026-01-02T00:00:00Z", "to": "2026-01-01T00:00:00Z"}, "from"),
        ({"from": "0001-01-01T00:00:00Z"}, "from"),
        ({"to": "0001-01-01T00:00:00Z"}, "to"),
        ({"from": "9999-12-31T00:00:00Z", "to": "9999-12-31T23:59:00Z"}, "to"),
        ({"workflow": "none"}, "workflow"),
        ({"days": "7"}, "days"),
    ],
)
def test_bad_input_names_the_parameter(api, given, field):
    for address in (SUMMARY, STEPS):
        answer = api.get(address, given)
        assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"version": "1"}, "version"),
        ({"workflow": "{good}", "version": "9"}, "version"),
        ({"by": "day"}, "by"),
    ],
)
def test_of_steps_too(api, busy, given, field):
    answer = api.get(STEPS, {name: text.format(good=busy[0].workflow.name) for name, text in given.items()})
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)


def test_so_many_statements_whatever_there_is(api, busy):
    def statements(address):
        with watching() as seen:
            assert api.get(address).status_code == 200
        return len(seen.named) + len(seen.orm)

    statements(SUMMARY)
    before = statements(SUMMARY), statements(STEPS)
    for name in ("c", "d", "e"):
        make.start(make.chain("noop", "noop") | {"name": name}, tenant=busy[0].tenant)
    make.work()
    count_all()
    assert (statements(SUMMARY), statements(STEPS)) == before
    assert StepTelemetry.unsafe_all_tenants.exists()
    assert TelemetryBucket.unsafe_all_tenants.exists()
