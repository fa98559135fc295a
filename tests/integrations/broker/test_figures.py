"""What `/metrics` tells of a broker (R-201), and that without one it tells nothing of it."""

import pytest
from django.db import connection

from config.figures import Figures
from tests import factories as make
from tests.store.watching import watching

pytestmark = pytest.mark.django_db(transaction=True)

BACKLOG = ("workflow_engine_dispatch_outbox_backlog",)
LEADER = ("workflow_engine_dispatch_relay_leader",)
UNTAKEN = ("handoff_outbox_untaken",)
LAG = ("workflow_engine_kafka_consumer_lag_seconds", "workflow.jobs.presses", "workflow.workers.presses")


def told():
    """(name, labels) → value."""
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in Figures().collect()
        for sample in family.samples
    }


@pytest.fixture
def job(outbox):
    """A job that consumers are to be told of, and could have had for ten seconds."""
    make.start(make.graph([{"id": "job", "type": "job", "queue": "presses"}], []))
    with connection.cursor() as cursor:
        cursor.execute("UPDATE runs_stepexecution SET available_at = available_at - interval '10 seconds'")


def test_what_waits_for_the_broker_and_for_consumers(job, settings):
    settings.HANDOFF_BROKER = "kafka"
    with watching() as seen:
        found = told()
    assert sorted(seen.named) == ["count_open", "count_queues", "count_state", "outbox_standing", "standing"]
    assert (found["handoff_outbox_waiting",], found[BACKLOG]) == (1, 1)
    assert 0 <= found["handoff_outbox_oldest_seconds",] < 60
    assert 10 <= found[LAG] < 60


def test_what_a_relay_has_published_is_counted_by_both_names(job, relay):
    before = told()
    relay.turn()
    after = told()
    names = (
        ("handoff_outbox_published_total",),
        ("workflow_engine_dispatch_relay_publish_total", "success"),
        ("workflow_engine_dispatch_relay_batch_latency_seconds_count",),
    )
    assert [after[name] - before.get(name, 0) for name in names] == [1, 1, 1]
    assert (before[UNTAKEN], after[UNTAKEN], after[BACKLOG]) == (0, 1, 0)


def test_a_relay_leads_until_it_leaves(relay):
    assert told()[LEADER] == 0
    relay.turn()
    assert told()[LEADER] == 1
    relay.leave()
    assert told()[LEADER] == 0


def test_a_relay_that_was_killed_leads_no_more(relay):
    relay.turn()
    with connection.cursor() as cursor:
        cursor.execute("UPDATE runs_dispatchleader SET expires_at = clock_timestamp() - interval '1 second'")
    assert told()[LEADER] == 0


def test_what_could_not_be_published_is_counted(job):
    with connection.cursor() as cursor:
        cursor.execute("UPDATE dispatch_outbox SET tries = 1, error = 'No broker'")
    assert told()[("handoff_outbox_failing",)] == 1


def test_without_a_broker_nothing_is_told_of_one(db):
    names = {name for name, *_ in told()}
    assert not names & {
        BACKLOG[0],
        LEADER[0],
        LAG[0],
        "handoff_outbox_waiting",
        "workflow_engine_dispatch_relay_publish_total",
    }
