"""Whose turn it is to be told, by a clock and an idleness of the test's own."""

import asyncio
import json
import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounts.sessions import AUTOMATIC
from lib.idle_cores import CORES
from runs.kernel.live import INBOX, Topic
from runs.limits import PAGE_COST_SECONDS
from runs.web import consumers
from runs.web import pace as module
from runs.web.consumers import RunsConsumer
from runs.web.pace import (
    CREDIT_SECONDS,
    LATEST_OF_LISTS_SECONDS,
    LATEST_SECONDS,
    NOTICE,
    READ_SECONDS,
    RESERVE,
    SAMPLE_SECONDS,
    SHARE,
    USUAL_SECONDS,
    WHOLE,
    Measured,
    Pace,
    Turn,
)

FREE = math.floor(CREDIT_SECONDS / USUAL_SECONDS + 1e-9) + 1
"""So many turns are there at once."""


class Machine:
    """A clock that stands still until it is moved, and so many cores with nothing to do."""

    def __init__(self, idle: float = 0.0) -> None:
        self.now, self.idle = 1000.0, idle

    def clock(self) -> float:
        return self.now

    def pace(self, processes: int = 1) -> Pace:
        return Pace(processes, self.clock, lambda: self.idle)

    def waited(self, pace: Pace, turn: Turn) -> float:
        """Wait until the turn has come, asking as often as a socket does; gives for how long."""
        began = self.now
        while left := pace.left(turn):
            self.now += min(left, SAMPLE_SECONDS)
        return self.now - began


@pytest.fixture
def busy() -> Machine:
    return Machine()


@pytest.fixture
def quiet() -> Machine:
    return Machine(CORES)


def read(pace: Pace, seconds: float) -> None:
    """A page is told, and reads itself at a cost of so much in all."""
    pace.told()
    pace.spent(seconds / WHOLE)


def test_a_page_that_is_alone_is_told_at_once_every_time_where_cores_are_idle(quiet):
    pace = quiet.pace()
    for _ in range(100):
        assert pace.left(pace.turn()) == 0
        read(pace, 0.03)
        quiet.now += 0.5


def test_many_pages_at_once_are_told_one_after_another_when_the_credit_is_used_up(busy):
    pace = busy.pace()
    waits = [pace.left(pace.turn()) for _ in range(FREE + 10)]
    assert waits[:FREE] == pytest.approx([0] * FREE, abs=1e-9)
    assert waits[FREE:] == pytest.approx([USUAL_SECONDS / SHARE * n for n in range(1, 11)])


def test_on_a_busy_machine_pages_take_the_share_however_many_processes_answer(busy):
    for processes in (1, 2, 4):
        pace, began, cost = busy.pace(processes), busy.now, 0.04
        for _ in range(1000):
            busy.waited(pace, pace.turn(math.inf))
            read(pace, cost)
        assert processes * 1000 * cost / (busy.now - began) == pytest.approx(SHARE, rel=0.1)


def test_what_pages_took_in_a_moment_gives_them_no_more_on_a_busy_machine(busy):
    pace = busy.pace()
    turns = [pace.turn() for _ in range(FREE + 50)]
    for _ in range(4):
        busy.now += SAMPLE_SECONDS
        pace.spent(2.0)
        pace.left(turns[0])
    assert (
        sum(pace.left(turn) == 0 for turn in turns) <= FREE + 1 + 4 * SAMPLE_SECONDS * SHARE / USUAL_SECONDS
    )


def test_where_cores_are_idle_pages_take_what_is_idle_beside_the_reserve(quiet):
    pace, cost, took = quiet.pace(), 0.04, 0.0
    for _ in range(1000):
        began = quiet.now
        quiet.waited(pace, pace.turn(math.inf))
        read(pace, cost)
        took += cost
        # What they take is idle no more.
        used = cost / max(quiet.now - began, cost)
        quiet.idle = max(0.0, CORES - used)
    assert took / (quiet.now - 1000.0) == pytest.approx(CORES * (1 - RESERVE), rel=0.3)


