"""Queues that Kafka has no topic for: who publishes them is told so, and jobs of them are done by who polls."""

import pytest

from integrations.broker.broker import BEHIND, Event, Verdict
from integrations.broker.kafka import KafkaBroker
from integrations.broker.relay import Relay
from integrations.broker.store import outbox_standing
from runs.commands import job_reports
from runs.commands.jobs import poll
from runs.models import Run
from tests import factories as make
from tests import rochallor
from tests.integrations.rochallor.conftest import engine, linear
from workflows.checking.check import check

__all__ = ["engine", "linear"]
pytestmark = pytest.mark.django_db
COLON = {"id": "a", "type": "job", "queue": "pay:card"}
PLAIN = COLON | {"queue": "Pay.card_2-x"}


@pytest.fixture
def through_kafka(settings):
    settings.HANDOFF_DISPATCH_MODE, settings.HANDOFF_BROKER = "kafka_outbox", "kafka"


def found(*nodes):
    return [
        (one.severity, one.code, one.field, one.node)
        for one in check(make.graph([*nodes], []), tenant=make.a_tenant().pk).problems
        if one.code == "queue_without_topic"
    ]


def test_with_kafka_a_queue_with_a_colon_is_refused_where_it_stands(through_kafka):
    assert found(COLON) == [("error", "queue_without_topic", "nodes[0].queue", "a")]
    assert found(PLAIN) == []
    assert found({"id": "a", "type": "job"}) == []
    undone = PLAIN | {"compensate": {"type": "job", "queue": "un:do"}}
    assert found(undone) == [("error", "queue_without_topic", "nodes[0].compensate.queue", "a")]


@pytest.mark.parametrize(
    ("body", "field", "node"),
    [
        ({"type": "job", "queue": "a:b"}, "nodes[0].params.body.queue", "all"),
        (
            {"steps": [{"id": "in", "type": "job", "queue": "a:b"}]},
            "nodes[0].params.body.steps[0].queue",
            "in",
        ),
    ],
)
def test_so_is_one_within_a_container(through_kafka, body, field, node):
    each = {"id": "all", "type": "map", "params": {"items": "{{ input.rows }}", "body": body}}
    assert found(each) == [("error", "queue_without_topic", field, node)]


@pytest.mark.parametrize("broker", ["", "redis"])
def test_without_kafka_it_is_as_good_as_any(settings, broker):
    settings.HANDOFF_BROKER = broker
    assert found(COLON) == []


def test_s4s_uploads_are_told_so(linear, through_kafka):
    service = rochallor.service("a", "end", jobType="pay:card")
    answer = linear.post("definitions", rochallor.document(service, name="cards"), 400)
    assert "pay:card" in str(answer)
    assert "topic" in str(answer)


def test_a_job_of_such_a_queue_that_is_there_already_is_done_by_who_polls(outbox, through_kafka):
    [run_id] = make.start(make.graph([COLON, PLAIN | {"id": "b"}], []))
    broker = KafkaBroker({"bootstrap.servers": "127.0.0.1:1"}, partitions=1, seconds=0.2)
    relay = Relay(broker, "here", 300)
    relay.turn()
    relay.leave()
    assert (outbox_standing()["aside"], outbox_standing()["failing"]) == (1, 2)
    assert "no topic of Kafka can be called 'workflow.jobs.pay:card'" in str(outbox_standing()["why"])
    [job] = poll(tenant=make.a_tenant().pk, worker="w", queues=["pay:card"], max_jobs=10)
    assert job_reports.complete(
        tenant=job.step.tenant_id, job=job.step.id, lease_token=job.lease_token, output=None
    ).applied
    assert outbox_standing()["aside"] == 0
    assert Run.unsafe_all_tenants.get(pk=run_id).status == "RUNNING"


class Full:
    """A producer that takes the second event and those behind it only."""

    def __init__(self):
        self.asked = []

    def produce(self, topic, value, key, headers, on_delivery):
        self.asked.append((topic, key))
        if len(self.asked) == 1:
            raise BufferError
        on_delivery(None, None)

    def poll(self, seconds):
        return 0

    def flush(self, seconds):
        return 0

    def purge(self, blocking):
        pass


def test_in_kafka_too_only_events_of_the_same_topic_and_run_wait_behind_another(monkeypatch):
    broker = KafkaBroker({}, partitions=1)
    monkeypatch.setattr(broker, "_missing", lambda unknown, until: {})
    monkeypatch.setattr(broker, "_line", Full)
    places = [("one", "run"), ("one", "run"), ("two", "run"), ("one", "another")]
    outcomes = broker.publish([Event(row, topic, key, b"", {}) for row, (topic, key) in enumerate(places)])
    assert [one.verdict for one in outcomes] == [Verdict.RETRY, Verdict.RETRY, Verdict.SENT, Verdict.SENT]
    assert outcomes[1].why == BEHIND
