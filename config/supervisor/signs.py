"""Signs of progress of one life of a program: that it exists says nothing, a stopped process exists, too."""

import asyncio
import os
import time

from config.supervisor.programs import Program


class Signs:
    """What a life of `program` says through the pipe `ready_end`, or when it is asked.

    It has `start_seconds` to give its first sign; one that answers, and is not ready yet, has to go on answering.
    """

    def __init__(self, program: Program, ready_end: int, start_seconds: float) -> None:
        self.was_ready = False
        self.last = time.monotonic()
        self._program, self._ready_end, self._start_seconds = program, ready_end, start_seconds
        self.has_answered = False

    async def are_good(self) -> bool:
        """Look once; whether it has made progress lately. A server that recovers, and says so, makes progress."""
        if not self.was_ready:
            self.was_ready = await self._is_ready()
            came = self.was_ready or await self._is_alive(before=True)
        else:
            came = await self._is_alive()
        if came:
            self.last, self.has_answered = time.monotonic(), True
        return time.monotonic() - self.last <= self._patience

    @property
    def complaint(self) -> str:
        """What is wrong with it."""
        complaint_text = "has given no sign of progress" if self.was_ready else "has not become ready"
        return f"{complaint_text} for {self._patience:g} s"

    @property
    def _patience(self) -> float:
        return self._program.silence_seconds if self.has_answered else self._start_seconds

    async def _is_ready(self) -> bool:
        if self._program.ready == "asked":
            return await asyncio.to_thread(self._program.is_ready)
        return self._beats()

    async def _is_alive(self, *, before: bool = False) -> bool:
        if self._program.is_alive is not None:
            return await asyncio.to_thread(self._program.is_alive)
        return not before and self._beats()

    def _beats(self) -> bool:
        try:
            return bool(os.read(self._ready_end, 65_536))
        except BlockingIOError:
            return False
