"""Handoff from Python: workers that do its jobs, and clients of its API."""

from handoff_sdk.aio import AsyncClient
from handoff_sdk.calls import LEFT_OUT, Call, Retries
from handoff_sdk.client import Client
from handoff_sdk.errors import (
    ApiError,
    Conflict,
    Forbidden,
    HandoffError,
    Invalid,
    NoAnswer,
    NotAuthenticated,
    NotFound,
    Stale,
    Throttled,
    TooLarge,
    Unavailable,
)
from handoff_sdk.jobs import Context, GiveBack, NonRetryableError, StepError
from handoff_sdk.waiting import StillOpen
from handoff_sdk.watching import Watcher
from handoff_sdk.worker import Worker

__all__ = [
    "LEFT_OUT",
    "ApiError",
    "AsyncClient",
    "Call",
    "Client",
    "Conflict",
    "Context",
    "Forbidden",
    "GiveBack",
    "HandoffError",
    "Invalid",
    "NoAnswer",
    "NonRetryableError",
    "NotAuthenticated",
    "NotFound",
    "Retries",
    "Stale",
    "StepError",
    "StillOpen",
    "Throttled",
    "TooLarge",
    "Unavailable",
    "Watcher",
    "Worker",
]
