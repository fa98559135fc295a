"""Polls that wait for a job wait here, in the event loop: none holds a thread, and none leases for a client that left.

To wait is to ask Django again when there is work; each attempt is a request of its own, authenticated anew.
"""

import asyncio
import logging
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from django.db import connection

from config.asgi_types import App, Message, Receive, Scope, Send
from config.web import stopping
from lib.lookout import Lookout
from lib.waiting import Attempt, Waiting, with_attempt
from runs.api import polls
from runs.kernel import dispatch

log = logging.getLogger(__name__)

T = TypeVar("T")

PATH, ROCHALLOR_PATH = "/api/v1/jobs/poll", "/v1/jobs/poll"
"""The second one never waits; a client that leaves meanwhile has its jobs given back all the same."""
PLACES = 500
LOOK_SECONDS = 0.25
"""So long at most a job goes unseen of which no message came."""


class LongPolls:
    """Passes requests on to `app`, a poll as often as it takes; their bodies must come in one piece.

    `look` is given how many wait for each topic, and gives to how many of them there is something to say.
    """

    def __init__(
        self,
        app: App,
        paths: Collection[str] = (PATH, ROCHALLOR_PATH),
        look: Callable[[Waiting], Waiting] = polls.look,
    ) -> None:
        self._app, self._paths, self._look = app, paths, look
        self._lookout = Lookout(
            self._found, lambda ring: dispatch.dispatcher().attend_pollers(ring), LOOK_SECONDS
        )
        # One thread, so that polls need one connection to the database however many of them wait.
        self._thread = ThreadPoolExecutor(1, "long-polls")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["path"] not in self._paths:
            await self._app(scope, receive, send)
            return
        body = await receive()
        gone = asyncio.ensure_future(_until_gone(receive))
        try:
            await self._poll(scope, body, gone, send)
        finally:
            gone.cancel()

    async def _poll(self, scope: Scope, body: Message, gone: asyncio.Future[None], send: Send) -> None:
        clock = asyncio.get_running_loop().time
        until: float | None = None
        while True:
            again, attempt = with_attempt(scope, is_first=until is None)
            answer = _Answer()
            await self._app(again, _once(body), answer.take)
            until = until or clock() + attempt.wait_seconds
            if not await self._is_worth_another(attempt, until - clock(), gone):
                break
        for message in answer.messages():
            if gone.done():
                if attempt.undo is not None:
                    await self._undo(attempt.undo)
                return
            await send(message)

    async def _is_worth_another(self, attempt: Attempt, seconds: float, gone: asyncio.Future[None]) -> bool:
        """Wait until there is something to say; not for ever, and not for a client that has gone."""
        if not attempt.wait_seconds or seconds <= 0 or len(self._lookout) >= PLACES:
            return False
        return await self._lookout.wait(attempt.topics, seconds, gone)

    async def _found(self, waiting: Waiting) -> Waiting:
        if stopping.is_set():
            self._lookout.stop()
        return await self._in_thread(partial(self._look, waiting))

    async def _undo(self, undo: Callable[[], None]) -> None:
        try:
            await self._in_thread(undo)
        except Exception:
            # What can't be undone comes back when its lease is over.
            log.warning("What a client that left was given can't be taken back now", exc_info=True)

    async def _in_thread(self, do: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, _done, do)


def _done(do: Callable[[], T]) -> T:
    try:
        return do()
    finally:
        connection.close()


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _once(body: Message) -> Receive:
    async def receive() -> Message:
        return {**body}

    return receive


class _Answer:
    """An answer that is kept back: of those to a poll only the last is sent."""

    def __init__(self) -> None:
        self._start: Message = {}
        self._body = bytearray()

    async def take(self, message: Message) -> None:
        """Instead of sending."""
        if message["type"] == "http.response.start":
            self._start = message
        else:
            self._body += message.get("body", b"")

    def messages(self) -> list[Message]:
        """The body in one piece: a client that has all of it, and leaves, must not count as gone before its end."""
        return [self._start, {"type": "http.response.body", "body": bytes(self._body)}]
