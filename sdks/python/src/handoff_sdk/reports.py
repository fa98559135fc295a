"""Results of jobs, reported in batches: those that come while one is being sent form the next one."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from handoff_sdk.calls import Call, Retries
from handoff_sdk.errors import ApiError, Forbidden, NoResponse, NotAuthenticated
from handoff_sdk.sender import AsyncSender
from handoff_sdk.watcher import Watcher

MOST_AT_ONCE = 1_000
MOST_BYTES = 6 * 1024 * 1024
"""A body may have 8 MiB."""
BROKEN = 500
PAUSES = Retries(first=0.2, longest=5.0)
Result = Mapping[str, Any]
log = logging.getLogger("handoff_sdk")


class Unreported(Exception):
    """The result could not be reported in time."""


@dataclass(eq=False)
class _Report:
    text: bytes
    until: float
    tries: int = 0
    future: asyncio.Future[Result] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def resolve(self, outcome: Result | Exception) -> None:
        """Set the outcome, unless the waiting task is cancelled."""
        if self.future.done():
            return
        if isinstance(outcome, Exception):
            self.future.set_exception(outcome)
        else:
            self.future.set_result(outcome)


class Reports:
    """Reports jobs to `POST /jobs/<verb>`."""

    def __init__(self, sender: AsyncSender, verb: str, watcher: Watcher) -> None:
        self._sender, self._verb, self._watcher = sender, verb, watcher
        self._waiting: deque[_Report] = deque()
        self._unreported: set[_Report] = set()
        self._news = asyncio.Event()
        self._refusal: ApiError | None = None

    async def submit(self, text: bytes, until: float) -> Result:
        """Handoff's result for this report; retried until `until` of the monotonic clock.

        Raises Unreported, and ApiError where this report is refused.
        """
        if self._refusal is not None:
            raise self._refusal
        report = _Report(text, until)
        self._waiting.append(report)
        self._unreported.add(report)
        self._news.set()
        try:
            return await report.future
        finally:
            self._unreported.discard(report)

    async def work(self) -> None:
        """Send reports until cancelled. Raises ApiError if the worker itself is refused."""
        try:
            while True:
                await self._news.wait()
                self._news.clear()
                while self._waiting:
                    await self._send(self._batch())
        except ApiError as error:
            self._refusal = error
            for report in self._unreported:
                report.resolve(error)
            raise

    def set_deadline(self, until: float) -> None:
        """Retry no report after this time."""
        for report in self._unreported:
            report.until = min(report.until, until)

    def _batch(self) -> list[_Report]:
        batch = [self._waiting.popleft()]
        size = len(batch[0].text)
        while self._waiting and len(batch) < MOST_AT_ONCE:
            size += len(self._waiting[0].text) + 1
            if size > MOST_BYTES:
                break
            batch.append(self._waiting.popleft())
        return batch

    async def _send(self, batch: Sequence[_Report]) -> None:
        """Until each of them has its answer. Raises what concerns the worker, not a job: its token is not valid."""
        tries = 0
        left = list(batch)
        while left := self._in_time(left):
            if tries:
                self._watcher.report_retried(self._verb)
            try:
                results = await self._sender.send(self._call(left))
            except ApiError as error:
                if isinstance(error, NotAuthenticated | Forbidden) and error.is_from_handoff:
                    raise
                if len(left) > 1 and (not error.is_retryable or error.status == BROKEN):
                    # One of them is to blame, and harms no other.
                    half = len(left) // 2
                    await self._send(left[:half])
                    await self._send(left[half:])
                    return
                if not error.is_retryable:
                    left[0].resolve(error)
                    return
                log.warning("results could not be reported, trying again: %s", error)
                pause = PAUSES.pause(tries, min(error.retry_after or 0.0, PAUSES.longest))
                if len(left) == 1 and error.status == BROKEN:
                    # What breaks by itself keeps nobody waiting.
                    left[0].tries += 1
                    asyncio.get_running_loop().call_later(PAUSES.pause(left[0].tries), self._again, left[0])
                    return
            except NoResponse as error:
                log.warning("results could not be reported, trying again: %s", error)
                pause = PAUSES.pause(tries)
            else:
                self._watcher.report_sent(self._verb, len(left))
                log.debug("%s: reported %d jobs at once", self._verb, len(left))
                left = _retryable(left, results["results"])
                pause = PAUSES.pause(tries)
                if not left:
                    return
            await asyncio.sleep(pause)
            tries += 1

    def _again(self, report: _Report) -> None:
        self._watcher.report_retried(self._verb)
        self._waiting.append(report)
        self._news.set()

    def _call(self, reports: Sequence[_Report]) -> Call[Any]:
        content = b'{"items":[' + b",".join(report.text for report in reports) + b"]}"
        return Call("POST", f"/jobs/{self._verb}", content=content)

    def _in_time(self, reports: Sequence[_Report]) -> list[_Report]:
        now = time.monotonic()
        for report in reports:
            if report.until <= now:
                report.resolve(Unreported())
        return [report for report in reports if report.until > now]


def _retryable(reports: Sequence[_Report], results: Sequence[Result]) -> list[_Report]:
    """The reports to send again: the database was unavailable for them."""
    again = []
    for report, result in zip(reports, results, strict=True):
        if result.get("reason") == "unavailable":
            again.append(report)
        else:
            report.resolve(result)
    return again
