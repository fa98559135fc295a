"""How long to wait before the next attempt, and whether there is one (R-078, R-080, R-081, R-088, C-3, H-1)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

NEVER_RETRIED = frozenset({"ValidationError", "InvalidInputError", "NonRetryableError"})
"""Codes by which workers say that trying again is no use, whatever a node's policy is (R-081, R-082)."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """R `max_retries` are R + 1 attempts; the n-th retry waits base × factor^(n-1) s and up to `jitter` more.

    `lost_leases`: so many lost leases of a step use up no attempt.
    """

    max_retries: int = 3
    base_seconds: float = 2.0
    factor: float = 2.0
    max_seconds: float = 300.0
    jitter: float = 0.1
    lost_leases: int = 0
    non_retryable: frozenset[str] = NEVER_RETRIED


PRESETS: Mapping[str, RetryPolicy] = {
    "seed": RetryPolicy(),
    "minutes": RetryPolicy(base_seconds=60.0, max_seconds=240.0),
    "llm": RetryPolicy(max_retries=5, base_seconds=5.0, max_seconds=120.0, jitter=0.25),
    "none": RetryPolicy(max_retries=0),
}


def policy(spec: str | Mapping[str, Any] | None, default: str = "seed") -> RetryPolicy:
    """The policy that a definition's `retry` names: a preset, an object over the default preset, or that itself.

    Its `non_retryable` come beside those that are never retried.
    """
    if spec is None:
        return PRESETS[default]
    if isinstance(spec, str):
        return PRESETS[spec]
    values = {key: value for key, value in spec.items() if value is not None}
    values["non_retryable"] = NEVER_RETRIED.union(values.get("non_retryable", ()))
    return replace(PRESETS[default], **values)


def delay_seconds(policy: RetryPolicy, attempt: int, jitter: float) -> float:
    """Seconds until the attempt after `attempt` (1 = the first), never below the nominal; `jitter` in [0, 1)."""
    # An exponent beyond this is above any max_seconds and would overflow a float.
    nominal = min(policy.base_seconds * policy.factor ** min(attempt - 1, 60), policy.max_seconds)
    return nominal * (1.0 + policy.jitter * jitter)


def next_delay(
    policy: RetryPolicy,
    *,
    attempt: int,
    code: str,
    retryable: bool,
    jitter: float,
    retry_after: float | None = None,
) -> float | None:
    """Seconds until the next attempt after attempt `attempt` failed with `code`; None = failed for good.

    `retry_after` is what the other side asked for; it can lengthen the wait, never shorten it.
    """
    if not retryable or code in policy.non_retryable or attempt > policy.max_retries:
        return None
    return max(delay_seconds(policy, attempt, jitter), retry_after or 0.0)
