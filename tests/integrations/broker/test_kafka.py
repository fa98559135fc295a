"""Kafka as the broker, with a real one: what it has, in which order, and what is said of what it doesn't take."""

import signal
import time
from itertools import count

import pytest
from confluent_kafka import KafkaError

from integrations.broker.broker import Event, Outcome, Verdict
from integrations.broker.kafka import SECONDS, KafkaBroker

pytestmark = pytest.mark.kafka
SENT = Verdict.SENT
_numbers = count(1)


@pytest.fixture
def topic():
    """One that nobody has used."""
    return f"workflow.jobs.queue-{next(_numbers)}"


@pytest.fixture
def broker(kafka):
    one = KafkaBroker(kafka.client, partitions=3)
    yield one
    one.close()


def event(row, topic, key="run", value=b"value"):
    return Event(row, topic, key, value, {"content-type": "x", "dedup-id": str(row), "job-id": f"job-{row}"})


def verdicts(outcomes):
    return [outcome.verdict.name for outcome in outcomes]


def send_at_last(broker, *events):
    """As the relay does, again and again: a node that came back takes a moment."""
    left = list(events)
    for _ in range(10):
        outcomes = broker.publish(left)
        left = [one for one, outcome in zip(left, outcomes, strict=True) if outcome.verdict is Verdict.RETRY]
        if not left:
            return
    raise AssertionError(outcomes)


def told(node, topic):
    """The rows whose events are on a topic."""
    return [int(kept.headers["dedup-id"]) for kept in node.kept(topic)]


def test_events_of_a_run_stay_in_order_whatever_their_number(kafka, broker, topic):
    events = [event(row, topic, f"run-{row % 7}", b"%d" % row) for row in range(500)]
    assert broker.publish(events[:200]) == [Outcome(row, SENT) for row in range(200)]
    assert broker.publish(events[200:]) == [Outcome(row, SENT) for row in range(200, 500)]
    kept = kafka.kept(topic)
    assert kafka.partitions(topic) == 3
    assert len({one.partition for one in kept}) > 1
    for run in range(7):
        of_run = [one for one in kept if one.key == f"run-{run}"]
        assert [int(one.value) for one in of_run] == [row for row in range(500) if row % 7 == run]
        assert len({one.partition for one in of_run}) == 1
    assert kept[0].headers == {
        "content-type": "x",
        "dedup-id": kept[0].value.decode(),
        "job-id": f"job-{kept[0].value.decode()}",
    }


def test_nothing_is_published_without_events(broker):
    assert broker.publish([]) == []


def test_what_is_too_large_is_poison_and_harms_nobody_else(kafka, broker, topic):
    kafka.make(topic, max_message_bytes="20000")
    events = [
        event(1, topic),
        event(2, topic, value=b"x" * 30_000),
        event(3, topic, value=b"x" * 3_000_000),
        event(4, topic),
    ]
    outcomes = broker.publish(events)
    assert verdicts(outcomes) == ["SENT", "POISON", "POISON", "SENT"]
    assert outcomes[1].why == f"30000 bytes are more than {topic} takes"
    assert told(kafka, topic) == [1, 4]


def test_events_that_are_too_large_only_together_are_sent(kafka, broker, topic):
    kafka.make(topic, max_message_bytes="20000")
    events = [event(row, topic, f"run-{row}", b"x" * 5_000) for row in range(30)]
    assert verdicts(broker.publish(events)) == ["SENT"] * 30
    assert sorted(told(kafka, topic)) == list(range(30))


@pytest.mark.parametrize("name", ["workflow.jobs.a:b", "ä", "", ".", "..", "x" * 250, "a b"])
def test_what_can_not_be_a_topic_is_poison(broker, topic, name):
    outcomes = broker.publish([event(1, name), event(2, topic)])
    assert verdicts(outcomes) == ["POISON", "SENT"]
    assert "no topic" in outcomes[0].why


def test_a_topic_that_another_is_in_the_way_of_is_poison(broker, topic):
    """Kafka takes dots and underscores for the same."""
    outcomes = broker.publish([event(1, topic)]) + broker.publish([event(2, topic.replace(".", "_", 1))])
    assert verdicts(outcomes) == ["SENT", "POISON"]
    assert "collides" in outcomes[1].why


def test_who_may_not_make_topics_says_which_to_make(kafka, topic):
    broker = KafkaBroker(kafka.client, partitions=1, makes_topics=False)
    there = f"{topic}-there"
    kafka.make(there)
    events = [
        event(1, topic, "behind"),
        event(2, there, "other"),
        event(3, there, "behind"),
        event(4, there, "other"),
    ]
    outcomes = broker.publish(events)
    assert verdicts(outcomes) == ["RETRY", "SENT", "SENT", "SENT"]
    assert outcomes[0].why.startswith(f"create the topic {topic}")
    assert sorted(told(kafka, there)) == [2, 3, 4]
    kafka.make(topic)
    assert verdicts(broker.publish([events[0]])) == ["SENT"]
    broker.close()


def test_a_topic_that_was_removed_is_made_anew(kafka, broker, topic):
    assert verdicts(broker.publish([event(1, topic)])) == ["SENT"]
    kafka.remove(topic)
    send_at_last(broker, event(2, topic))
    assert told(kafka, topic) == [2]


def test_a_broker_that_stands_still_is_waited_for_in_bounds(kafka, broker, topic):
    assert verdicts(broker.publish([event(0, topic)])) == ["SENT"]
    kafka.signal(signal.SIGSTOP)
    try:
        began = time.monotonic()
        known = broker.publish([event(row, topic) for row in range(1, 4)])
        between = time.monotonic()
        unknown = broker.publish([event(9, f"{topic}-new")])
        ended = time.monotonic()
    finally:
        kafka.signal(signal.SIGCONT)
    assert verdicts(known + unknown) == ["RETRY"] * 4
    assert between - began < SECONDS + 1
    assert ended - between < SECONDS + 1
    assert known[0].why == "Kafka does not answer"
    send_at_last(broker, *(event(row, topic) for row in range(1, 4)))
    # What it had in hand may come twice, and never out of order.
    assert list(dict.fromkeys(told(kafka, topic))) == [0, 1, 2, 3]


def test_a_broker_that_dies_and_comes_back_has_everything(kafka, broker, topic):
    assert verdicts(broker.publish([event(0, topic)])) == ["SENT"]
    kafka.kill()
    try:
        began = time.monotonic()
        lost = broker.publish([event(row, topic) for row in range(1, 4)])
        assert time.monotonic() - began < SECONDS + 1
    finally:
        kafka.start()
    assert verdicts(lost) == ["RETRY"] * 3
    assert "refused" in lost[0].why
    send_at_last(broker, *(event(row, topic) for row in range(1, 4)))
    assert told(kafka, topic) == [0, 1, 2, 3]


def test_a_producer_that_can_go_on_no_more_is_made_anew(kafka, broker, topic):
    assert verdicts(broker.publish([event(1, topic)])) == ["SENT"]
    first = broker._producer
    broker._note(KafkaError(KafkaError._FATAL, "fenced", fatal=True))
    assert verdicts(broker.publish([event(2, topic)])) == ["SENT"]
    assert verdicts(broker.publish([event(3, topic)])) == ["SENT"]
    assert broker._producer not in (None, first)
    assert told(kafka, topic) == [1, 2, 3]
