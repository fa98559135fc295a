"""Calls that wait for jobs: one look for all of them, four times a second while there are any; none holds a thread."""

import asyncio
import logging
from functools import partial

from lib.refusals import TooMany
from lib.waiting import Topics
from rpc.threads import Threads
from runs.api import polls

log = logging.getLogger(__name__)

LOOK_SECONDS = 0.25
PLACES = 1_000


class News:
    """Says when there is something to say about topics of `runs.api.polls`."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads
        self._waiting: dict[asyncio.Future[bool], Topics] = {}
        self._looking: asyncio.Task[None] | None = None
        self.stopping = asyncio.Event()

    async def come(self, topics: Topics, seconds: float) -> bool:
        """Wait; whether there is something new before `seconds` are over. Raises TooMany where too many wait."""
        if len(self._waiting) >= PLACES:
            raise TooMany("Too many calls wait here for jobs.", retry_after=5)
        if self.stopping.is_set():
            return False
        news: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting[news] = topics
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look_out())
        try:
            await asyncio.wait({news}, timeout=seconds)
        finally:
            del self._waiting[news]
        return news.done() and news.result()

    def stop(self) -> None:
        """Nobody waits any longer."""
        self.stopping.set()
        for news in self._waiting:
            if not news.done():
                news.set_result(False)

    async def _look_out(self) -> None:
        while self._waiting and not self.stopping.is_set():
            waiting = dict(self._waiting)
            try:
                topics: Topics | None = await self._threads.do(
                    partial(polls.look, frozenset().union(*waiting.values()))
                )
            except Exception:
                # Whoever asks again is told what is wrong.
                log.warning("The database did not answer on behalf of calls that wait", exc_info=True)
                topics = None
            for news, own in waiting.items():
                if not news.done() and (topics is None or own & topics):
                    news.set_result(True)
            await asyncio.sleep(LOOK_SECONDS)
