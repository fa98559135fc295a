"""Messages by LISTEN and NOTIFY: sent at once, together, and again when the database is there anew."""

import threading

import psycopg
import pytest
from django.db import connection

from config.embedded.processes import wait_until
from lib.noticeboard import APPLICATION, MOST_WAITING, Noticeboard

pytestmark = pytest.mark.django_db(transaction=True)


class Heard:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.again = threading.Event()

    def told(self, text: str) -> None:
        self.texts.append(text)

    def missed(self) -> None:
        self.again.set()


@pytest.fixture
def boards():
    """Two processes, as far as messages are concerned."""
    two = Noticeboard(), Noticeboard()
    yield two
    for board in two:
        board.settle(5)


@pytest.fixture
def heard(boards):
    heard = Heard()
    boards[1].hear("tests", heard.told, heard.missed)
    assert boards[1].wait_heard(10)
    return heard


def end_lines() -> int:
    """End the connection of everybody who listens."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
            " WHERE datname = current_database() AND application_name = %s",
            [APPLICATION],
        )
        return cursor.fetchone()[0]


def test_what_one_posts_others_hear_and_the_same_twice_is_one(boards, heard):
    for text in ("a", "b", "a"):
        boards[0].post("tests", text)
    wait_until(lambda: "b" in heard.texts, 10, "the messages")
    assert heard.texts[:2] == ["a", "b"]
    assert len(heard.texts) <= 3


def test_who_posts_hears_itself_and_nothing_of_other_channels(boards, heard):
    boards[0].post("others", "x")
    boards[1].post("tests", "mine")
    wait_until(lambda: heard.texts, 10, "the message")
    assert heard.texts == ["mine"]


def test_it_is_known_that_messages_come_and_that_they_came_anew(boards, heard):
    assert heard.again.wait(10)
    heard.again.clear()
    assert boards[1].is_heard()
    assert end_lines() >= 1
    wait_until(lambda: not boards[1].is_heard() or heard.again.is_set(), 10, "the loss")
    assert heard.again.wait(20)
    assert boards[1].is_heard()
    boards[0].post("tests", "after")
    wait_until(lambda: "after" in heard.texts, 20, "the message")


def test_who_can_not_read_a_message_hears_the_next(boards, heard, caplog):
    def stumble(text: str) -> None:
        raise ValueError(text)

    boards[1].hear("tests", stumble)
    boards[0].post("tests", "one")
    wait_until(lambda: "one" in heard.texts, 10, "the first")
    boards[0].post("tests", "two")
    wait_until(lambda: "two" in heard.texts, 10, "the second")
    assert "can't be read" in caplog.text


def test_without_a_database_nobody_waits_and_what_is_kept_is_bounded(monkeypatch):
    board = Noticeboard()
    monkeypatch.setattr(board, "_params", lambda: {"host": "127.0.0.1", "port": 1, "connect_timeout": 2})
    for place in range(MOST_WAITING + 10):
        board.post("tests", str(place))
    assert not board.is_heard()
    assert len(board._waiting) == MOST_WAITING
    board.settle(5)


def test_no_commit_waits_for_the_disk_or_for_others(boards, heard):
    """What is sent holds the lock that all of NOTIFY shares for a moment only."""
    with psycopg.connect(**boards[1]._params()) as other, other.transaction():
        other.execute("SELECT pg_notify('elsewhere', 'held back')")
        boards[0].post("tests", "quick")
        wait_until(lambda: "quick" in heard.texts, 10, "the message")
