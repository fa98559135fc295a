"""Who is told of changes in a web process, with a layer of the tests' own; the real one: `tests/runs/test_live.py`."""

import asyncio

import pytest

from runs.kernel.live import Topic
from runs.web import hub as module
from runs.web.hub import Hub

RUN = Topic(1, "0190aaaa-0000-7000-8000-000000000001")


async def a_turn() -> None:
    """Let all run that can now."""
    turn = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_soon(turn.set_result, None)
    await turn


class Layer:
    """A channel layer with one channel; where it `fails` nobody can subscribe."""

    def __init__(self, *, fails: bool = False) -> None:
        self.fails = fails
        self.subscribed, self.left = 0, 0
        self.messages: asyncio.Queue[dict[str, object]] = asyncio.Queue()

    async def new_channel(self) -> str:
        await a_turn()
        self.subscribed += 1
        if self.fails:
            raise OSError("Redis is away")
        return "channel"

    async def group_add(self, group: str, channel: str) -> None:
        await a_turn()

    async def group_discard(self, group: str, channel: str) -> None:
        self.left += 1

    async def receive(self, channel: str) -> dict[str, object]:
        return await self.messages.get()

    async def settle(self) -> None:
        """Let all run until nothing is left to do."""
        for _ in range(10):
            await a_turn()


class Socket:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.heard: list[tuple[list[str], dict[str, str], str | None]] = []

    def told(self, changed, nodes, status) -> None:
        self.heard.append((list(changed), dict(nodes), status))


@pytest.fixture
def layer(monkeypatch):
    layer = Layer()
    monkeypatch.setattr(module, "get_channel_layer", lambda: layer)
    return layer


def test_each_socket_hears_of_its_topic_alone_by_one_subscription(layer):
    async def scene():
        hub, mine, list_ = Hub(), Socket(), Socket()
        await asyncio.gather(hub.join(RUN, mine), hub.join(Topic(1), list_))
        notices = [
            (RUN.group, ["steps"], {"a": "RUNNING"}, None),
            (Topic(1).group, ["runs"], {}, None),
            ("t2.runs", ["runs"], {}, None),
        ]
        layer.messages.put_nowait({"notices": notices})
        await layer.settle()
        assert mine.heard == [(["steps"], {"a": "RUNNING"}, None)]
        assert list_.heard == [(["runs"], {}, None)]
        assert layer.subscribed == 1

    asyncio.run(scene())


def test_a_message_that_can_not_be_read_is_not_the_last(layer, monkeypatch):
    monkeypatch.setattr(module, "AGAIN_SECONDS", 0)

    async def scene():
        hub, socket = Hub(), Socket()
        await hub.join(RUN, socket)
        layer.messages.put_nowait({"nonsense": 1})
        layer.messages.put_nowait({"notices": [(RUN.group, ["run"], {}, "COMPLETED")]})
        await layer.settle()
        assert socket.heard == [(["run"], {}, "COMPLETED")]

    asyncio.run(scene())


def test_when_all_have_left_it_hears_no_more_and_who_comes_then_subscribes_anew(layer, monkeypatch):
    monkeypatch.setattr(module, "KEPT_SECONDS", 0)

    async def scene():
        hub, first, second = Hub(), Socket(), Socket()
        await hub.join(RUN, first)
        await layer.settle()
        hub.leave(RUN, first)
        await layer.settle()
        assert layer.left == 1
        await hub.join(RUN, second)
        layer.messages.put_nowait({"notices": [(RUN.group, ["run"], {}, "COMPLETED")]})
        await layer.settle()
        assert (first.heard, second.heard, layer.subscribed) == ([], [(["run"], {}, "COMPLETED")], 2)

    asyncio.run(scene())


def test_what_changes_after_the_last_has_left_is_kept_for_who_comes_back(layer):
    async def scene():
        hub, socket = Hub(), Socket()
        await hub.join(RUN, socket)
        last = hub.id_of(RUN)
        hub.leave(RUN, socket)
        layer.messages.put_nowait({"notices": [(RUN.group, ["steps"], {"a": "RUNNING"}, None)]})
        await layer.settle()
        assert hub.missed(RUN, last) == (["steps"], {"a": "RUNNING"}, None)
        assert hub.missed(RUN, hub.id_of(RUN)) == ([], {}, None)
        assert Hub().missed(RUN, last) is None
        hub.forget(RUN)
        await hub.join(RUN, socket)
        assert hub.missed(RUN, last) is None

    asyncio.run(scene())


def test_where_messages_may_be_lost_nothing_from_before_is_trusted(layer, monkeypatch):
    monkeypatch.setattr(module, "AGAIN_SECONDS", 0)

    async def scene():
        hub, socket = Hub(), Socket()
        await hub.join(RUN, socket)
        last = hub.id_of(RUN)
        layer.messages.put_nowait({"nonsense": 1})
        await layer.settle()
        assert hub.missed(RUN, last) is None
        await hub.join(RUN, socket)
        assert hub.missed(RUN, last) is None
        assert hub.missed(RUN, hub.id_of(RUN)) == ([], {}, None)

    asyncio.run(scene())


def test_so_many_topics_are_kept_that_nobody_watches_and_the_last_ones_are(layer, monkeypatch):
    monkeypatch.setattr(module, "KEPT_TOPICS", 2)

    async def scene():
        hub, socket = Hub(), Socket()
        ids = {}
        for topic in map(Topic, range(4)):
            await hub.join(topic, socket)
            ids[topic] = hub.id_of(topic)
        for topic in reversed(ids):
            hub.leave(topic, socket)
        kept = [topic.tenant_id for topic, last in ids.items() if hub.missed(topic, last) is not None]
        assert kept == [0, 1]

    asyncio.run(scene())


def test_without_redis_all_who_come_at_once_fail_at_once_and_the_next_one_tries_again(layer):
    async def scene():
        layer.fails = True
        hub = Hub()
        failed = await asyncio.gather(*(hub.join(RUN, Socket()) for _ in range(3)), return_exceptions=True)
        assert [type(error) for error in failed] == [OSError] * 3
        assert layer.subscribed == 1
        layer.fails = False
        await hub.join(RUN, socket := Socket())
        layer.messages.put_nowait({"notices": [(RUN.group, ["run"], {}, "COMPLETED")]})
        await layer.settle()
        assert socket.heard == [(["run"], {}, "COMPLETED")]

    asyncio.run(scene())
