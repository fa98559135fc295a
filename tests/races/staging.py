"""Races on a stage: an actor works in a thread with its own connection and halts where it is told to.

Nobody sleeps: an actor halts before a named statement, and who must wait for a lock is waited for until
PostgreSQL says that it does.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, connections

from lib import named_sql

PATIENCE = 20.0
BLINK = 0.005

_acting = threading.local()


class Actor:
    """Does `work` in a thread; halts before the first statement called `before`, or where `work` calls `halt`."""

    def __init__(self, work: Callable[[], Any], *, before: str | None = None) -> None:
        self.work = work
        self.before = before
        self.result: Any = None
        self.error: BaseException | None = None
        self._known = threading.Event()
        self._halted = threading.Event()
        self._go = threading.Event()
        self._thread = threading.Thread(target=self._act, daemon=True)
        self._thread.start()
        assert self._known.wait(PATIENCE)

    def _act(self) -> None:
        _acting.actor = self
        try:
            connection.ensure_connection()
            self._session = connections["default"]
            self._known.set()
            self.result = self.work()
        except BaseException as error:
            self.error = error
        finally:
            self._known.set()
            self._halted.set()
            connections.close_all()

    @property
    def _pid(self) -> int:
        """The session that it has now: outside of transactions it may be given another one (0: it has none)."""
        held = self._session.connection
        return 0 if held is None else held.info.backend_pid

    def halt(self) -> None:
        """Stand still until `go`."""
        self._halted.set()
        assert self._go.wait(PATIENCE)

    def until_halted(self) -> "Actor":
        """Return when it stands still. It must not have ended before."""
        assert self._halted.wait(PATIENCE)
        assert self.error is None, self.error
        assert self._thread.is_alive(), "it ended without coming to where it should halt"
        return self

    def until_blocked(self) -> "Actor":
        """Return when PostgreSQL says that it waits for a lock."""
        look = threading.Event()
        for _ in range(int(PATIENCE / BLINK)):
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT 1 FROM pg_stat_activity WHERE pid = %s AND wait_event_type = 'Lock'", [self._pid]
                )
                if cursor.fetchone():
                    return self
            assert self._thread.is_alive(), f"it ended without waiting for anybody: {self.error!r}"
            look.wait(BLINK)
        raise AssertionError("it never waited for a lock")

    def go(self) -> "Actor":
        """Let it go on."""
        self._go.set()
        return self

    def lose_session(self) -> None:
        """The server ends its session, and the transaction that it is in."""
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s, 20000)", [self._pid])
            assert cursor.fetchone() == (True,)

    def end(self) -> Any:
        """What it gave, when it is over. Raises what it raised."""
        self._go.set()
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive(), "it never ended"
        if self.error is not None:
            raise self.error
        return self.result


def me() -> Actor:
    """The actor in whose thread this is."""
    return _acting.actor


def _watch(statement: str) -> None:
    actor = getattr(_acting, "actor", None)
    if actor is not None and actor.before == statement and not actor._go.is_set():
        actor.halt()


@contextmanager
def stage() -> Iterator[None]:
    """Actors halt before statements only here."""
    named_sql.watchers.append(_watch)
    try:
        yield
    finally:
        named_sql.watchers.remove(_watch)


@contextmanager
def holding(work: Callable[[], Any], *, before: str) -> Iterator[Actor]:
    """An actor that halts before a statement, with the locks that it has by then, until the block ends."""
    actor = Actor(work, before=before).until_halted()
    yield actor
    actor.end()


def blocked(work: Callable[[], Any]) -> Actor:
    """An actor that waits for somebody's lock."""
    return Actor(work).until_blocked()
