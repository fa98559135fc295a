"""The sockets of a web process by what they are about: one subscription hears for all of them."""

import asyncio
import logging
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Protocol

from channels.layers import get_channel_layer

from runs.kernel import live
from runs.kernel.live import Topic

log = logging.getLogger(__name__)

AGAIN_SECONDS = 1.0


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

    async def join(self, topic: Topic, socket: Listener) -> None:
        """Have the socket told from now on. Raises what is in `live.ERRORS`."""
        self._sockets.setdefault(topic.group, set()).add(socket)
        if self._listening is None or self._listening.done():
            # All who come meanwhile wait for the same: where Redis hangs none waits for the others' turns, too.
            self._beginning = self._beginning or asyncio.create_task(self._begin())
            await asyncio.shield(self._beginning)

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
        # Redis may have been away: who comes next subscribes anew.
        if not self._sockets and self._listening is not None:
            self._listening.cancel()
            self._listening = None

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
            for socket in self._sockets.get(group, ()):
                socket.told(changed, nodes, status)


hub = Hub()
