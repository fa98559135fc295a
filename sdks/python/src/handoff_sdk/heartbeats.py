"""Heartbeats: the leases of all jobs in hand are renewed in one call, each at a third of its time."""

from __future__ import annotations

import asyncio
import logging
import math
import random
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import httpx

from handoff_sdk.calls import Call
from handoff_sdk.errors import ApiError, NoResponse
from handoff_sdk.jobs import BEATS_APART, Claim
from handoff_sdk.reports import MOST_AT_ONCE
from handoff_sdk.sender import AsyncSender
from handoff_sdk.watcher import Watcher

IDLE_SECONDS = 60.0
log = logging.getLogger("handoff_sdk")


class Heartbeats:
    """Renews the leases of `claims`, which others fill and empty."""

    def __init__(self, sender: AsyncSender, claims: Mapping[str, Claim], watcher: Watcher) -> None:
        self._sender, self._held, self._watcher = sender, claims, watcher
        self._news = asyncio.Event()

    def wake(self) -> None:
        """A job was started, or has progress to report."""
        self._news.set()

    def schedule(self, claim: Claim) -> None:
        """Report the job soon, at most once in `BEATS_APART` seconds."""
        if not claim.is_lost:
            claim.beat_at = min(claim.beat_at, claim.renewed_at + min(BEATS_APART, claim.interval))
            self._news.set()

    async def work(self) -> None:
        """Renew leases until cancelled."""
        while True:
            self._news.clear()
            now = time.monotonic()
            self._give_up(now)
            if any(claim.beat_at <= now for claim in self._held.values()):
                due = [claim for claim in self._held.values() if claim.beat_at <= now + claim.interval / 4]
                await self._beat(due[:MOST_AT_ONCE])
                continue
            times = [claim.beat_at for claim in self._held.values()]
            try:
                await asyncio.wait_for(
                    self._news.wait(), max(min(times, default=now + IDLE_SECONDS) - now, 0)
                )
            except TimeoutError:
                continue

    def _give_up(self, now: float) -> None:
        for claim in self._held.values():
            if claim.ends <= now and not claim.cancellation.is_set():
                log.warning("%s: its lease is over, it could not be renewed", claim)
                claim.cancellation.set()

    async def _beat(self, due: Sequence[Claim]) -> None:
        progress = {claim.token: list(claim.progress) for claim in due}
        lines = {claim.token: list(claim.lines) for claim in due}
        # Beats of several workers must not come together for ever.
        for claim in due:
            claim.renewed_at = time.monotonic()
            claim.beat_at = claim.renewed_at + claim.interval * random.uniform(0.8, 1.0)  # noqa: S311
        try:
            answer = await asyncio.wait_for(
                self._sender.send_raw(_call(due, progress, lines)),
                max(min(claim.interval for claim in due), 1.0),
            )
        except ApiError as error:
            if not error.is_retryable and (any(progress.values()) or any(lines.values())):
                log.warning("progress is refused: %s", error)
                _forget(due, progress, lines)
            self._again(due)
            return
        except (NoResponse, TimeoutError) as error:
            log.warning("no answer to a heartbeat, trying again: %s", error)
            self._again(due)
            return
        self._watcher.report_sent("heartbeat", len(due))
        _forget(due, progress, lines)
        _apply(due, answer)

    def _again(self, due: Iterable[Claim]) -> None:
        now = time.monotonic()
        for claim in due:
            claim.beat_at = now + min(claim.interval / 2, 1.0) * random.uniform(0.5, 1.0)  # noqa: S311


_Lines = Mapping[str, Sequence[Mapping[str, Any]]]


def _call(due: Sequence[Claim], progress: Mapping[str, Sequence[Any]], lines: _Lines) -> Call[Any]:
    items = [dict(claim.lease, **_named(progress[claim.token], lines[claim.token])) for claim in due]
    return Call("POST", "/jobs/heartbeat", body={"items": items})


def _named(progress: Sequence[Any], lines: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    fields: dict[str, Any] = {"progress": progress[0]} if progress else {}
    return fields | {"log": lines} if lines else fields


def _forget(due: Iterable[Claim], progress: Mapping[str, Sequence[Any]], lines: _Lines) -> None:
    """Forget progress and lines that were reported, but not what came since."""
    for claim in due:
        if claim.progress == progress[claim.token]:
            claim.progress.clear()
        claim.forget({line["seq"] for line in lines[claim.token]})


def _apply(due: Sequence[Claim], answer: httpx.Response) -> None:
    for claim, result in zip(due, answer.json()["results"], strict=True):
        if result.get("reason") == "unavailable":
            claim.beat_at = time.monotonic() + claim.interval / 2
        elif not result["applied"] or result.get("cancel_requested"):
            if not claim.cancellation.is_set():
                log.warning("%s: not wanted any more (%s)", claim, result.get("reason", "cancelled"))
            claim.cancellation.set()
            if not result["applied"]:
                claim.is_lost, claim.beat_at = True, math.inf
        if result.get("lease_expires_at"):
            claim.renew(result["lease_expires_at"], answer.headers.get("Date"))
