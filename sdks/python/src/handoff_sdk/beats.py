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
from handoff_sdk.errors import ApiError, NoAnswer
from handoff_sdk.jobs import BEATS_APART, Held
from handoff_sdk.reports import MOST_AT_ONCE
from handoff_sdk.sending import AsyncSender
from handoff_sdk.watching import Watcher

IDLE_SECONDS = 60.0
log = logging.getLogger("handoff_sdk")


class Beats:
    """Renews the leases of `held`, which others fill and empty."""

    def __init__(self, sender: AsyncSender, held: Mapping[str, Held], watcher: Watcher) -> None:
        self._sender, self._held, self._watcher = sender, held, watcher
        self._news = asyncio.Event()

    def look(self) -> None:
        """Something was begun, or has progress to tell."""
        self._news.set()

    def soon(self, held: Held) -> None:
        """The job is to be told of soon, but not more often than anybody would read it."""
        if not held.is_lost:
            held.beat_at = min(held.beat_at, held.beaten_at + min(BEATS_APART, held.interval))
            self._news.set()

    async def work(self) -> None:
        """Beat, for ever."""
        while True:
            self._news.clear()
            now = time.monotonic()
            self._give_up(now)
            if any(held.beat_at <= now for held in self._held.values()):
                due = [held for held in self._held.values() if held.beat_at <= now + held.interval / 4]
                await self._beat(due[:MOST_AT_ONCE])
                continue
            times = [held.beat_at for held in self._held.values()]
            try:
                await asyncio.wait_for(
                    self._news.wait(), max(min(times, default=now + IDLE_SECONDS) - now, 0)
                )
            except TimeoutError:
                continue

    def _give_up(self, now: float) -> None:
        for held in self._held.values():
            if held.ends <= now and not held.unwanted.is_set():
                log.warning("%s: its lease is over, it could not be renewed", held)
                held.unwanted.set()

    async def _beat(self, due: Sequence[Held]) -> None:
        told = {held.token: list(held.progress) for held in due}
        lines = {held.token: list(held.lines) for held in due}
        # Beats of several workers must not come together for ever.
        for held in due:
            held.beaten_at = time.monotonic()
            held.beat_at = held.beaten_at + held.interval * random.uniform(0.8, 1.0)  # noqa: S311
        try:
            answer = await asyncio.wait_for(
                self._sender.answer(_call(due, told, lines)), max(min(held.interval for held in due), 1.0)
            )
        except ApiError as error:
            if not error.may_go_better and (any(told.values()) or any(lines.values())):
                log.warning("progress is refused: %s", error)
                _forget(due, told, lines)
            self._again(due)
            return
        except (NoAnswer, TimeoutError) as error:
            log.warning("no answer to a heartbeat, trying again: %s", error)
            self._again(due)
            return
        self._watcher.told("heartbeat", len(due))
        _forget(due, told, lines)
        _hear(due, answer)

    def _again(self, due: Iterable[Held]) -> None:
        now = time.monotonic()
        for held in due:
            held.beat_at = now + min(held.interval / 2, 1.0) * random.uniform(0.5, 1.0)  # noqa: S311


_Lines = Mapping[str, Sequence[Mapping[str, Any]]]


def _call(due: Sequence[Held], told: Mapping[str, Sequence[Any]], lines: _Lines) -> Call[Any]:
    items = [dict(held.lease, **_named(told[held.token], lines[held.token])) for held in due]
    return Call("POST", "/jobs/heartbeat", body={"items": items})


def _named(progress: Sequence[Any], lines: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    named: dict[str, Any] = {"progress": progress[0]} if progress else {}
    return named | {"log": lines} if lines else named


def _forget(due: Iterable[Held], told: Mapping[str, Sequence[Any]], lines: _Lines) -> None:
    """What was told need not be told again; what a step has said meanwhile has to."""
    for held in due:
        if held.progress == told[held.token]:
            held.progress.clear()
        held.forget({line["seq"] for line in lines[held.token]})


def _hear(due: Sequence[Held], answer: httpx.Response) -> None:
    for held, result in zip(due, answer.json()["results"], strict=True):
        if result.get("reason") == "unavailable":
            held.beat_at = time.monotonic() + held.interval / 2
        elif not result["applied"] or result.get("cancel_requested"):
            if not held.unwanted.is_set():
                log.warning("%s: not wanted any more (%s)", held, result.get("reason", "cancelled"))
            held.unwanted.set()
            if not result["applied"]:
                held.is_lost, held.beat_at = True, math.inf
        if result.get("lease_expires_at"):
            held.renew(result["lease_expires_at"], answer.headers.get("Date"))
