"""Kafka as the broker: a producer that repeats nothing, and topics that are made when they are first needed.

Needs the extra `kafka`; only the relay's process imports this, and a producer has threads: nothing forks after it.
"""

import re
import time
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Message, Producer, TopicCollection
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]
from django.conf import settings

from integrations.broker.broker import BEHIND, Event, Outcome, Verdict
from lib import process_metrics
from lib.messages import cut_line, named

SECONDS = 9.0
"""So long a call of `publish` may take, and nearly nothing more."""
_ASK_SECONDS = 3.0
_SILENT = "Kafka does not answer"
_TOPIC = re.compile(r"[A-Za-z0-9._-]{1,249}")
_GONE = (KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_TOPIC, KafkaError._UNKNOWN_PARTITION)
_NOT_ALLOWED = (KafkaError.TOPIC_AUTHORIZATION_FAILED, KafkaError.CLUSTER_AUTHORIZATION_FAILED)
_NEVER = (KafkaError.TOPIC_EXCEPTION, KafkaError.INVALID_RECORD)
_PRODUCER = {
    "enable.idempotence": True,
    "acks": "all",
    # What is too large for the broker is alone in what is sent, and takes nobody else with it.
    "batch.size": 65_536,
    # As clients in Java choose partitions.
    "partitioner": "murmur2_random",
    "reconnect.backoff.max.ms": 1_000,
    "socket.keepalive.enable": True,
    # What goes wrong is said by outcomes.
    "log_level": 0,
}

_errors = process_metrics.counter(
    "workflow_engine_kafka_producer_errors", "Errors of Kafka's client, by their name (R-201).", code=()
)


