"""Readiness is judged by ages: of the last tick, of timers that are due, of steps that nobody claims."""

import pytest
from django.db import connection

from runs.reading import readiness
from runs.store import hot
from tests import factories as make

pytestmark = pytest.mark.django_db


def sql(statement):
    with connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.fixture(autouse=True)
def alive():
    """A worker of each queue was seen, and there was a tick."""
    for queue in readiness.QUEUES:
        hot.worker_seen(worker=f"of {queue}", queue=queue, host="here", pid=1)
    sql(
        "INSERT INTO runs_duty (name, begun_at, begun_by, done_at) VALUES ('timers', now(), 'x', clock_timestamp())"
    )


def test_all_is_well_where_everything_is_young():
    make.start(make.chain("noop"))
    standing = readiness.standing()
    assert set(standing.checks().values()) == {True}
    assert list(standing.complaints()) == []
    assert standing.ages()["oldest_claimable_step_seconds"] is not None


def test_a_clock_that_stopped_is_told():
    sql("UPDATE runs_duty SET done_at = clock_timestamp() - interval '12 s'")
    standing = readiness.standing()
    assert [name for name, good in standing.checks().items() if not good] == ["ticks"]
    assert list(standing.complaints()) == ["the last tick was 12 s ago"]


def test_a_step_that_nobody_claims_is_told_and_a_backlog_that_is_worked_off_is_not():
    make.start(make.chain("noop"), {}, {})
    sql("UPDATE runs_stepexecution SET available_at = clock_timestamp() - interval '40 s'")
    standing = readiness.standing()
    assert standing.unclaimed == ("default",)
    (complaint,) = standing.complaints()
    assert complaint == "the oldest claimable step waits for 40 s, nobody claims on default"

    hot.worker_seen(worker="of default", queue="default", host="here", pid=1, idle=2.0)
    standing = readiness.standing()
    assert (standing.unclaimed, round(standing.oldest_claimable_step)) == ((), 40)


def test_the_oldest_step_is_found_behind_other_tenants_and_priorities():
    for slug in ("one", "two"):
        make.start(make.graph(["a", {"id": "b", "priority": 5}], []), {}, {}, tenant=make.a_tenant(slug))
    sql("""UPDATE runs_stepexecution SET available_at = clock_timestamp() - interval '30 s'
            WHERE id = (SELECT max(id::text)::uuid FROM runs_stepexecution WHERE node = 'a')""")
    assert round(readiness.standing().oldest_claimable_step) == 30


def test_what_is_held_or_not_due_yet_is_not_claimable():
    make.start(make.chain("noop"))
    sql("UPDATE runs_stepexecution SET available_at = clock_timestamp() + interval '40 s'")
    assert readiness.standing().oldest_claimable_step is None
    sql("UPDATE runs_stepexecution SET available_at = clock_timestamp() - interval '40 s', held = true")
    assert readiness.standing().oldest_claimable_step is None
    sql("UPDATE runs_stepexecution SET held = false")


def test_a_timer_that_is_late_is_told():
    make.start(make.graph([{"id": "a", "type": "wait", "params": {"seconds": 60}}], []))
    make.work()
    sql("UPDATE runs_timer SET fire_at = clock_timestamp() - interval '25 s'")
    standing = readiness.standing()
    assert not standing.checks()["timers"]
    assert list(standing.complaints()) == ["the oldest overdue timer is 25 s late"]


def test_a_worker_that_fell_silent_is_told():
    sql("UPDATE runs_worker SET seen_at = clock_timestamp() - interval '9 s' WHERE queue = 'engine'")
    standing = readiness.standing()
    assert not standing.checks()["queue:engine"]
    assert list(standing.complaints()) == ["no worker answers for engine"]


def test_a_thousand_steps_of_a_tenant_cost_as_much_as_one():
    make.start(make.chain("noop"), *[{} for _ in range(1000)])
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE runs_stepexecution")
        cursor.execute("EXPLAIN (ANALYZE, FORMAT JSON) " + hot.SQL.texts["standing"], {"queues": ["default"]})
        plan = cursor.fetchone()[0][0]["Plan"]
    scans = [node for node in _walk(plan) if node.get("Relation Name") == "runs_stepexecution"]
    read = [node["Actual Rows"] * node["Actual Loops"] for node in scans]
    assert scans
    assert sum(read) <= 4


def _walk(node):
    yield node
    for child in node.get("Plans", ()):
        yield from _walk(child)
