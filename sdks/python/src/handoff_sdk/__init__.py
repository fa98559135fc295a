"""Handoff from Python: workers that do its jobs, and clients of its API."""

from handoff_sdk.aio import AsyncClient
from handoff_sdk.calls import UNSET, Call, Retries
from handoff_sdk.client import Client
from handoff_sdk.errors import (
    ApiError,
    Conflict,
    Forbidden,
    HandoffError,
    Invalid,
    NoResponse,
    NotAuthenticated,
    NotFound,
    Stale,
    Throttled,
    TooLarge,
    Unavailable,
)
from handoff_sdk.jobs import Context, NonRetryableError, Release, StepError
from handoff_sdk.waits import WaitTimeout
from handoff_sdk.watcher import Watcher
from handoff_sdk.worker import Worker

__all__ = [
    "UNSET",
    "ApiError",
    "AsyncClient",
    "Call",
    "Client",
    "Conflict",
    "Context",
    "Forbidden",
    "HandoffError",
    "Invalid",
    "NoResponse",
    "NonRetryableError",
    "NotAuthenticated",
    "NotFound",
    "Release",
    "Retries",
    "Stale",
    "StepError",
    "Throttled",
    "TooLarge",
    "Unavailable",
    "WaitTimeout",
    "Watcher",
    "Worker",
]
