"""How workers hear of work, as the environment says it (docs/dispatch.md)."""

import os
from typing import cast

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


def outbox_seconds() -> int:
    """After how long consumers are told again of a job that nobody has taken (`HANDOFF_OUTBOX_SECONDS`, default 300).

    Consumers of rochallor's kind take a job by saying that it is done: this has to be longer than they work. Raises
    BadEnvironment.
    """
    return environment.whole("HANDOFF_OUTBOX_SECONDS", 300, 1, 86_400)


def connected(database: dict[str, object]) -> dict[str, object]:
    """`database` where whoever queues a job leaves a row in the outbox, if there is a broker."""
    if not broker():
        return database
    options = cast(dict[str, object], database["OPTIONS"])
    return {**database, "OPTIONS": {**options, "options": f"{options['options']} -c handoff.dispatch=outbox"}}


def problems() -> list[str]:
    """A line for each variable that cannot be understood; empty when all is well."""
    messages = []
    for read in (mode, outbox_seconds):
        try:
            read()
        except environment.BadEnvironment as problem:
            messages.append(str(problem))
    return messages