def test_where_work_begins_what_was_idle_before_it_gives_nothing(quiet):
    pace = quiet.pace()
    quiet.now += 100
    quiet.idle = 0.0
    turns = [pace.turn() for _ in range(100)]
    assert sum(pace.left(turn) == 0 for turn in turns) == FREE
    quiet.now += SAMPLE_SECONDS
    assert sum(pace.left(turn) == 0 for turn in turns) <= FREE + 1


def test_where_work_ends_those_who_wait_are_told_within_moments(busy):
    pace = busy.pace()
    turns = [pace.turn() for _ in range(FREE + 20)]
    assert pace.left(turns[-1]) > 5
    busy.idle = CORES
    assert busy.waited(pace, turns[-1]) < 2 * SAMPLE_SECONDS + 20 * USUAL_SECONDS / (CORES * (1 - RESERVE))


def test_credit_is_not_saved_up(busy):
    pace = busy.pace()
    pace.turn()
    busy.now += 1000
    waits = [pace.left(pace.turn()) for _ in range(FREE + 1)]
    assert waits == pytest.approx([0] * FREE + [USUAL_SECONDS / SHARE], abs=1e-9)


def test_nobody_waits_longer_than_the_latest_and_a_quiet_time_ends_the_wait(busy):
    pace = busy.pace()
    assert max(pace.left(pace.turn()) for _ in range(10_000)) == LATEST_SECONDS
    busy.now += LATEST_SECONDS + USUAL_SECONDS / SHARE
    assert pace.left(pace.turn()) == pytest.approx(0, abs=1e-9)


def test_pages_that_are_slow_to_read_make_no_turn_cheaper_and_those_that_never_do_make_all_cheaper(busy):
    pace = busy.pace()
    for _ in range(50):
        pace.left(pace.turn())
        pace.told()
    busy.now += READ_SECONDS / 2
    waits = [pace.left(pace.turn(math.inf)) for _ in range(2)]
    assert waits[1] - waits[0] == pytest.approx(USUAL_SECONDS / SHARE)
    busy.now += READ_SECONDS
    waits = [pace.left(pace.turn(math.inf)) for _ in range(2)]
    assert waits[1] - waits[0] < USUAL_SECONDS / SHARE / 10


def test_a_list_waits_less_long_which_spares_the_others_nothing(busy):
    pace = busy.pace()
    for _ in range(10_000):
        pace.turn()
    assert pace.left(pace.turn(LATEST_OF_LISTS_SECONDS)) == LATEST_OF_LISTS_SECONDS
    assert pace.left(pace.turn()) == LATEST_SECONDS


def test_dear_pages_of_long_ago_are_forgotten(busy):
    pace = busy.pace()
    pace.turn()
    pace.spent(100.0)
    busy.now += 1000
    assert [pace.left(pace.turn()) for _ in range(FREE)] == pytest.approx([0] * FREE, abs=1e-9)


steps = st.lists(st.tuples(st.floats(0, 20), st.integers(0, 30)), max_size=40)


@given(steps, st.integers(1, 4))
def test_on_a_busy_machine_no_more_is_told_than_the_share_and_the_credit_allow(happened, processes):
    machine = Machine()
    pace, waiting, told = machine.pace(processes), list[Turn](), 0
    began = machine.now
    for passes, comers in happened:
        machine.now += passes
        waiting += [pace.turn(math.inf) for _ in range(comers)]
        told += sum(pace.left(turn) == 0 for turn in waiting)
        waiting = [turn for turn in waiting if pace.left(turn)]
        # Nobody has told what it took, so each counts as usual; what nobody has come for in a minute is forgotten.
        allowed = CREDIT_SECONDS + SHARE / processes * (machine.now - began)
        if machine.now - began < LATEST_SECONDS:
            assert told <= allowed / USUAL_SECONDS + 1 + 1e-6


