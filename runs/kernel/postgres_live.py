"""Notices of changes without Redis: the processes tell one another by the noticeboard who watches, and what changed."""

import asyncio
import re
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from lib.noticeboard import MOST_BYTES, board
from lib.uuid7 import uuid7
from runs.limits import WATCHED_GROUPS, WATCHED_SECONDS

NAME = "the database"
ERRORS: tuple[type[Exception], ...] = ()
WATCHED, CHANGED = "handoff_watched", "handoff_changed"
ANSWERED_SECONDS = 0.15
"""How long after asking who watches it may take until all have said so."""
_WHO = "?"
_WATCH = re.compile(r"(\d{1,3}(?:\.\d)?) (t\d+\.[\w.-]{1,80})")

Message = Mapping[str, Any]


class Silent(OSError):
    """No message comes through the database."""


class PostgresWatchers:
    """What this process has heard of who watches. Each says so again and again, and whoever starts asks for it."""

    def __init__(self) -> None:
        self._until: dict[str, float] = {}
        self._own: dict[str, float] = {}
        self._lock = threading.Lock()
        self._hears = False
        self._asked_at = 0.0

    def begin(self) -> None:
        """Hear from now on who watches."""
        with self._lock:
            if not self._hears:
                self._hears = True
                board.hear(WATCHED, self._told, self._again)

    async def groups(self) -> frozenset[str]:
        """Those that are watched now."""
        await self.answers()
        if (left := self._asked_at + ANSWERED_SECONDS - time.monotonic()) > 0:
            await asyncio.sleep(left)
        now = time.time()
        with self._lock:
            self._until = {group: until for group, until in self._until.items() if until > now}
            self._own = {group: until for group, until in self._own.items() if until > now}
            return frozenset(self._until)

    def own(self) -> list[str]:
        """Those that are watched in this process."""
        with self._lock:
            return list(self._own)

    async def watch(self, group: str, seconds: float) -> bool:
        """Have this one count as watched for so long; gives whether it didn't until now."""
        await self.answers()
        now = time.time()
        with self._lock:
            is_new = self._own.get(group, 0.0) <= now
            self._until[group] = self._own[group] = now + seconds
        board.post(WATCHED, f"{seconds:.1f} {group}")
        return is_new

    async def answers(self) -> None:
        """Return if messages come. That is waited for once: who asks while they are lost is told so at once."""
        self.begin()
        if board.is_heard():
            return
        if board.was_heard or not await asyncio.to_thread(board.wait_heard, 0.5):
            raise Silent("no messages come through the database")

    async def aclose(self) -> None:
        """There is nothing to close."""

    def _told(self, text: str) -> None:
        if text == _WHO:
            self._say_own()
            return
        if (read := _WATCH.fullmatch(text)) is None:
            return
        group, until = read[2], time.time() + min(float(read[1]), WATCHED_SECONDS)
        with self._lock:
            if group in self._until or len(self._until) < WATCHED_GROUPS:
                self._until[group] = max(self._until.get(group, 0.0), until)

    def _again(self) -> None:
        """Something may have been missed: ask anew."""
        self._asked_at = time.monotonic()
        board.post(WATCHED, _WHO)

    def _say_own(self) -> None:
        now = time.time()
        with self._lock:
            self._own = {group: until for group, until in self._own.items() if until > now}
            own = dict(self._own)
        for group, until in own.items():
            board.post(WATCHED, f"{until - now:.1f} {group}")


_here = PostgresWatchers()


def watchers(seconds: float) -> PostgresWatchers:
    """Those of this process."""
    return _here


class _Hearing:
    """The messages for one event loop of this process, until it has read them."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.messages: asyncio.Queue[Message] = asyncio.Queue(1_000)

    def put(self, message: Message) -> None:
        """Keep it; who reads too slowly loses the oldest, and looks at everything once a minute anyway."""
        if self.messages.full():
            self.messages.get_nowait()
        self.messages.put_nowait(message)


class PostgresLayer:
    """A channel layer as far as Handoff needs one: whoever has joined gets all that is sent, whatever the group."""

    def __init__(self, **_: object) -> None:
        self._hearing: dict[str, _Hearing] = {}
        self._lock = threading.Lock()
        self._hears = False

    async def new_channel(self) -> str:
        """The name of a channel of this event loop. Raises Silent where no messages come."""
        await _here.answers()
        with self._lock:
            begins, self._hears = not self._hears, True
        if begins:
            board.hear(CHANGED, self._told, self._again)
        return uuid7()

    async def group_add(self, group: str, channel: str) -> None:
        """From now on it gets what is sent."""
        with self._lock:
            self._hearing[channel] = _Hearing()

    async def group_discard(self, group: str, channel: str) -> None:
        """It gets no more."""
        with self._lock:
            self._hearing.pop(channel, None)

    async def receive(self, channel: str) -> Message:
        """The next message, when there is one."""
        return await self._hearing[channel].messages.get()

    async def group_send(self, group: str, message: Message) -> None:
        """Send it to all processes, in as many parts as it needs."""
        for text in _parts(message["notices"]):
            board.post(CHANGED, text)

    def _told(self, text: str) -> None:
        self._put({"notices": orjson.loads(text)})

    def _again(self) -> None:
        """What changed meanwhile may not have been heard: all that is watched here may have."""
        self._put({"notices": [(group, _aspects(group), {}) for group in _here.own()]})

    def _put(self, message: Message) -> None:
        with self._lock:
            hearing = list(self._hearing.values())
        for one in hearing:
            if not one.loop.is_closed():
                one.loop.call_soon_threadsafe(one.put, message)


def _aspects(group: str) -> list[str]:
    """All that can change about a topic, as `live.Topic` says it of its group."""
    about = group.split(".", 2)[1]
    return ["run", "steps"] if about == "run" else [about]


def _parts(notices: Sequence[tuple[str, list[str], dict[str, str]]]) -> Iterator[str]:
    """The notices as texts that are short enough; one that is too long says only what changed and not to what."""
    text = orjson.dumps(notices).decode()
    if len(text.encode()) <= MOST_BYTES:
        yield text
    elif len(notices) == 1:
        [(group, aspects, _)] = notices
        yield orjson.dumps([(group, aspects, {})]).decode()
    else:
        middle = len(notices) // 2
        yield from _parts(notices[:middle])
        yield from _parts(notices[middle:])
