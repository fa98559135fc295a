"""Health and reflection, which ask for no token: few of their streams are open at once, and each ends soon."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterable, AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any, Final

import grpc
from grpc.aio import ServicerContext
from grpc_health.v1 import health
from grpc_reflection.v1alpha import reflection

from integrations.grpc.limits import ADDRESS_HEALTH_STREAMS, HEALTH_STREAMS

WATCH_SECONDS, REFLECTION_SECONDS = 600.0, 30.0


class StrangersPlaces:
    """Places for streams and calls whose caller is not known; for the event loop."""

    def __init__(self, most_of_one: int = ADDRESS_HEALTH_STREAMS, most: int = HEALTH_STREAMS) -> None:
        self._most_of_one, self._most = most_of_one, most
        self._open: Counter[str] = Counter()

    @contextmanager
    def place(self, peer: str) -> Iterator[bool]:
        """A place while it lasts; false where there is none."""
        who = peer.rpartition(":")[0]
        if self._open[who] >= self._most_of_one or self._open.total() >= self._most:
            yield False
            return
        self._open[who] += 1
        try:
            yield True
        finally:
            self._open[who] -= 1
            if not self._open[who]:
                del self._open[who]


_FULL: Final = "There are too many streams without a token; ask Check instead."
_OVER: Final = "This stream has lasted long enough: open it again."


class Health(health.aio.HealthServicer):  # type: ignore[misc]  # it has no types
    """Health, with bounds for who watches it."""

    def __init__(self, places: StrangersPlaces) -> None:
        super().__init__()
        self._places = places

    async def Watch(self, request: Any, context: "ServicerContext[Any, Any]") -> None:  # noqa: N802 - theirs
        """Tells of each change, for some minutes."""
        with self._places.place(context.peer()) as has_place:
            if not has_place:
                await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, _FULL)
            try:
                async with asyncio.timeout(WATCH_SECONDS):
                    await super().Watch(request, context)
            except TimeoutError:
                await context.abort(grpc.StatusCode.UNAVAILABLE, _OVER)


class Reflection(reflection.aio.ReflectionServicer):  # type: ignore[misc]  # it has no types
    """Reflection, with bounds for who asks."""

    def __init__(self, names: tuple[str, ...], places: StrangersPlaces, pool: Any) -> None:
        super().__init__(names, pool=pool)
        self._places = places

    async def ServerReflectionInfo(  # noqa: N802 - theirs
        self, requests: AsyncIterable[Any], context: "ServicerContext[Any, Any]"
    ) -> AsyncIterator[Any]:
        """Answers each request, for half a minute."""
        with self._places.place(context.peer()) as has_place:
            if not has_place:
                await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, _FULL)
            try:
                async with asyncio.timeout(REFLECTION_SECONDS):
                    async for answer in super().ServerReflectionInfo(requests, context):
                        yield answer
            except TimeoutError:
                await context.abort(grpc.StatusCode.UNAVAILABLE, _OVER)
