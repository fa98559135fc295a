"""Threads for steps that block. The process may end while one still works, which `concurrent.futures` waits for."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import Any

_Work = tuple[Callable[[], Any], asyncio.AbstractEventLoop, "asyncio.Future[Any]"]


class Threads:
    """As many as are needed at once; one that is idle is used again."""

    def __init__(self) -> None:
        self._work: SimpleQueue[_Work | None] = SimpleQueue()
        self._idle, self._count = 0, 0

    async def run(self, do: Callable[[], Any]) -> Any:
        """What `do` gives or raises, in a thread."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        if self._idle == 0:
            self._count += 1
            threading.Thread(target=self._serve, name=f"handoff-step-{self._count}", daemon=True).start()
        else:
            self._idle -= 1
        self._work.put((do, loop, future))
        try:
            return await future
        finally:
            if future.done() and not future.cancelled():
                self._idle += 1

    def close(self) -> None:
        """Threads that are idle end; those at work, after it."""
        for _ in range(self._count):
            self._work.put(None)

    def _serve(self) -> None:
        while (work := self._work.get()) is not None:
            do, loop, future = work
            value, error = None, None
            try:
                value = do()
            except BaseException as problem:
                error = problem
            # The loop may be gone: the worker has stopped without this step.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(_tell, future, value, error)


def _tell(future: "asyncio.Future[Any]", value: Any, error: BaseException | None) -> None:
    if future.cancelled():
        return
    if error is None:
        future.set_result(value)
    else:
        # Neither StopIteration nor what ends a process or a task may travel by a future.
        future.set_exception(error if _may_travel(error) else StepExit(error))


def _may_travel(error: BaseException) -> bool:
    return isinstance(error, Exception) and not isinstance(error, StopIteration)


class StepExit(Exception):
    """A step has raised what would end a process."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(f"{type(error).__name__}: {error}")
