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

    def told(self, changed: Iterable[str], nodes: Mapping[str, str], status: str | None, event: str) -> None:
        """Something about its topic changed, to these statuses as far as they are known, by the event of this id;
        returns at once.
        """


class Hub:
    """Tells each socket what `runs.kernel.live` sends about its topic; it subscribes while there are any."""

    def __init__(self) -> None:
        self._sockets: dict[str, set[Listener]] = {}
        self._beginning: asyncio.Task[None] | None = None
        self._listening: asyncio.Task[None] | None = None
        self._process, self._number = uuid4().hex[:12], 0
        self._logs: dict[str, TopicLog] = {}
        self._resting: asyncio.TimerHandle | None = None

    async def join(self, topic: Topic, socket: Listener) -> None:
        """Have the socket told from now on. Raises what is in `live.ERRORS`."""
        self._sockets.setdefault(topic.group, set()).add(socket)
        if self._listening is None or self._listening.done():
            # All who come meanwhile wait for the same: where Redis hangs none waits for the others' turns, too.
            self._beginning = self._beginning or asyncio.create_task(self._begin())
            await asyncio.shield(self._beginning)
        kept = self._logs.get(topic.group)
        if kept is None or 0.0 < kept.until < time.monotonic():
            # A number of its own: no id from before it names a moment since which nothing was left out.
            self._number += 1
            kept = self._logs[topic.group] = TopicLog(self._number)
        kept.until = 0.0

    def id_of(self, topic: Topic) -> str:
        """The id of the last event about it."""
        return f"{self._process}-{self._logs[topic.group].number}"

    def missed(self, topic: Topic, last: str) -> Missed | None:
        """What changed about it after the event of this id; None where that is not kept, here or any more."""
        process, _, number = last.partition("-")
        if process != self._process or not number.isascii() or not number.isdecimal() or len(number) > 18:
            return None
        return self._logs[topic.group].missed(int(number))

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
            self._rest(topic.group)

    def _rest(self, group: str) -> None:
        """Keep what changes about a topic without a socket a little longer, for who comes back to it."""
        if group not in self._logs:
            return
        now = time.monotonic()
        self._logs[group].until = now + KEPT_SECONDS
        idle = [one for one, kept in self._logs.items() if kept.until]
        for one in idle[: max(0, len(idle) - KEPT_TOPICS)]:
            del self._logs[one]
        if self._resting is not None:
            self._resting.cancel()
        self._resting = asyncio.get_running_loop().call_later(KEPT_SECONDS, self._forget)

    def _forget(self) -> None:
        """Forget what nobody came back to; without a socket nothing is listened to."""
        self._resting = None
        now = time.monotonic()
        self._logs = {group: kept for group, kept in self._logs.items() if not kept.until or kept.until > now}
        # Redis may have been away: who comes next subscribes anew.
        if not self._sockets and self._listening is not None:
            self._listening.cancel()
            self._listening = None
            self._logs = {}

    async def _listen(self, layer: Any, channel: str) -> None:
        try:
            while True:
                try:
                    self._tell(await layer.receive(channel))
                except Exception:
                    log.exception("A message about changes can't be read")
                    await asyncio.sleep(AGAIN_SECONDS)
        finally:
            with suppress(*live.ERRORS):
                await layer.group_discard(live.ALL, channel)

    def _tell(self, message: Mapping[str, Any]) -> None:
        for group, changed, nodes, status in message["notices"]:
            if group not in self._logs:
                continue
            self._number += 1
            self._logs[group].add(self._number, changed, nodes, status)
            for socket in self._sockets.get(group, ()):
                socket.told(changed, nodes, status, f"{self._process}-{self._number}")


hub = Hub()
