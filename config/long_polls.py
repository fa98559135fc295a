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
from lib.bell import Bell
from lib.waiting import Attempt, Waiting, counted, told, with_attempt
from runs.kernel import dispatch

log = logging.getLogger(__name__)

T = TypeVar("T")

PATH, S4_PATH = "/api/v1/jobs/poll", "/v1/jobs/poll"
"""The second one never waits; a client that leaves meanwhile has its jobs given back all the same."""
PLACES = 500
LOOK_SECONDS = 0.25
"""So long at most a job goes unseen of which no message came."""


class LongPolls:
    """Passes requests on to `app`, a poll as often as it takes; their bodies must come in one piece."""

    def __init__(self, app: App, paths: Collection[str] = (PATH, S4_PATH)) -> None:
        self._app, self._paths = app, paths
        self._waiting: dict[asyncio.Future[None], Attempt] = {}
        self._looking: asyncio.Task[None] | None = None
        self._bell = Bell()
        self._hears = False
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
                    await self._in_thread(attempt.undo)
                return
            await send(message)

    async def _is_worth_another(self, attempt: Attempt, seconds: float, gone: asyncio.Future[None]) -> bool:
        """Wait until there is something to say; not for ever, and not for a client that has gone."""
        if not attempt.wait_seconds or seconds <= 0 or len(self._waiting) >= PLACES:
            return False
        news: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[news] = attempt
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look_out())
        try:
            await asyncio.wait({news, gone}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            del self._waiting[news]
        return news.done() and not news.cancelled() and not gone.done()

    async def _look_out(self) -> None:
        """One look for all who wait, when a job has come and now and then, until nobody waits."""
        if not self._hears:
            self._hears = True
            dispatch.dispatcher().attend_pollers(self._bell.ring)
        while self._waiting:
            waiting = dict(self._waiting)
            news = await self._in_thread(partial(_look, waiting.values()))
            if stopping.is_set():
                for one in waiting:
                    one.cancel()
            open_ = {one: attempt.topics for one, attempt in waiting.items() if not one.done()}
            for one in list(open_) if news is None else told(open_.items(), news):
                one.set_result(None)
            await self._bell.heard(LOOK_SECONDS)

    async def _in_thread(self, do: Callable[[], T]) -> T | None:
        """What `do` gives; None where the database doesn't answer."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, _tried, do)


def _look(waiting: Collection[Attempt]) -> Waiting:
    """What there is. All who wait here asked for one path, so any of them can look for all: S4's never wait."""
    look = next(iter(waiting)).look
    return look(counted(attempt.topics for attempt in waiting))


def _tried(do: Callable[[], T]) -> T | None:
    try:
        return do()
    except Exception:
        # The next attempt tells the client; what can't be undone comes back when its lease is over.
        log.warning("The database did not answer on behalf of polls that wait", exc_info=True)
        return None
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
