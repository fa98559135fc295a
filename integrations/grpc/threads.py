"""The threads that do what calls ask: gRPC's event loop passes on bytes, and nothing in proportion to them."""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from django.db import connection

log = logging.getLogger(__name__)

T = TypeVar("T")


class Threads:
    """So many things are done at once; what comes meanwhile waits."""

    def __init__(self, most: int, name: str) -> None:
        self._pool = ThreadPoolExecutor(most, name)

    async def do(self, work: Callable[[], T], undo: Callable[[], None] | None = None) -> T:
        """What `work` gives. Where its caller leaves before it was begun it is not done; else `undo` is, behind it."""
        future: Future[T] = self._pool.submit(_done, work)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            # What waited was cancelled along with us.
            if undo is not None and not future.cancelled():
                future.add_done_callback(partial(self._undo, undo))
            raise

    def later(self, work: Callable[[], None]) -> None:
        """Have this done; what goes wrong with it is logged."""
        self._pool.submit(_tried, work)

    def end(self) -> None:
        """Return when all is done that was begun."""
        self._pool.shutdown()

    def _undo(self, undo: Callable[[], None], done: Future[T]) -> None:
        try:
            self.later(undo)
        except RuntimeError:
            # The process ends, and this is the thread that has done it.
            _tried(undo)


def _done(work: Callable[[], T]) -> T:
    try:
        return work()
    finally:
        # As a request's end does it: others share this connection.
        connection.close()


def _tried(work: Callable[[], None]) -> None:
    try:
        _done(work)
    except Exception:
        # A lease that can't be given back is over by itself.
        log.warning("Something could not be undone for a client that has left", exc_info=True)
