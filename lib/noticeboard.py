"""Short messages between the processes of one database, by PostgreSQL's LISTEN and NOTIFY.

One thread of a process, with a connection of its own, sends what others leave here and calls who listens. Nobody waits
for it: what is left is sent within milliseconds, in a transaction of its own after the one that it is about. (In that
one, NOTIFY would have all commits of the database wait for each other's disk.) A message may get lost with the
connection; whoever listens is told when it is there anew, and `is_heard` says whether messages come at all.
"""

import atexit
import logging
import os
import selectors
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import psycopg
from django.db import connection
from psycopg import sql

from lib.messages import first_line
from lib.uuid7 import uuid7

log = logging.getLogger(__name__)

PAUSE_SECONDS = 0.02
"""Between two transactions of a process: the first message goes at once, those right behind it go together."""
ASK_SECONDS = 4.0
"""How often it is tried whether messages come back."""
TRUST_SECONDS = 10.0
AGAIN_SECONDS = 0.5
MOST_WAITING = 10_000
MOST_BYTES = 7_900
"""PostgreSQL takes less than 8,000 bytes of a message."""
APPLICATION = "handoff noticeboard"
"""How the connection is called in `pg_stat_activity`."""
_TOGETHER = 500
_ECHO = "handoff_echo"
_SEND = "SELECT pg_notify(n.channel, n.text) FROM unnest(%s::text[], %s::text[]) AS n(channel, text)"

Hear = Callable[[str], None]
Again = Callable[[], None]


def _nothing() -> None:
    """Nobody minds what was missed."""


class Noticeboard:
    """The messages of this process. Its thread starts with the first of them, or with who listens first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[tuple[str, str], None] = {}
        self._listeners: dict[str, list[tuple[Hear, Again]]] = {}
        self._wake, self._waker = -1, -1
        self._thread: threading.Thread | None = None
        self._ending = False
        # It looks within milliseconds whoever nudges it.
        self._naps = False
        self.name = uuid7()
        self._heard_at: float | None = None
        self._there = threading.Event()
        self.was_heard = False

    def hear(self, channel: str, listener: Hear, again: Again = _nothing) -> None:
        """Have `listener` called with each message of the channel, and `again` where messages may have been missed
        before.

        Both are called by the board's thread and return at once.
        """
        with self._lock:
            self._listeners.setdefault(channel, []).append((listener, again))
        self._begin()

    def post(self, channel: str, text: str) -> None:
        """Leave a message for all who hear the channel; the same twice is one. Never raises, and waits for nobody."""
        with self._lock:
            if len(self._waiting) < MOST_WAITING:
                self._waiting[channel, text] = None
        if not self._naps:
            self._begin()

    def is_heard(self) -> bool:
        """Whether messages come, as far as this process knows."""
        return self._heard_at is not None and time.monotonic() - self._heard_at < TRUST_SECONDS

    def wait_heard(self, seconds: float) -> bool:
        """Start it and wait for so long at most; gives whether messages come."""
        self._begin()
        self._there.wait(seconds)
        return self.is_heard()

    def settle(self, seconds: float = 1.0) -> None:
        """The process ends: send what is left, and close the connection."""
        thread = self._thread
        if thread is not None:
            self._ending = True
            self._nudge()
            thread.join(seconds)
            self._thread = None

    def _begin(self) -> None:
        with self._lock:
            if self._thread is None:
                self._wake, self._waker = os.pipe()
                for end in (self._wake, self._waker):
                    os.set_blocking(end, False)
                # Another one than its parent has, where that was forked.
                self.name, self._ending = uuid7(), False
                self._thread = threading.Thread(target=self._run, name="noticeboard", daemon=True)
                self._thread.start()
                atexit.register(self.settle)
        self._nudge()

    def _nudge(self) -> None:
        with suppress(OSError):
            os.write(self._waker, b".")

    def _run(self) -> None:
        is_said = False
        while not self._ending:
            try:
                with psycopg.connect(**self._params()) as line:
                    is_said = False
                    self._serve(line)
            except psycopg.Error as error:
                if not is_said:
                    log.warning(
                        "Messages between processes are lost until the database answers: %s",
                        first_line(error),
                    )
                is_said = True
            except Exception:
                # Whatever it was, this thread is what others rely on: it goes on.
                log.exception("The noticeboard stumbled")
            self._heard_at = None
            self._there.clear()
            if not self._ending:
                time.sleep(AGAIN_SECONDS)

    def _params(self) -> dict[str, Any]:
        own = {"autocommit": True, "cursor_factory": psycopg.Cursor, "application_name": APPLICATION}
        return {**connection.get_connection_params(), **own}

    def _serve(self, line: "psycopg.Connection[Any]") -> None:
        """Send and hear until the connection is lost, or the process ends and nothing is left."""
        # What is told here is not worth a wait for the disk.
        line.execute("SET synchronous_commit = off")
        line.add_notify_handler(lambda notice: self._hear(notice.channel, notice.payload))
        listened: set[str] = set()
        asked_at = sent_at = 0.0
        with selectors.DefaultSelector() as selector:
            selector.register(line.fileno(), selectors.EVENT_READ)
            selector.register(self._wake, selectors.EVENT_READ)
            while True:
                self._listen(line, listened)
                now = time.monotonic()
                if now - asked_at >= ASK_SECONDS:
                    asked_at = now
                    with self._lock:
                        self._waiting[_ECHO, self.name] = None
                pause = PAUSE_SECONDS - (now - sent_at)
                if pause <= 0 or self._ending:
                    sent_at, pause = (now, PAUSE_SECONDS) if self._send(line) else (sent_at, 0.0)
                if self._ending and not self._waiting:
                    return
                self._naps = pause > 0
                selector.select(pause if pause > 0 else ASK_SECONDS)
                self._naps = False
                self._read(line)

    def _listen(self, line: "psycopg.Connection[Any]", listened: set[str]) -> None:
        with self._lock:
            fresh = {_ECHO, *self._listeners} - listened
        for channel in sorted(fresh):
            line.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))
        listened |= fresh

    def _send(self, line: "psycopg.Connection[Any]") -> bool:
        with self._lock:
            notices = list(self._waiting)[:_TOGETHER]
        if not notices:
            return False
        line.execute(_SEND, [[channel for channel, _ in notices], [text for _, text in notices]])
        with self._lock:
            for notice in notices:
                self._waiting.pop(notice, None)
        return True

    def _read(self, line: "psycopg.Connection[Any]") -> None:
        with suppress(BlockingIOError):
            while os.read(self._wake, 4096):
                pass
        line.pgconn.consume_input()
        while notice := line.pgconn.notifies():
            self._hear(notice.relname.decode(), notice.extra.decode())

    def _hear(self, channel: str, text: str) -> None:
        if channel == _ECHO:
            if text == self.name:
                self._note_heard()
            return
        for listener, _ in self._listening(channel):
            self._safely(listener, text)

    def _note_heard(self) -> None:
        is_new = self._heard_at is None
        self._heard_at = time.monotonic()
        self.was_heard = True
        if is_new:
            self._there.set()
            for channel in list(self._listeners):
                for _, again in self._listening(channel):
                    self._safely(again)

    def _listening(self, channel: str) -> Sequence[tuple[Hear, Again]]:
        with self._lock:
            return tuple(self._listeners.get(channel, ()))

    def _safely(self, act: Callable[..., None], *arguments: str) -> None:
        try:
            act(*arguments)
        except Exception:
            log.exception("A message of another process can't be read")


board = Noticeboard()
"""That of this process."""
