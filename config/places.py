"""How many requests are done at once: of each caller, of those that compute by their nature, and of all callers who
have computed much while others ask.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager
from weakref import WeakValueDictionary

from config.limits import COMPUTING_REQUESTS, HEAVY_THREADS

QUIET_SECONDS = 1.0
"""So long after a request of somebody else the next one is expected."""
_LOOK_SECONDS = 0.1


class Places:
    """So many requests of one caller are done at once, and of callers who have computed much of late few while
    somebody else asks. The others wait in their order. Of requests that compute by their nature one waits or is done
    for each caller: who sends many has no more turns than the others.
    """

    def __init__(self, most_of_one: int, most_heavy: int = HEAVY_THREADS) -> None:
        self._most_of_one = most_of_one
        self._of_one: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self._computing = asyncio.Semaphore(COMPUTING_REQUESTS)
        self._turns: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self._lane = _Lane(most_heavy)

    @asynccontextmanager
    async def place(
        self, name: str, is_heavy: Callable[[], bool], *, computes: bool = False
    ) -> AsyncIterator[Callable[[], None]]:
        """Hold a place of this caller; gives what leaves those who compute earlier, as who reads slowly does: a
        thread is its caller's to the end.

        `is_heavy` is asked when its turn comes: who asks much at once has computed nothing before. `computes`: whether
        the request computes by its nature.
        """
        async with _of(self._of_one, name, self._most_of_one):
            with ExitStack() as held:
                if computes:
                    for turn in (_of(self._turns, name, 1), self._computing):
                        await turn.acquire()
                        held.callback(turn.release)
                elif is_heavy():
                    await self._lane.acquire()
                    held.callback(self._lane.release)
                else:
                    self._lane.enter_light()
                    held.callback(self._lane.leave_light)
                yield held.close


def _of(semaphores: WeakValueDictionary[str, asyncio.Semaphore], name: str, most: int) -> asyncio.Semaphore:
    """The one of this name, which goes with the last request that holds it or waits for it."""
    semaphore = semaphores.get(name)
    if semaphore is None:
        semaphore = semaphores[name] = asyncio.Semaphore(most)
    return semaphore


class _Lane:
    """The requests of callers who have computed much."""

    def __init__(self, most: int) -> None:
        self._most, self._count, self._light = most, 0, 0
        self._quiet_since = float("-inf")
        self._turns: deque[asyncio.Future[None]] = deque()

    def enter_light(self) -> None:
        """Somebody else asks."""
        self._light += 1

    def leave_light(self) -> None:
        """Somebody else has an answer."""
        self._light -= 1
        self._quiet_since = asyncio.get_running_loop().time()

    async def acquire(self) -> None:
        """Wait for a place."""
        if not self._turns and not self._is_full():
            self._count += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._turns.append(turn)
        try:
            while not turn.done():
                # That nobody else asks any more is no event.
                await asyncio.wait([turn], timeout=_LOOK_SECONDS)
                self._admit()
        except asyncio.CancelledError:
            if turn.done():
                self.release()
            turn.cancel()
            raise

    def release(self) -> None:
        """Leave a place."""
        self._count -= 1
        self._admit()

    def _admit(self) -> None:
        while self._turns and not self._is_full():
            turn = self._turns.popleft()
            if not turn.done():
                self._count += 1
                turn.set_result(None)

    def _is_full(self) -> bool:
        is_quiet = asyncio.get_running_loop().time() - self._quiet_since > QUIET_SECONDS
        return self._count >= self._most and (self._light > 0 or not is_quiet)
