"""Calls that wait for jobs: one look for all of them, when a job has come and now and then; none holds a thread."""

import asyncio
import logging
from collections import Counter
from functools import partial

from lib.bell import Bell
from lib.waiting import Attempt, Topics, Waiting, counted, told
from rpc.threads import Threads
from runs.api import polls
from runs.kernel import dispatch

log = logging.getLogger(__name__)

LOOK_SECONDS = 0.25
"""So long at most a job goes unseen of which no message came."""
PLACES, PLACES_OF_ONE = 1_000, 200
"""So many polls wait at once, and of a token. Streams are bounded where they are opened, and always have a place."""


class News:
    """Says when there is something to say about topics of `runs.api.polls`."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads
        self._waiting: dict[asyncio.Future[bool], Topics] = {}
        self._polls: Counter[str] = Counter()
        self._looking: asyncio.Task[None] | None = None
        self._bell = Bell()
        self._hears = False
        self.stopping = asyncio.Event()

    async def wait(self, attempt: Attempt, seconds: float) -> bool:
        """As `come`, for a poll; where too many wait, false at once, so that it is answered by what it has."""
        who = attempt.caller
        if self._polls.total() >= PLACES or self._polls[who] >= PLACES_OF_ONE:
            return False
        self._polls[who] += 1
        try:
            return await self.come(attempt.topics, seconds)
        finally:
            self._polls[who] -= 1
            if not self._polls[who]:
                del self._polls[who]

    async def come(self, topics: Topics, seconds: float) -> bool:
        """Wait; whether there is something new before `seconds` are over."""
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
        if not self._hears:
            self._hears = True
            dispatch.dispatcher().attend_pollers(self._bell.ring)
        while self._waiting and not self.stopping.is_set():
            waiting = dict(self._waiting)
            try:
                news: Waiting | None = await self._threads.do(partial(polls.look, counted(waiting.values())))
            except Exception:
                # Whoever asks again is told what is wrong.
                log.warning("The database did not answer on behalf of calls that wait", exc_info=True)
                news = None
            open_ = {one: topics for one, topics in waiting.items() if not one.done()}
            for one in list(open_) if news is None else told(open_.items(), news):
                one.set_result(True)
            await self._bell.heard(LOOK_SECONDS)
