"""Whose turn it is to be told, by a clock of the test's own."""

import asyncio
import json
import time

import pytest

from accounts.sessions import AUTOMATIC
from runs.kernel.live import INBOX, Topic
from runs.web import consumers
from runs.web import pace as module
from runs.web.consumers import RunsConsumer
from runs.web.pace import (
    CREDIT_SECONDS,
    LATEST_OF_LISTS_SECONDS,
    LATEST_SECONDS,
    NOTICE,
    SHARE,
    USUAL_SECONDS,
    Measured,
    Pace,
)


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_a_page_that_is_alone_is_told_at_once_every_time(clock):
    pace = Pace(clock)
    for _ in range(100):
        assert pace.turn() == 0
        pace.told()
        pace.spent(0.01)
        clock.now += 0.2


def test_many_pages_at_once_are_told_one_after_another_when_the_credit_is_used_up(clock):
    pace = Pace(clock)
    free = round(CREDIT_SECONDS / USUAL_SECONDS)
    turns = [pace.turn() for _ in range(free + 10)]
    assert turns[: free + 1] == pytest.approx([0] * (free + 1), abs=1e-9)
    assert turns == sorted(turns)
    assert turns[free + 1] == pytest.approx(USUAL_SECONDS / SHARE)


def test_a_few_who_watch_dear_pages_are_told_at_once(clock):
    pace = Pace(clock)
    for _ in range(10):
        waits = [pace.turn() for _ in range(3)]
        assert waits == [0, 0, 0]
        for _ in waits:
            pace.told()
            pace.spent(0.08)
        clock.now += 5


def test_credit_is_not_saved_up(clock):
    pace = Pace(clock)
    pace.turn()
    clock.now += 1000
    free = round(CREDIT_SECONDS / USUAL_SECONDS)
    turns = [pace.turn() for _ in range(free + 2)]
    assert turns[-1] == pytest.approx(USUAL_SECONDS / SHARE)


def test_what_pages_take_in_the_long_run_is_the_share(clock):
    pace, began, took = Pace(clock), clock.now, 0.0
    cost = 0.04
    for _ in range(1000):
        clock.now += pace.turn()
        pace.told()
        pace.spent(cost)
        took += cost
    assert took / (clock.now - began) == pytest.approx(SHARE, rel=0.1)


def test_nobody_waits_longer_than_the_latest_and_a_quiet_time_ends_the_wait(clock):
    pace = Pace(clock)
    assert max(pace.turn() for _ in range(10_000)) == LATEST_SECONDS
    clock.now += LATEST_SECONDS + USUAL_SECONDS / SHARE
    assert pace.turn() == pytest.approx(0, abs=1e-9)


def test_a_list_waits_less_long_which_spares_the_others_nothing(clock):
    pace = Pace(clock)
    for _ in range(10_000):
        pace.turn()
    assert pace.turn(LATEST_OF_LISTS_SECONDS) == LATEST_OF_LISTS_SECONDS
    assert pace.turn() == LATEST_SECONDS


def test_dear_pages_of_long_ago_are_forgotten(clock):
    pace = Pace(clock)
    pace.turn()
    pace.spent(100.0)
    clock.now += 1000
    free = round(CREDIT_SECONDS / USUAL_SECONDS)
    assert [pace.turn() for _ in range(free)] == pytest.approx([0] * free, abs=1e-9)


def test_only_what_a_page_asks_because_it_was_told_counts(rf, monkeypatch):
    measured: list[float] = []
    monkeypatch.setattr(module.pace, "spent", measured.append)
    answer = Measured(lambda request: request.path)
    assert answer(rf.get("/runs/")) == "/runs/"
    # By the clock: no turn was taken for it.
    answer(rf.get("/operations/queues", headers={AUTOMATIC: "1"}))
    assert measured == []
    answer(rf.get("/runs/", headers={AUTOMATIC: NOTICE}))
    assert len(measured) == 1
    assert measured[0] >= 0


class Socket(RunsConsumer):
    """A socket that keeps what it says."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[tuple[list[str], dict[str, str]]] = []
        self.has_said = asyncio.Event()

    async def send(self, text_data: str) -> None:
        message = json.loads(text_data)
        self.said.append((message["changed"], message["nodes"]))
        self.has_said.set()


def test_who_waits_for_a_turn_is_told_meanwhile_what_becomes_of_steps_each_once(monkeypatch):
    monkeypatch.setattr(consumers, "STATUS_SECONDS", 0.02)

    async def waiting() -> Socket:
        socket, topic = Socket(), Topic(1, "run")
        socket.told(["steps"], {"a": "RUNNING"})
        turn = asyncio.create_task(socket._wait(consumers.SOON_SECONDS + 0.2, topic))
        await socket.has_said.wait()
        socket.told(["run", "steps"], {"a": "COMPLETED", "b": "RUNNING"})
        await turn
        await socket._tell(topic)
        return socket

    first, second, last = asyncio.run(waiting()).said
    assert first == ([], {"a": "RUNNING"})
    assert second == ([], {"a": "COMPLETED", "b": "RUNNING"})
    assert last == (["run", "steps"], {"a": "COMPLETED", "b": "RUNNING"})


def test_a_turn_that_comes_soon_is_waited_for_instead():
    async def waiting() -> Socket:
        socket = Socket()
        socket.told(["steps"], {"a": "RUNNING"})
        await socket._wait(0.01, Topic(1, "run"))
        return socket

    assert asyncio.run(waiting()).said == []


def test_who_waits_for_long_and_has_nothing_to_say_says_a_beat(monkeypatch):
    monkeypatch.setattr(consumers, "STATUS_SECONDS", 0.02)
    monkeypatch.setattr(consumers, "BEAT_SECONDS", 0.1)

    async def waiting() -> Socket:
        socket, topic = Socket(), Topic(1)
        await socket._say(topic)
        socket.told(["runs"], {})
        await socket._wait(consumers.SOON_SECONDS + 0.3, topic)
        return socket

    said = asyncio.run(waiting()).said
    assert said == [([], {})] * len(said)
    assert 2 <= len(said) <= 6


def test_a_run_page_is_told_later_than_a_list_at_most(monkeypatch):
    asked: list[float] = []
    monkeypatch.setattr(consumers.pace, "turn", lambda latest: asked.append(latest) or 0.0)

    async def telling(topic: Topic) -> None:
        socket = Socket()
        socket.told(["runs"], {})
        async with asyncio.timeout(5):
            looking = asyncio.create_task(socket._say_until(time.monotonic() + 5, topic))
            await socket.has_said.wait()
            looking.cancel()

    for topic in (Topic(1, "run"), Topic(1), Topic(1, about=INBOX)):
        asyncio.run(telling(topic))
    assert asked == [LATEST_SECONDS, LATEST_OF_LISTS_SECONDS, LATEST_OF_LISTS_SECONDS]
