"""The sockets of a web process by what they are about: one subscription hears for all of them."""

import asyncio
import logging
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Protocol
from uuid import uuid4

from channels.layers import get_channel_layer

from runs.kernel import live
from runs.kernel.live import Topic
from runs.limits import KEPT_TOPICS
from runs.web.missed import Missed, TopicLog

log = logging.getLogger(__name__)

AGAIN_SECONDS = 1.0
KEPT_SECONDS = 15.0
"""So long after its last socket has left the changes of a topic are kept: each socket has said that it watches at most
ten seconds before, which counts for thirty.
"""


class Listener(Protocol):
    """A socket, as far as it is told of changes."""

    def told(self, changed: Iterable[str], nodes: Mapping[str, str], status: str | None) -> None:
        """Something about its topic changed, to these statuses as far as they are known; returns at once."""


class Hub:
    """Tells each socket what `runs.kernel.live` sends about its topic; it subscribes while there are any."""

    def __init__(self) -> None:
        self._sockets: dict[str, set[Listener]] = {}
        self._beginning: asyncio.Task[None] | None = None
        self._listening: asyncio.Task[None] | None = None
        self._process, self._number = "", 0
        self._logs: dict[str, TopicLog] = {}
        self._tidying: asyncio.TimerHandle | None = None

    async def join(self, topic: Topic, socket: Listener) -> None:
        """Have the socket told from now on. Raises what is in `live.ERRORS`.

        The topic must be watched already; where it was not until now, `forget` it first.
        """
        # Not where this is loaded: processes that are forked behind that would take each other's ids for their own.
        self._process = self._process or uuid4().hex[:12]
        self._sockets.setdefault(topic.group, set()).add(socket)
        if self._listening is None or self._listening.done():
            # All who come meanwhile wait for the same: where Redis hangs none waits for the others' turns, too.
            self._beginning = self._beginning or asyncio.create_task(self._begin())
            await asyncio.shield(self._beginning)
        record = self._logs.get(topic.group)
        if record is None or 0.0 < record.until < time.monotonic():
            # A number of its own: no id from before it names a moment since which nothing was left out.
            self._number += 1
            record = self._logs[topic.group] = TopicLog(self._number)
        record.until = 0.0

    def id_of(self, topic: Topic) -> str:
        """The id of the last event about it."""
        record = self._logs.get(topic.group)
        return f"{self._process}-{record.number}" if record else ""

    def missed(self, topic: Topic, last: str) -> Missed | None:
        """What changed about it after the event of this id; None where that is not kept, here or any more."""
        process, _, number = last.partition("-")
        if process != self._process or not number.isascii() or not number.isdecimal() or len(number) > 18:
            return None
        record = self._logs.get(topic.group)
        return record.missed(int(number)) if record else None

    def forget(self, topic: Topic) -> None:
        """Events about it may have been lost: nobody is told what they missed by an id from before."""
        self._logs.pop(topic.group, None)

    async def _begin(self) -> None:
        try:
            layer = get_channel_layer()
            channel = await layer.new_channel()
            await layer.group_add(live.ALL, channel)
            self._listening = asyncio.create_task(self._listen(layer, channel))
        finally:
            self._beginning = None

    def leave(self, topic: Topic, socket: Listener) -> None:
        """It is told no more."""
        sockets = self._sockets.get(topic.group, set())
        sockets.discard(socket)
        if not sockets:
            self._sockets.pop(topic.group, None)
            if record := self._logs.pop(topic.group, None):
                # As the last one: the first is the one that was left first.
                self._logs[topic.group] = record
                record.until = time.monotonic() + KEPT_SECONDS
            self._tidy()

    def _tidy(self) -> None:
        """Forget the topics that nobody came back to; without any nothing is listened to."""
        now = time.monotonic()
        idle = [group for group, record in self._logs.items() if record.until]
        surplus = len(idle) - KEPT_TOPICS
        for place, group in enumerate(idle):
            if place < surplus or self._logs[group].until <= now:
                del self._logs[group]
        if self._tidying is not None:
            self._tidying.cancel()
            self._tidying = None
        if first := next((record.until for record in self._logs.values() if record.until), 0.0):
            self._tidying = asyncio.get_running_loop().call_later(first - now, self._tidy)
        # Redis may have been away: who comes next subscribes anew.
        if not self._sockets and not self._logs and self._listening is not None:
            self._listening.cancel()
            self._listening = None

    async def _listen(self, layer: Any, channel: str) -> None:
        try:
            while True:
                try:
                    self._tell(await layer.receive(channel))
                except Exception:
                    log.exception("A message about changes can't be read")
                    self._logs.clear()
                    await asyncio.sleep(AGAIN_SECONDS)
        finally:
            with suppress(*live.ERRORS):
                await layer.group_discard(live.ALL, channel)

    def _tell(self, message: Mapping[str, Any]) -> None:
        for group, changed, nodes, status in message["notices"]:
            record, sockets = self._logs.get(group), self._sockets.get(group, ())
            if record:
                self._number += 1
                record.add(self._number, changed, nodes, status)
            for socket in sockets:
                socket.told(changed, nodes, status)


hub = Hub()
