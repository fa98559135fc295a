"""Jobs as a worker holds them, and what a step is given of one."""

from __future__ import annotations

import asyncio
import json
import threading
import time
import traceback
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from handoff_sdk.errors import HandoffError

LONGEST_STACK = 20_000
SHORTEST_LEASE = 1.0
LEVELS = ("info", "warning", "error")
MOST_LINES = 200
LONGEST_LINE = 4_000
BEATS_APART = 1.0
"""Progress is told at most this often, in seconds."""


class StepError(HandoffError):
    """An attempt failed: `code` and `details` are kept with the message, `retryable` says whether to try again."""

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        retryable: bool = True,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = str(code or type(self).__name__)
        self.retryable, self.details = retryable, details


class NonRetryableError(StepError):
    """An attempt failed, and every other one would."""

    def __init__(
        self, message: str, *, code: str | None = None, details: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(message, code=code, retryable=False, details=details)


class GiveBack(HandoffError):
    """Raised by a step that has done nothing yet: the job goes back to its queue, which costs no attempt."""


@dataclass(eq=False)
class Held:
    """A job of this worker's, from the poll until what became of it is told."""

    job: Mapping[str, Any]
    lower: float
    """The lease in seconds, as short as it may be."""
    ends: float
    """When the lease is over at the latest; by the monotonic clock, as `beat_at`."""
    beat_at: float = 0.0
    beaten_at: float = 0.0
    progress: list[Any] = field(default_factory=list)
    """What is yet to be told of the progress: nothing, or one value."""
    lines: list[dict[str, Any]] = field(default_factory=list)
    """What the step has said and was not told yet, numbered: told twice it is kept once."""
    said: int = 0
    saying: threading.Lock = field(default_factory=threading.Lock)
    unwanted: threading.Event = field(default_factory=threading.Event)
    is_lost: bool = False
    """Whether somebody else may have the step now: its lease is not renewed any more."""

    def __str__(self) -> str:
        return f"{self.job['node']} (job {self.id})"

    @property
    def id(self) -> str:
        """The job's id."""
        return str(self.job["id"])

    @property
    def token(self) -> str:
        """Which lease this is: a job that was lost may come again while the first attempt goes on."""
        return str(self.job["lease_token"])

    @property
    def lease(self) -> dict[str, str]:
        """What every word on the job begins with."""
        return {"id": self.id, "lease_token": self.token}

    @property
    def interval(self) -> float:
        """A third of the lease: two heartbeats may get lost."""
        return self.lower / 3

    def say(self, text: str, level: str) -> None:
        """Keep a line to be told; of those that are too many only how many there were is told."""
        line: dict[str, Any] = {"text": storable(text)[:LONGEST_LINE], "level": level}
        with self.saying:
            self.said += 1
            line |= {"at": datetime.now(UTC).isoformat(), "seq": self.said}
            if self.lines and self.lines[-1]["seq"] > MOST_LINES:
                self.lines.pop()
            self.lines.append(line)

    def forget(self, numbers: Collection[int]) -> None:
        """Lines of these numbers were told."""
        with self.saying:
            self.lines[:] = [line for line in self.lines if line["seq"] not in numbers]

    def renew(self, expires: str, date: str | None) -> None:
        """The lease lasts until `expires`, as a server says whose clock shows `date` (of a second that may be over)."""
        self.lower, self.ends = lease_of(expires, date)
        self.beaten_at = time.monotonic()
        self.beat_at = self.beaten_at + self.interval


def lease_of(expires: str, date: str | None) -> tuple[float, float]:
    """How long a lease lasts at the least, in seconds, and when it is over at the latest, by the monotonic clock.

    The server's clock counts, not this machine's.
    """
    end = datetime.fromisoformat(expires)
    now = parsedate_to_datetime(date) if date else datetime.now(end.tzinfo)
    most = (end - now).total_seconds()
    return max(most - 1.0, SHORTEST_LEASE), time.monotonic() + max(most, SHORTEST_LEASE)


class Context:
    """What a step is given: the job, and what it may say and ask while it works."""

    def __init__(self, claim: Held, stopping: threading.Event, beat: Callable[[], None]) -> None:
        self._held, self._stopping, self._beat = claim, stopping, beat
        self.variables: dict[str, Any] = {}
        """Variables of the run that are set when the job is done."""

    @property
    def job(self) -> Mapping[str, Any]:
        """The job as it was polled."""
        return self._held.job

    @property
    def input(self) -> Any:
        """The input of the step."""
        return self.job["input"]

    @property
    def params(self) -> Any:
        """The params of the node, computed."""
        return self.job["params"]

    @property
    def node(self) -> str:
        """The id of the node."""
        return str(self.job["node"])

    @property
    def run_id(self) -> str:
        """The id of the run."""
        return str(self.job["run_id"])

    @property
    def idempotency_key(self) -> str:
        """The same for every attempt with the same input: pass it on to whatever the step calls."""
        return str(self.job["idempotency_key"])

    @property
    def approval(self) -> Mapping[str, str] | None:
        """The newest decision of people that covers the job, its id and digest; None where none does."""
        approval: Mapping[str, str] | None = self.job["approval"]
        return approval

    @property
    def attempt(self) -> int:
        """Which attempt this is, from 1."""
        return int(self.job["attempt"])

    @property
    def retries_remaining(self) -> int:
        """How many attempts may follow this one."""
        left = self.job.get("retries_remaining")
        return int(self.job["max_attempts"]) - self.attempt if left is None else int(left)

    @property
    def progress(self) -> Any:
        """What the attempt before this one told last of its progress; None where there is nothing."""
        return self.job.get("progress")

    @property
    def cancelled(self) -> bool:
        """Whether nobody wants the result any more: the run is being cancelled, or the lease is lost or over."""
        return self._held.unwanted.is_set()

    @property
    def stopping(self) -> bool:
        """Whether the worker is to stop: finish, or raise `GiveBack` where nothing has been done yet."""
        return self._stopping.is_set()

    def heartbeat(self, progress: Any = None) -> None:
        """Tell the progress soon; the lease is renewed without this, too. Raises ValueError for what is no JSON."""
        if progress is not None:
            # As it is now: the step may go on changing it.
            self._held.progress[:] = [json.loads(encoded(progress))]
        self._beat()

    def log(self, text: object, level: str = "info") -> None:
        """Say a line for people who look at the run; it is told soon, with the progress or the end.

        `level`: `info`, `warning` or `error`. Raises ValueError for another. Kept are 200 lines
        per attempt and 2,000 characters per line.
        """
        if level not in LEVELS:
            raise ValueError(f"A line's level is one of {', '.join(LEVELS)}, not {level!r}.")
        self._held.say(str(text), level)
        self._beat()

    def wait(self, seconds: float) -> bool:
        """Block a thread so long, or until the step has a reason to end: whether it has one."""
        until = time.monotonic() + seconds
        while not (self.cancelled or self.stopping) and (left := until - time.monotonic()) > 0:
            self._held.unwanted.wait(min(left, 0.1))
        return self.cancelled or self.stopping

    async def wait_async(self, seconds: float) -> bool:
        """As `wait`, for a step that is a coroutine."""
        until = time.monotonic() + seconds
        while not (self.cancelled or self.stopping) and (left := until - time.monotonic()) > 0:
            await asyncio.sleep(min(left, 0.1))
        return self.cancelled or self.stopping


def encoded(value: Any) -> bytes:
    """JSON. Raises ValueError for what has none."""
    try:
        return json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"This is no JSON: {error}") from error


