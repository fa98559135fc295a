"""Hints and notices without Redis: who watches and what changed, told from process to process by the database."""

import asyncio
import threading

import pytest

from config.embedded.processes import wait_until
from lib.noticeboard import MOST_BYTES, Noticeboard
from runs.kernel import dispatch, postgres_hints, postgres_live
from runs.kernel.live import Topic
from runs.kernel.postgres_hints import PostgresHints
from runs.kernel.postgres_live import PostgresLayer, PostgresWatchers

pytestmark = pytest.mark.django_db(transaction=True)

RUN = Topic(1, "0190aaaa-0000-7000-8000-000000000001")


@pytest.fixture
def other():
    """The board of another process."""
    board = Noticeboard()
    yield board
    board.settle(5)


@pytest.fixture
def board(monkeypatch):
    """That of this one, and nothing that an earlier test has left."""
    board = Noticeboard()
    for module in (postgres_hints, postgres_live):
        monkeypatch.setattr(module, "board", board)
    monkeypatch.setattr(postgres_live, "_here", PostgresWatchers())
    yield board
    board.settle(5)


def test_who_works_on_a_queue_is_told_of_it_and_of_no_other(board, settings, monkeypatch):
    settings.HANDOFF_DISPATCH = "polling"
    told = threading.Event()
    line = PostgresHints()
    line.attend("engine", told.set)
    # Whatever there was before it could hear.
    assert told.wait(10)
    told.clear()
    assert not line.is_broken()
    monkeypatch.setattr(dispatch, "_of", lambda kind: line)
    dispatch.wake(["default", "unknown"])
    dispatch.wake(["engine"])
    assert told.wait(10)


def test_who_waits_for_jobs_is_told_of_queues_of_external_workers(board, settings, monkeypatch):
    settings.HANDOFF_DISPATCH = "polling"
    told, worker = threading.Semaphore(0), threading.Event()
    line = PostgresHints()
    line.attend_pollers(told.release)
    line.attend("engine", worker.set)
    assert told.acquire(timeout=10)
    assert worker.wait(10)
    monkeypatch.setattr(dispatch, "_of", lambda kind: line)
    worker.clear()
    dispatch.wake(["engine"])
    assert worker.wait(10)
    # What was sent before it would have come before it.
    assert not told.acquire(blocking=False)
    dispatch.wake(["card"])
    assert told.acquire(timeout=10)


def test_processes_learn_who_watches_and_who_starts_later_asks(board, other):
    watched = PostgresWatchers()
    assert asyncio.run(watched.watch(RUN.group, 30.0)) is True
    assert asyncio.run(watched.watch(RUN.group, 30.0)) is False
    late = PostgresWatchers()
    # A process of its own, which has heard nothing yet.
    other.hear(postgres_live.WATCHED, late._told, late._again)
    wait_until(lambda: RUN.group in late._until, 10, "who watches")
    assert asyncio.run(late.groups()) == {RUN.group}


def test_who_is_told_nonsense_knows_nothing_by_it(board):
    watched = PostgresWatchers()
    for text in ("", "nonsense", "30.0 no-topic", "1e9 t1.runs", "30.0 t1.runs; x", "999.0 t2.runs"):
        watched._told(text)
    assert asyncio.run(watched.groups()) == {"t2.runs"}
    [until] = watched._until.values()
    watched._told("1.0 t2.runs")
    assert watched._until["t2.runs"] == until


def test_where_no_messages_come_who_asks_is_told_so(board, monkeypatch):
    monkeypatch.setattr(board, "wait_heard", lambda seconds: False)
    monkeypatch.setattr(board, "is_heard", lambda: False)
    for ask in (PostgresWatchers().groups, PostgresWatchers().answers, PostgresLayer().new_channel):
        with pytest.raises(OSError, match="no messages come"):
            asyncio.run(ask())


def test_what_is_sent_is_heard_by_all_who_have_joined(board):
    notices = [(RUN.group, ["steps"], {"a": "RUNNING"}), (Topic(1).group, ["runs"], {})]

    async def scene():
        layer = PostgresLayer()
        channel = await layer.new_channel()
        await layer.group_add("live", channel)
        await layer.group_send("live", {"type": "live.changed", "notices": notices})
        async with asyncio.timeout(10):
            heard = await layer.receive(channel)
        await layer.group_discard("live", channel)
        return heard

    assert asyncio.run(scene()) == {"notices": [list(notice) for notice in notices]}


def test_who_may_have_missed_something_is_told_that_all_may_have_changed(board):
    async def scene():
        await postgres_live._here.watch(RUN.group, 30.0)
        await postgres_live._here.watch(Topic(1).group, 30.0)
        layer = PostgresLayer()
        channel = await layer.new_channel()
        await layer.group_add("live", channel)
        layer._again()
        async with asyncio.timeout(10):
            return await layer.receive(channel)

    heard = asyncio.run(scene())["notices"]
    assert {group: aspects for group, aspects, _ in heard} == {
        RUN.group: [*RUN.aspects],
        Topic(1).group: [*Topic(1).aspects],
    }


def test_a_message_is_never_too_long():
    many = [(f"t1.run.{number:036}", ["run", "steps"], {"step": "RUNNING"}) for number in range(500)]
    parts = list(postgres_live._parts(many))
    assert len(parts) > 1
    assert max(map(len, parts)) <= MOST_BYTES
    [whole] = postgres_live._parts(
        [(RUN.group, ["steps"], {f"step {number}": "RUNNING" for number in range(2000)})]
    )
    assert whole == f'[["{RUN.group}",["steps"],{{}}]]'
