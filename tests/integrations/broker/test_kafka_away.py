"""Kafka as the broker where there is none."""

import time

from config.embedded.redis import free_port
from integrations.broker.broker import Event, Verdict
from integrations.broker.kafka import KafkaBroker


def test_where_nothing_listens_events_are_to_be_sent_again_within_the_bound():
    broker = KafkaBroker({"bootstrap.servers": f"127.0.0.1:{free_port()}"}, partitions=1, seconds=1.0)
    events = [Event(row, "workflow.jobs.pay", "run", b"", {"job-id": "j"}) for row in (1, 2)]
    events.append(Event(3, "workflow.jobs.a:b", "run", b"", {"job-id": "j"}))
    began = time.monotonic()
    outcomes = broker.publish(events)
    broker.close()
    assert time.monotonic() - began < 3
    assert [one.verdict for one in outcomes] == [Verdict.RETRY, Verdict.RETRY, Verdict.POISON]
    assert [one.row for one in outcomes] == [1, 2, 3]
    assert all(one.why for one in outcomes)