class KafkaBroker:
    """A line to Kafka; it connects when it is first needed, and anew after whatever broke it."""

    def __init__(
        self,
        client: Mapping[str, str],
        *,
        partitions: int,
        makes_topics: bool = True,
        max_bytes: int = 1_000_000,
        seconds: float = SECONDS,
    ) -> None:
        """`client`: where the brokers are and who we are, as librdkafka calls it.

        Topics that are missing are made, with so many `partitions`, where it `makes_topics`.
        """
        self._client, self._partitions, self._makes_topics = client, partitions, makes_topics
        self._seconds = seconds
        self._options = {
            **client,
            **_PRODUCER,
            "message.max.bytes": max_bytes,
            # Before `publish` ends, so that each event has an answer of its own.
            "message.timeout.ms": int(seconds * 800),
        }
        self._producer: Producer | None = None
        self._topics: set[str] = set()
        self._trouble = ""
        self._is_broken = False

    def publish(self, events: Sequence[Event]) -> list[Outcome]:
        """As `Broker.publish`."""
        until = time.monotonic() + self._seconds
        batch = _Batch()
        self._trouble, why = "", _SILENT
        try:
            self._publish(batch, events, until)
        except Exception as error:
            # Whatever the client raises, the relay goes on.
            self._is_broken, why = True, named(error)
        if batch.waiting or self._is_broken:
            self._let_go()
        return [batch.found.get(event.row) or Outcome(event.row, Verdict.RETRY, why) for event in events]

    def close(self) -> None:
        """As `Broker.close`."""
        self._let_go()

    def _publish(self, batch: "_Batch", events: Sequence[Event], until: float) -> None:
        sound = []
        for event in events:
            if _TOPIC.fullmatch(event.topic) and event.topic not in (".", ".."):
                sound.append(event)
            else:
                batch.ends(event, Verdict.POISON, f"no topic of Kafka can be called {event.topic!r}")
        missing = self._missing({event.topic for event in sound} - self._topics, until)
        producer = self._line()
        behind: set[tuple[str, str]] = set()
        for event in sound:
            verdict, why = missing.get(event.topic, (Verdict.SENT, ""))
            if verdict is Verdict.SENT and (event.topic, event.key) in behind:
                verdict, why = Verdict.RETRY, BEHIND
            if verdict is Verdict.SENT:
                verdict, why = self._hand_over(producer, batch, event)
            if verdict is not Verdict.SENT:
                batch.ends(event, verdict, why)
            if verdict is Verdict.RETRY:
                behind.add((event.topic, event.key))
        producer.flush(_left(until))
        self._send_alone(producer, batch, until)

    def _hand_over(self, producer: Producer, batch: "_Batch", event: Event) -> tuple[Verdict, str]:
        """Give it to the producer, which tells later what became of it. SENT: it has taken it."""
        headers: list[tuple[str, str | bytes | None]] = list(event.headers.items())
        callback = partial(self._heard, batch, event)
        batch.waiting[event.row] = event
        try:
            producer.produce(event.topic, event.value, event.key, headers=headers, on_delivery=callback)
        except BufferError:
            verdict, why = Verdict.RETRY, "too many events wait for Kafka"
        except KafkaException as problem:
            verdict, why = self._judged(problem.args[0], event)
        else:
            producer.poll(0)
            return Verdict.SENT, ""
        del batch.waiting[event.row]
        return verdict, why

    def _heard(self, batch: "_Batch", event: Event, error: KafkaError | None, _: Message) -> None:
        """What became of an event."""
        if event.row not in batch.waiting:
            return
        del batch.waiting[event.row]
        if error is None:
            batch.ends(event, Verdict.SENT)
        elif error.code() == KafkaError.MSG_SIZE_TOO_LARGE and event.row not in batch.alone:
            batch.alone[event.row] = event
        else:
            batch.ends(event, *self._judged(error, event))

    def _send_alone(self, producer: Producer, batch: "_Batch", until: float) -> None:
        """The broker refuses small events that it was given together, too, where it takes less than we send at once."""
        for event in list(batch.alone.values()):
            if _left(until) > 0:
                verdict, why = self._hand_over(producer, batch, event)
                if verdict is not Verdict.SENT:
                    batch.ends(event, verdict, why)
                producer.flush(_left(until))

    def _judged(self, error: KafkaError, event: Event) -> tuple[Verdict, str]:
        _errors.labels(error.name()).inc()
        self._is_broken = self._is_broken or error.fatal()
        code = error.code()
        if code in (*_GONE, KafkaError._MSG_TIMED_OUT):
            # The topic may have been removed, which a producer that knows it finds out late, or never.
            self._topics.discard(event.topic)
            self._is_broken = True
        if code == KafkaError.MSG_SIZE_TOO_LARGE:
            return Verdict.POISON, f"{len(event.value)} bytes are more than {event.topic} takes"
        if code in _NEVER:
            return Verdict.POISON, _text(error)
        if code == KafkaError._MSG_TIMED_OUT:
            return Verdict.RETRY, self._trouble or _SILENT
        return Verdict.RETRY, _text(error)

    def _missing(self, unknown: Collection[str], until: float) -> dict[str, tuple[Verdict, str]]:
        """Which of these topics nothing can be sent to, and why; the others are there from now on."""
        if not unknown:
            return {}
        # For these questions only: it has threads and connections of its own.
        options: dict[str, Any] = {**self._client, "log_level": 0, "error_cb": self._note}
        admin = AdminClient(options)
        seconds = max(min(_ASK_SECONDS, _left(until)), 0.1)
        descriptions = admin.describe_topics(TopicCollection(sorted(unknown)), request_timeout=seconds)
        errors = {topic: _error(future, seconds) for topic, future in descriptions.items()}
        absent = [topic for topic, error in errors.items() if error and error.code() in _GONE]
        if absent and self._makes_topics:
            seconds = max(min(_ASK_SECONDS, _left(until)), 0.1)
            new = [NewTopic(topic, num_partitions=self._partitions) for topic in absent]
            creations = admin.create_topics(new, request_timeout=seconds, operation_timeout=seconds)
            errors |= {topic: _error(future, seconds) for topic, future in creations.items()}
        # One without a leader just now is waited for by the producer.
        there = (KafkaError.TOPIC_ALREADY_EXISTS, KafkaError.LEADER_NOT_AVAILABLE)
        self._topics |= {topic for topic, error in errors.items() if error is None or error.code() in there}
        # What went wrong on the way to the broker is heard of here.
        admin.poll(0)
        return {
            topic: _standing(topic, error, self._trouble)
            for topic, error in errors.items()
            if error is not None and topic not in self._topics
        }

    def _line(self) -> Producer:
        if self._producer is None:
            self._is_broken = False
            self._producer = Producer({**self._options, "error_cb": self._note})
        return self._producer

    def _note(self, error: KafkaError) -> None:
        # It says by and by that all brokers are down, too, which says less.
        if error.code() != KafkaError._ALL_BROKERS_DOWN:
            self._trouble = _text(error)
        _errors.labels(error.name()).inc()
        self._is_broken = self._is_broken or error.fatal()

    def _let_go(self) -> None:
        """What nobody has heard of is forgotten: the relay sends it again, by a producer that knows nothing of it."""
        producer, self._producer = self._producer, None
        if producer is not None:
            producer.purge(blocking=False)
            producer.poll(0)


def opened() -> KafkaBroker:
    """The Kafka of the environment; connected when it is first used."""
    return KafkaBroker(**settings.HANDOFF_KAFKA)


class _Batch:
    """What is known of the events of one call."""

    def __init__(self) -> None:
        self.found: dict[int, Outcome] = {}
        self.waiting: dict[int, Event] = {}
        self.alone: dict[int, Event] = {}

    def ends(self, event: Event, verdict: Verdict, why: str = "") -> None:
        """This is what became of it."""
        self.found[event.row] = Outcome(event.row, verdict, why)


def _standing(topic: str, error: KafkaError, trouble: str) -> tuple[Verdict, str]:
    if error.code() in _NEVER:
        return Verdict.POISON, _text(error)
    if error.code() in (*_GONE, *_NOT_ALLOWED):
        return Verdict.RETRY, f"create the topic {topic}, or let this user do so: {_text(error)}"
    return Verdict.RETRY, trouble or f"{_SILENT} about the topic {topic}: {_text(error)}"


def _error(future: "Future[Any]", seconds: float) -> KafkaError | None:
    """What a question was answered with, where that is an error."""
    try:
        future.result(seconds + 0.5)
    except KafkaException as problem:
        error: KafkaError = problem.args[0]
        return error
    return None


def _text(error: KafkaError) -> str:
    return cut_line(error.str()) or error.name()


def _left(until: float) -> float:
    return max(until - time.monotonic(), 0.0)
