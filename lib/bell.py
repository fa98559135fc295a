"""Something that threads ring and a coroutine waits for."""

import asyncio
from contextlib import suppress


class Bell:
    """Rung any number of times before somebody listens, it is heard once."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._rung = asyncio.Event()

    def ring(self) -> None:
        """From any thread."""
        if (loop := self._loop) is None:
            self._rung.set()
            return
        # A loop that has ended hears nothing.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(self._rung.set)

    async def heard(self, seconds: float) -> None:
        """Return when it was rung since the last call, or after so many seconds."""
        self._loop = asyncio.get_running_loop()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._rung.wait(), seconds)
        self._rung.clear()
