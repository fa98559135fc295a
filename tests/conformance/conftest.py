"""What cases are played against, and the table of who plays which."""

import os
import secrets
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import pytest
from django.db import connection

from integrations.broker.broker import Broker
from integrations.broker.kafka import KafkaBroker
from integrations.broker.redis_streams import RedisStreams
from integrations.broker.relay import Relay
from tests.conformance import table
from tests.integrations.grpc.speaking import answering
from tests.serving import served, site

__all__ = ["site"]
_played = pytest.StashKey[dict[tuple[str, str], str]]()


class Place(NamedTuple):
    """What a player is told of Handoff, by its environment, and what has to go on meanwhile."""

    environment: dict[str, str]
    turn: Callable[[], object] = bool


@pytest.fixture
def by_rest(site: str) -> Place:
    """Jobs are polled for."""
    return Place({"HANDOFF": f"{site}/api/v1"})


@pytest.fixture(scope="session")
def grpc_address(django_db_setup: None) -> Iterator[str]:
    with answering() as (address, _):
        yield address


@pytest.fixture
def by_grpc(grpc_address: str) -> Place:
    """All is by gRPC."""
    return Place({"HANDOFF_GRPC": grpc_address})


@pytest.fixture
def by_stream(site: str, grpc_address: str) -> Place:
    """Jobs come by a stream of gRPC; who starts runs calls REST."""
    return Place({"HANDOFF": f"{site}/api/v1", "HANDOFF_GRPC": grpc_address})


@pytest.fixture(scope="module")
def outbox_site(django_db_setup: None) -> Iterator[str]:
    """The address of a web process that leaves jobs to a relay."""
    with served(HANDOFF_DISPATCH="redis_outbox") as (address, _):
        yield address


@pytest.fixture
def told_by_redis(db: None, outbox_site: str, settings) -> Iterator[Place]:
    """Workers hear of jobs by Redis Streams."""
    url = str(settings.REDIS_URL)
    with _relayed(RedisStreams(url), outbox_site, url, settings) as place:
        yield place


@pytest.fixture
def told_by_kafka(request: pytest.FixtureRequest, db: None, outbox_site: str, settings) -> Iterator[Place]:
    """Workers hear of jobs by Kafka."""
    node = request.getfixturevalue("kafka")
    events = f"kafka://{node.server.address}"
    with _relayed(KafkaBroker(node.client, partitions=1), outbox_site, events, settings) as place:
        yield place


@contextmanager
def _relayed(broker: Broker, site: str, events: str, settings) -> Iterator[Place]:
    settings.HANDOFF_BROKER = "redis"
    with connection.cursor() as cursor:
        cursor.execute("SET handoff.dispatch = 'outbox'")
    relay = Relay(broker, secrets.token_hex(4), 300)
    try:
        yield Place({"HANDOFF": f"{site}/api/v1", "EVENTS": events, "TENANT": "ours"}, relay.turn)
    finally:
        relay.leave()
        broker.close()
        with connection.cursor() as cursor:
            cursor.execute("RESET handoff.dispatch")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Keep whether a case was played as it says."""
    report = yield
    if call.when == "call" and item.name.startswith("test_a_case[") and not report.skipped:
        given = item.callspec.params
        said = table.PLAYED if report.passed else table.DIFFERS
        item.config.stash.setdefault(_played, {})[given["player"], given["case"].stem] = said
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the table, where that is asked for."""
    played = session.config.stash.get(_played, {})
    if played and os.environ.get("CONFORMANCE_TABLE") == "write":
        table.write(table.kept() | played)
