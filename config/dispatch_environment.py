"""How workers hear of work, as the environment says it (docs/dispatch.md)."""

import os

from config import environment

VARIABLES = ("HANDOFF_DISPATCH", "WE_DISPATCH_MODE")
HINTS, POLLING = "hints", "polling"
REDIS, KAFKA = "redis", "kafka"
# What each mode is made of: how Handoff's own processes hear of work, and which broker's consumers hear of jobs.
_MODES = {
    HINTS: (HINTS, ""),
    POLLING: (POLLING, ""),
    "redis_outbox": (POLLING, REDIS),
    "kafka_outbox": (POLLING, KAFKA),
}


def mode() -> str:
    """`hints`, `polling`, `redis_outbox` or `kafka_outbox`.

    `HANDOFF_DISPATCH`, else `WE_DISPATCH_MODE`; without a word what runs in this home, else hints. Raises
    BadEnvironment.
    """
    for name in VARIABLES:
        if value := os.environ.get(name, "").strip().lower():
            if value not in _MODES:
                *others, last = _MODES
                raise environment.BadEnvironment(
                    f"{name} must be {', '.join(others)} or {last}, not {value[:20]!r}."
                )
            return value
    runs = environment.run_facts().get("dispatch")
    return runs if isinstance(runs, str) and runs in _MODES else HINTS


def way() -> str:
    """How Handoff's own processes hear of work: `HINTS` (through Celery and Redis) or `POLLING` (PostgreSQL alone).

    Raises BadEnvironment.
    """
    return way_of(mode())


def way_of(mode: str) -> str:
    """As `way`, of this mode."""
    return _MODES[mode][0]


def broker() -> str:
    """The broker through which consumers hear of jobs: `REDIS`, `KAFKA`, or empty for none. Raises BadEnvironment."""
    return broker_of(mode())


def broker_of(mode: str) -> str:
    """As `broker`, of this mode."""
    return _MODES[mode][1]


def is_said() -> bool:
    """Whether the environment names how workers hear of work."""
    return any(os.environ.get(name, "").strip() for name in VARIABLES)


def problems() -> list[str]:
    """A line for each variable that cannot be understood; empty when all is well."""
    try:
        mode()
    except environment.BadEnvironment as problem:
        return [str(problem)]
    return []
