"""A Kafka of the tests' own, on one node, and what is on it."""

import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from confluent_kafka import Consumer, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from config.embedded.kafka import Kafka
from config.embedded.processes import wait_until

READY_SECONDS = 60
QUIET = {"log_level": 0}


class Kept(NamedTuple):
    """An event as a topic keeps it."""

    partition: int
    key: str
    value: bytes
    headers: dict[str, str]


class Node:
    """A node of Kafka that tests may stop, kill and start again, all at the same address."""

    def __init__(self, server: Kafka, client: Mapping[str, str] | None = None) -> None:
        self.server = server
        self.client = {"bootstrap.servers": server.address, **(client or {})}
        self.start()

    def start(self) -> None:
        self.process: subprocess.Popen[bytes] = self.server.start()
        wait_until(
            lambda: self.server.is_ready() or self.process.poll() is not None,
            READY_SECONDS,
            lambda: (self.server.folder / "log").read_text()[-2000:],
        )
        assert self.process.poll() is None, (self.server.folder / "log").read_text()[-2000:]

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def close(self) -> None:
        self.signal(signal.SIGCONT)
        self.kill()

    @property
    def admin(self) -> AdminClient:
        return AdminClient({**self.client, **QUIET})

    def make(self, topic: str, partitions: int = 1, **config: str) -> None:
        named = {name.replace("_", "."): value for name, value in config.items()}
        # Held as long as it is asked: with it goes what it was asked.
        admin = self.admin
        [made] = admin.create_topics([NewTopic(topic, partitions, config=named)]).values()
        made.result(20)

    def remove(self, topic: str) -> None:
        admin = self.admin
        [removed] = admin.delete_topics([topic], operation_timeout=20).values()
        removed.result(20)

    def partitions(self, topic: str) -> int:
        """How many a topic has; 0 where there is none."""
        topics = self.admin.list_topics(timeout=20).topics
        return len(topics[topic].partitions) if topic in topics else 0

    def kept(self, topic: str) -> list[Kept]:
        """All that is on a topic, partition by partition, in the order of each."""
        consumer: Any = Consumer({**self.client, **QUIET, "group.id": "tests", "enable.auto.commit": False})
        try:
            found = []
            for number in range(self.partitions(topic)):
                place = TopicPartition(topic, number, 0)
                low, high = _marks(consumer, place)
                consumer.assign([place])
                part: list[Kept] = []
                until = time.monotonic() + 20
                while len(part) < high - low and time.monotonic() < until:
                    for message in consumer.consume(500, timeout=1):
                        if message.error():
                            raise KafkaException(message.error())
                        headers = {name: value.decode() for name, value in message.headers() or ()}
                        part.append(Kept(number, message.key().decode(), message.value(), headers))
                assert len(part) == high - low
                found += part
            return found
        finally:
            consumer.close()


def _marks(consumer: Any, place: TopicPartition) -> tuple[int, int]:
    """A node that stood still counts as gone for a moment."""
    found: list[tuple[int, int]] = []

    def is_told() -> bool:
        with suppress(KafkaException):
            found.append(consumer.get_watermark_offsets(place, timeout=20))
        return bool(found)

    wait_until(is_told, 20, "the partition")
    return found[0]


@contextmanager
def running(
    folder: Path, settings: Mapping[str, str] | None = None, client: Mapping[str, str] | None = None
) -> Iterator[Node]:
    """A node in this folder."""
    server = Kafka(folder, settings or {})
    server.prepare()
    node = Node(server, client)
    try:
        yield node
    finally:
        node.close()