@dataclass(frozen=True, slots=True)
class Done:
    """The job is done; `word` is what `POST /jobs/complete` is told of it."""

    word: bytes


@dataclass(frozen=True, slots=True)
class Failed:
    """The attempt failed; `word` is what `POST /jobs/fail` is told of it."""

    word: bytes
    code: str
    message: str


def done(claim: Held, output: Any, variables: Mapping[str, Any]) -> Done:
    """Raises ValueError for what is no JSON."""
    word = {**claim.lease, "output": output, **_said(claim)}
    return Done(encoded(word | {"variables": dict(variables)} if variables else word))


def failed(claim: Held, error: BaseException) -> Failed:
    """What is told of an error that a step has raised, whatever it holds."""
    if isinstance(error, StepError):
        code, retryable, details = error.code, error.retryable, error.details
    else:
        code, retryable, details = type(error).__name__, True, None
    stack = "".join(traceback.format_exception(error))[-LONGEST_STACK:]
    return failure(claim, code, str(error), retryable=retryable, details=details, stack=stack)


def failure(
    claim: Held,
    code: str,
    message: str,
    *,
    retryable: bool,
    details: Mapping[str, Any] | None = None,
    stack: str = "",
) -> Failed:
    """A failed attempt; details that are no JSON object are told as a text."""
    error: dict[str, Any] = {"code": storable(str(code)) or "Error", "message": storable(message)}
    if stack:
        error["stack"] = storable(stack)
    if details:
        try:
            error["details"] = json.loads(storable(encoded(dict(details)).decode()))
        except (TypeError, ValueError):
            error["details"] = {"text": storable(repr(details))[:LONGEST_STACK]}
    word = {**claim.lease, "error": error, "retryable": retryable, **_said(claim)}
    return Failed(encoded(word), error["code"], error["message"])


def _said(claim: Held) -> dict[str, Any]:
    """What is left to be told of what the step has said."""
    return {"log": [*claim.lines]} if claim.lines else {}


def storable(text: str) -> str:
    """The text without what PostgreSQL can't store: NUL characters and lone surrogates."""
    return text.replace("\0", "").replace("\\u0000", "").encode("utf-8", "replace").decode()
