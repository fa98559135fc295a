"""What became of jobs, told in batches: what comes while one is under way is the next one. No timer is needed."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from handoff_sdk.calls import Call, Retries
from handoff_sdk.errors import ApiError, Forbidden, NoAnswer, NotAuthenticated
from handoff_sdk.sending import AsyncSender
from handoff_sdk.watching import Watcher

MOST_AT_ONCE = 1_000
MOST_BYTES = 6 * 1024 * 1024
"""A body may have 8 MiB."""
BROKEN = 500
PAUSES = Retries(first=0.2, longest=5.0)
Result = Mapping[str, Any]
log = logging.getLogger("handoff_sdk")


class Untold(Exception):
    """It could not be told in time."""


@dataclass(eq=False)
class _Word:
    text: bytes
    until: float
    tries: int = 0
    future: asyncio.Future[Result] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def hear(self, outcome: Result | Exception) -> None:
        """Whoever waits for it may have gone."""
        if self.future.done():
            return
        if isinstance(outcome, Exception):
            self.future.set_exception(outcome)
        else:
            self.future.set_result(outcome)


class Reports:
    """Tells `POST /jobs/<verb>` of jobs."""

    def __init__(self, sender: AsyncSender, verb: str, watcher: Watcher) -> None:
        self._sender, self._verb, self._watcher = sender, verb, watcher
        self._waiting: deque[_Word] = deque()
        self._untold: set[_Word] = set()
        self._news = asyncio.Event()
        self._refusal: ApiError | None = None

    async def tell(self, text: bytes, until: float) -> Result:
        """What Handoff says of this word; it is tried until then, by the monotonic clock.

        Raises Untold, and ApiError where this word is refused.
        """
        if self._refusal is not None:
            raise self._refusal
        word = _Word(text, until)
        self._waiting.append(word)
        self._untold.add(word)
        self._news.set()
        try:
            return await word.future
        finally:
            self._untold.discard(word)

    async def work(self) -> None:
        """Send what waits, for ever. Raises ApiError where the worker itself is refused."""
        try:
            while True:
                await self._news.wait()
                self._news.clear()
                while self._waiting:
                    await self._send(self._batch())
        except ApiError as error:
            self._refusal = error
            for word in self._untold:
                word.hear(error)
            raise

    def hurry(self, until: float) -> None:
        """Nothing is tried for longer than that."""
        for word in self._untold:
            word.until = min(word.until, until)

    def _batch(self) -> list[_Word]:
        batch = [self._waiting.popleft()]
        size = len(batch[0].text)
        while self._waiting and len(batch) < MOST_AT_ONCE:
            size += len(self._waiting[0].text) + 1
            if size > MOST_BYTES:
                break
            batch.append(self._waiting.popleft())
        return batch

    async def _send(self, batch: Sequence[_Word]) -> None:
        """Until each of them has its answer. Raises what concerns the worker, not a job: its token is not valid."""
        tries = 0
        left = list(batch)
        while left := self._in_time(left):
            if tries:
                self._watcher.retried(self._verb)
            try:
                results = await self._sender.send(self._call(left))
            except ApiError as error:
                if isinstance(error, NotAuthenticated | Forbidden) and error.is_handoffs:
                    raise
                if len(left) > 1 and (not error.may_go_better or error.status == BROKEN):
                    # One of them is to blame, and harms no other.
                    half = len(left) // 2
                    await self._send(left[:half])
                    await self._send(left[half:])
                    return
                if not error.may_go_better:
                    left[0].hear(error)
                    return
                log.warning("nobody could be told, trying again: %s", error)
                pause = PAUSES.pause(tries, min(error.retry_after or 0.0, PAUSES.longest))
                if len(left) == 1 and error.status == BROKEN:
                    # What breaks by itself keeps nobody waiting.
                    left[0].tries += 1
                    asyncio.get_running_loop().call_later(PAUSES.pause(left[0].tries), self._again, left[0])
                    return
            except NoAnswer as error:
                log.warning("nobody could be told, trying again: %s", error)
                pause = PAUSES.pause(tries)
            else:
                self._watcher.told(self._verb, len(left))
                log.debug("%s: told of %d jobs at once", self._verb, len(left))
                left = _answered(left, results["results"])
                pause = PAUSES.pause(tries)
                if not left:
                    return
            await asyncio.sleep(pause)
            tries += 1

    def _again(self, word: _Word) -> None:
        self._watcher.retried(self._verb)
        self._waiting.append(word)
        self._news.set()

    def _call(self, words: Sequence[_Word]) -> Call[Any]:
        content = b'{"items":[' + b",".join(word.text for word in words) + b"]}"
        return Call("POST", f"/jobs/{self._verb}", content=content)

    def _in_time(self, words: Sequence[_Word]) -> list[_Word]:
        now = time.monotonic()
        for word in words:
            if word.until <= now:
                word.hear(Untold())
        return [word for word in words if word.until > now]


def _answered(words: Sequence[_Word], results: Sequence[Result]) -> list[_Word]:
    """Those that are to be told again: the database could not do them just now."""
    again = []
    for word, result in zip(words, results, strict=True):
        if result.get("reason") == "unavailable":
            again.append(word)
        else:
            word.hear(result)
    return again
