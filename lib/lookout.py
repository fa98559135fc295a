"""One look for all who wait for news, when somebody rings and now and then; none of them holds a thread."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from lib.waiting import Topics, Waiting, counted, told

log = logging.getLogger(__name__)

PAUSE_SECONDS = 0.02
"""So far apart are two looks at least, however often it is rung."""

Look = Callable[[Waiting], Awaitable[Waiting]]


class Lookout:
    """Those who wait in one event loop.

    `look` is given how many wait for each topic, and gives to how many of them there is something to say. `attend` is
    given what threads ring when there may be something new; without that it is looked each `seconds`.
    """

    def __init__(self, look: Look, attend: Callable[[Callable[[], None]], None], seconds: float) -> None:
        self._look, self._attend, self._seconds = look, attend, seconds
        self._waiting: dict[asyncio.Future[bool], Topics] = {}
        self._looking: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._rung = asyncio.Event()
        self._is_over = False

    def __len__(self) -> int:
        """How many wait."""
        return len(self._waiting)

    async def wait(self, topics: Topics, seconds: float, gone: asyncio.Future[None] | None = None) -> bool:
        """Whether there is something to say about the topics before `seconds` are over or `gone` is done."""
        if self._is_over:
            return False
        news: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting[news] = topics
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look_out())
        try:
            ends: set[asyncio.Future[Any]] = {news, gone} if gone is not None else {news}
            await asyncio.wait(ends, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            del self._waiting[news]
        return news.done() and news.result() and not (gone is not None and gone.done())

    def stop(self) -> None:
        """Nobody waits any longer, nor from now on."""
        self._is_over = True
        self._answer(list(self._waiting), is_news=False)

    async def _look_out(self) -> None:
        """Until nobody waits."""
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
            self._attend(self._ring)
        while self._waiting and not self._is_over:
            self._rung.clear()
            next_at = self._loop.time() + PAUSE_SECONDS
            self._answer(await self._found(), is_news=True)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._rung.wait(), self._seconds)
            await asyncio.sleep(next_at - self._loop.time())

    async def _found(self) -> list[asyncio.Future[bool]]:
        """Those there is something to say to."""
        waiting = dict(self._waiting)
        try:
            news = await self._look(counted(waiting.values()))
        except Exception:
            # Whoever asks again is told what is wrong.
            log.warning("The database did not answer on behalf of those who wait", exc_info=True)
            return list(waiting)
        return list(told([(one, topics) for one, topics in waiting.items() if not one.done()], news))

    @staticmethod
    def _answer(waiting: list[asyncio.Future[bool]], *, is_news: bool) -> None:
        for one in waiting:
            if not one.done():
                one.set_result(is_news)

    def _ring(self) -> None:
        """From any thread."""
        # A loop that has ended hears nothing.
        with suppress(RuntimeError):
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self._rung.set)