changes = st.lists(
    st.tuples(st.floats(0, 20), st.floats(0, CORES), st.integers(0, 30), st.floats(0, 2 * PAGE_COST_SECONDS)),
    max_size=30,
)


@given(changes, st.integers(1, 4))
def test_turns_come_in_order_and_each_in_time_whatever_the_machine_does(happened, processes):
    machine = Machine()
    pace, waiting = machine.pace(processes), list[Turn]()
    for passes, idle, comers, cost in happened:
        machine.now += passes
        machine.idle = idle
        waiting += [pace.turn() for _ in range(comers)]
        waits = [pace.left(turn) for turn in waiting]
        assert waits == sorted(waits)
        assert all(
            wait <= max(0.0, turn.latest_at - machine.now) for turn, wait in zip(waiting, waits, strict=True)
        )
        waiting = [turn for turn, wait in zip(waiting, waits, strict=True) if wait]
        read(pace, cost)


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
        self.said: list[tuple[list[str], dict[str, str], str | None]] = []
        self.has_said = asyncio.Event()

    async def send(self, text_data: str) -> None:
        message = json.loads(text_data)
        self.said.append((message["changed"], message["nodes"], message["status"]))
        self.has_said.set()


def in_seconds(seconds: float) -> Turn:
    """A turn that comes then, since nothing is given to it until then."""
    return Turn(math.inf, time.monotonic() + seconds)


def test_who_waits_for_a_turn_is_told_meanwhile_what_becomes_of_the_run_and_its_steps_each_once(monkeypatch):
    monkeypatch.setattr(consumers, "SAMPLE_SECONDS", 0.02)
    monkeypatch.setattr(consumers, "STATUS_SECONDS", 0.02)

    async def waiting() -> Socket:
        socket, topic = Socket(), Topic(1, "run")
        socket.told(["steps"], {"a": "RUNNING"})
        turn = asyncio.create_task(socket._wait(in_seconds(consumers.SOON_SECONDS + 0.2), topic))
        await socket.has_said.wait()
        socket.told(["run", "steps"], {"a": "COMPLETED", "b": "RUNNING"}, "COMPLETED")
        await turn
        await socket._tell(topic)
        return socket

    first, second, last = asyncio.run(waiting()).said
    assert first == ([], {"a": "RUNNING"}, None)
    assert second == ([], {"a": "COMPLETED", "b": "RUNNING"}, "COMPLETED")
    assert last == (["run", "steps"], {"a": "COMPLETED", "b": "RUNNING"}, "COMPLETED")


def test_a_turn_that_comes_soon_is_waited_for_instead():
    async def waiting() -> Socket:
        socket = Socket()
        socket.told(["steps"], {"a": "RUNNING"})
        await socket._wait(in_seconds(0.01), Topic(1, "run"))
        return socket

    assert asyncio.run(waiting()).said == []


def test_who_waits_for_long_and_has_nothing_to_say_says_a_beat(monkeypatch):
    monkeypatch.setattr(consumers, "SAMPLE_SECONDS", 0.02)
    monkeypatch.setattr(consumers, "STATUS_SECONDS", 0.02)
    monkeypatch.setattr(consumers, "BEAT_SECONDS", 0.1)

    async def waiting() -> Socket:
        socket, topic = Socket(), Topic(1)
        await socket._say(topic)
        socket.told(["runs"], {})
        await socket._wait(in_seconds(consumers.SOON_SECONDS + 0.3), topic)
        return socket

    said = asyncio.run(waiting()).said
    assert said == [([], {}, None)] * len(said)
    assert 2 <= len(said) <= 6


def test_a_run_page_is_told_later_than_a_list_at_most(monkeypatch):
    asked: list[float] = []
    monkeypatch.setattr(consumers.pace, "turn", lambda latest: asked.append(latest) or in_seconds(0))

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
