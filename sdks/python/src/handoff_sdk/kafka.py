"""Job events through Kafka; needs `handoff-sdk[kafka]`."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from handoff_sdk.events import JOB_ID, JobEvent, group_of, is_job_id, topic_of

OPTIONS = {
    # Partitions move one by one: a worker that comes or goes interrupts nobody else.
    "partition.assignment.strategy": "cooperative-sticky",
    "auto.offset.reset": "earliest",
    "session.timeout.ms": 10_000,
    # A topic may be made after the worker has begun.
    "topic.metadata.refresh.interval.ms": 5_000,
    "log_level": 0,
}
ENABLED = {"enable.auto.commit": False, "enable.auto.offset.store": False}
NOT_YET = (KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._PARTITION_EOF)
log = logging.getLogger("handoff_sdk")


class KafkaEvents:
    """`Worker(events=KafkaEvents("kafka-1.example.org:9092"))`."""

    def __init__(
        self, brokers: str, *, tenant: str = "", options: Mapping[str, str | int | bool] | None = None
    ) -> None:
        """`brokers`: addresses, by commas. `tenant`: the slug of the token's tenant, where it isn't `default`.

        `options`: anything else as librdkafka calls it, such as `security.protocol` and `sasl.password`.
        """
        self._tenant = tenant
        self._options = {**OPTIONS, **(options or {}), **ENABLED, "bootstrap.servers": brokers}

    def subscribe(self, queue: str, worker: str) -> KafkaSubscription:
        """As `Events.subscribe`."""
        options = {"client.id": worker, "group.id": group_of(queue, self._tenant)}
        return KafkaSubscription({**options, **self._options}, topic_of(queue, self._tenant))


class KafkaSubscription:
    """A consumer of one topic. What was taken is committed when it was claimed, not before."""

    def __init__(self, options: Mapping[str, Any], topic: str) -> None:
        self._options, self._topic = options, topic
        self._consumer: Consumer | None = None
        self._is_paused = False
        self._buffer: list[Message] = []

    def take(self, most: int, seconds: float) -> list[JobEvent]:
        """As `Subscription.take`. Raises KafkaException."""
        consumer = self._connect()
        if self._is_paused:
            self._is_paused = False
            consumer.resume(consumer.assignment())
        messages = self._buffered(most) or self._polled(consumer, most, seconds)
        errors = [error for message in messages if (error := message.error())]
        good = [message for message in messages if not message.error()]
        events = [JobEvent(job, message) for message in good if (job := _job(message))]
        if len(events) < len(good):
            log.warning("%d events on %s have no id of a job", len(good) - len(events), self._topic)
        if not events:
            for error in errors:
                if error.code() not in NOT_YET:
                    raise KafkaException(error)
        return events

    def pause(self) -> None:
        """As `Subscription.pause`: a consumer that does not poll is removed from the group, and delays others."""
        consumer = self._connect()
        consumer.pause(consumer.assignment())
        self._is_paused = True
        # Partitions that come with it are not paused yet.
        if (message := consumer.poll(0)) is not None and not message.error():
            self._buffer.append(message)

    def acknowledge(self, events: Sequence[JobEvent]) -> None:
        """As `Subscription.acknowledge`. Raises KafkaException, also when another worker has the partition now."""
        last: dict[int, int] = {}
        for event in events:
            last[event.position.partition()] = max(
                last.get(event.position.partition(), 0), event.position.offset() + 1
            )
        places = [TopicPartition(self._topic, number, offset) for number, offset in last.items()]
        self._connect().commit(offsets=places, asynchronous=False)

    def close(self, events: Sequence[JobEvent]) -> None:
        """As `Subscription.close`: the next owner of the partition gets uncommitted events."""
        if self._consumer is not None:
            self._consumer.close()

    def _polled(self, consumer: Consumer, most: int, seconds: float) -> list[Message]:
        """The first is not to wait for as many as there is room for."""
        first = consumer.poll(seconds)
        if first is None or most < 2:
            return [first] if first else []
        return [first, *consumer.consume(most - 1, timeout=0)]

    def _buffered(self, most: int) -> list[Message]:
        batch, self._buffer = self._buffer[:most], self._buffer[most:]
        return batch

    def _connect(self) -> Consumer:
        if self._consumer is None:
            self._consumer = Consumer(dict(self._options))
            self._consumer.subscribe([self._topic])
        return self._consumer


def _job(message: Message) -> str:
    """The id in its header; empty where it has none."""
    headers: Any = message.headers() or ()
    for name, value in headers:
        if name == JOB_ID and isinstance(value, bytes):
            job = value.decode(errors="replace")
            return job if is_job_id(job) else ""
    return ""
