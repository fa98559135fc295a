"""Calls that wait for jobs: one look for all of them, when a job has come and now and then; none holds a thread."""

import asyncio
from collections import Counter
from functools import partial

from integrations.grpc.threads import Threads
from lib.lookout import Lookout
from lib.waiting import Attempt, Topics, Waiting
from runs.api import polls
from runs.kernel import dispatch

LOOK_SECONDS = 0.25
"""So long at most a job goes unseen of which no message came."""
PLACES, PLACES_OF_ONE = 1_000, 200
"""So many polls wait at once, and of a token. Streams are bounded where they are opened, and always have a place."""


class News:
    """Says when there is something to say about topics of `runs.api.polls`."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads
        self._polls: Counter[str] = Counter()
        self._lookout = Lookout(
            self._look, lambda ring: dispatch.dispatcher().attend_pollers(ring), LOOK_SECONDS
        )
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
        return await self._lookout.wait(topics, seconds)

    def stop(self) -> None:
        """Nobody waits any longer."""
        self.stopping.set()
        self._lookout.stop()

    async def _look(self, waiting: Waiting) -> Waiting:
        return await self._threads.do(partial(polls.look, waiting))
