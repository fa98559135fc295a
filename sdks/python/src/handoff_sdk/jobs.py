"""Jobs that a worker has leased, and the context of a step."""

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
"""Progress is reported at most this often, in seconds."""


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


class Release(HandoffError):
    """Raised by a step that has done nothing yet: the job goes back to its queue, and no attempt is counted."""


@dataclass(eq=False)
class Claim:
    """A job that this worker has leased, from the poll until its result is reported."""

    job: Mapping[str, Any]
    lower: float
    """The lease in seconds, as short as it may be."""
    ends: float
    """When the lease is over at the latest; by the monotonic clock, as `beat_at`."""
    beat_at: float = 0.0
    renewed_at: float = 0.0
    progress: list[Any] = field(default_factory=list)
    """Progress that is not reported yet: nothing, or one value."""
    lines: list[dict[str, Any]] = field(default_factory=list)
    """Log lines that are not reported yet, numbered: a line that is sent twice is kept once."""
    line_count: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    cancellation: threading.Event = field(default_factory=threading.Event)
    is_lost: bool = False
    """Whether another worker may have the step: its lease is no longer renewed."""

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
        """The fields that every report of the job has."""
        return {"id": self.id, "lease_token": self.token}

    @property
    def interval(self) -> float:
        """A third of the lease: two heartbeats may get lost."""
        return self.lower / 3

    def add_line(self, text: str, level: str) -> None:
        """Keep a line until it is reported; of lines above the limit only their number is reported."""
        line: dict[str, Any] = {"text": storable(text)[:LONGEST_LINE], "level": level}
        with self.lock:
            self.line_count += 1
            line |= {"at": datetime.now(UTC).isoformat(), "seq": self.line_count}
            if self.lines and self.lines[-1]["seq"] > MOST_LINES:
                self.lines.pop()
            self.lines.append(line)

    def forget(self, numbers: Collection[int]) -> None:
        """Forget the lines of these numbers: they were reported."""
        with self.lock:
            self.lines[:] = [line for line in self.lines if line["seq"] not in numbers]

    def renew(self, expires: str, date: str | None) -> None:
        """The lease lasts until `expires`, as a server says whose clock shows `date` (of a second that may be over)."""
        self.lower, self.ends = lease_of(expires, date)
        self.renewed_at = time.monotonic()
        self.beat_at = self.renewed_at + self.interval


def lease_of(expires: str, date: str | None) -> tuple[float, float]:
    """How long a lease lasts at the least, in seconds, and when it is over at the latest, by the monotonic clock.

    The server's clock counts, not this machine's.
    """
    end = datetime.fromisoformat(expires)
    now = parsedate_to_datetime(date) if date else datetime.now(end.tzinfo)
    most = (end - now).total_seconds()
    return max(most - 1.0, SHORTEST_LEASE), time.monotonic() + max(most, SHORTEST_LEASE)


class Context:
    """The argument of a step: the job, and the calls that a step can make."""

    def __init__(self, claim: Claim, stopping: threading.Event, beat: Callable[[], None]) -> None:
        self._claim, self._stopping, self._beat = claim, stopping, beat
        self.variables: dict[str, Any] = {}
        """Variables of the run that are set when the job is done."""

    @property
    def job(self) -> Mapping[str, Any]:
        """The job as it was polled."""
        return self._claim.job

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
        """The last progress of the previous attempt, or None."""
        return self.job.get("progress")

    @property
    def is_cancelled(self) -> bool:
        """Whether the result is no longer needed: the run is being cancelled, or the lease is lost or over."""
        return self._claim.cancellation.is_set()

    @property
    def is_stopping(self) -> bool:
        """Whether the worker is to stop: finish, or raise `Release` where nothing has been done yet."""
        return self._stopping.is_set()

    def heartbeat(self, progress: Any = None) -> None:
        """Report progress soon; the lease is renewed without this, too. Raises ValueError unless it is JSON."""
        if progress is not None:
            # As it is now: the step may go on changing it.
            self._claim.progress[:] = [json.loads(encode(progress))]
        self._beat()

    def log(self, text: object, level: str = "info") -> None:
        """Log a line for people who look at the run; it is sent soon, with the progress or the result.

        `level`: `info`, `warning` or `error`. Raises ValueError for another. Kept are 200 lines
        per attempt and 2,000 characters per line.
        """
        if level not in LEVELS:
            raise ValueError(f"A line's level is one of {', '.join(LEVELS)}, not {level!r}.")
        self._claim.add_line(str(text), level)
        self._beat()

    def wait(self, seconds: float) -> bool:
        """Block a thread so long, or until the step has a reason to end: whether it has one."""
        until = time.monotonic() + seconds
        while not (self.is_cancelled or self.is_stopping) and (left := until - time.monotonic()) > 0:
            self._claim.cancellation.wait(min(left, 0.1))
        return self.is_cancelled or self.is_stopping

    async def wait_async(self, seconds: float) -> bool:
        """As `wait`, for a step that is a coroutine."""
        until = time.monotonic() + seconds
        while not (self.is_cancelled or self.is_stopping) and (left := until - time.monotonic()) > 0:
            await asyncio.sleep(min(left, 0.1))
        return self.is_cancelled or self.is_stopping


def encode(value: Any) -> bytes:
    """JSON. Raises ValueError for what has none."""
    try:
        return json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"This is no JSON: {error}") from error


@dataclass(frozen=True, slots=True)
class Completion:
    """The job is done; `body` is its item of `POST /jobs/complete`."""

    body: bytes


@dataclass(frozen=True, slots=True)
class Failure:
    """The attempt failed; `body` is its item of `POST /jobs/fail`."""

    body: bytes
    code: str
    message: str


def completion(claim: Claim, output: Any, variables: Mapping[str, Any]) -> Completion:
    """Raises ValueError for what is no JSON."""
    body = {**claim.lease, "output": output, **_log(claim)}
    return Completion(encode(body | {"variables": dict(variables)} if variables else body))


def failure_of(claim: Claim, error: BaseException) -> Failure:
    """The failure of an attempt whose step raised this error."""
    if isinstance(error, StepError):
        code, retryable, details = error.code, error.retryable, error.details
    else:
        code, retryable, details = type(error).__name__, True, None
    stack = "".join(traceback.format_exception(error))[-LONGEST_STACK:]
    return failure(claim, code, str(error), retryable=retryable, details=details, stack=stack)


def failure(
    claim: Claim,
    code: str,
    message: str,
    *,
    retryable: bool,
    details: Mapping[str, Any] | None = None,
    stack: str = "",
) -> Failure:
    """A failed attempt; details that are no JSON object are sent as text."""
    error: dict[str, Any] = {"code": storable(str(code)) or "Error", "message": storable(message)}
    if stack:
        error["stack"] = storable(stack)
    if details:
        try:
            error["details"] = json.loads(storable(encode(dict(details)).decode()))
        except (TypeError, ValueError):
            error["details"] = {"text": storable(repr(details))[:LONGEST_STACK]}
    body = {**claim.lease, "error": error, "retryable": retryable, **_log(claim)}
    return Failure(encode(body), error["code"], error["message"])


def _log(claim: Claim) -> dict[str, Any]:
    """The log lines that are not reported yet, as a field."""
    return {"log": [*claim.lines]} if claim.lines else {}


def storable(text: str) -> str:
    """The text without what PostgreSQL can't store: NUL characters and lone surrogates."""
    return text.replace("\0", "").replace("\\u0000", "").encode("utf-8", "replace").decode()
