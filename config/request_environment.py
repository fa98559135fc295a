"""What requests may take, as the environment says it (docs/security.md, "Requests")."""

from collections.abc import Iterator

from config.environment import BadEnvironment, whole
from config.limits import REQUESTS_PER_MINUTE

CALLERS = ("token", "person", "network")


def cpu_seconds() -> int:
    """How long a request may compute (`HANDOFF_REQUEST_CPU_SECONDS`, default 10). Raises BadEnvironment."""
    return whole("HANDOFF_REQUEST_CPU_SECONDS", 10, 1, 3_600)


def per_minute() -> dict[str, int]:
    """How many requests each token, person and network may make in a minute (`HANDOFF_TOKEN_REQUESTS_PER_MINUTE`,
    `HANDOFF_PERSON_…`, `HANDOFF_NETWORK_…`, default 0: any number). Raises BadEnvironment.
    """
    return {
        one: whole(f"HANDOFF_{one.upper()}_REQUESTS_PER_MINUTE", 0, 0, REQUESTS_PER_MINUTE) for one in CALLERS
    }


def polls_per_second() -> int:
    """How many polls for jobs a tenant may make (`HANDOFF_POLLS_PER_SECOND`, default 2,000; 0: any number).

    Raises BadEnvironment.
    """
    return whole("HANDOFF_POLLS_PER_SECOND", 2_000, 0, 1_000_000)


def problems() -> Iterator[str]:
    """A line for each variable that cannot be understood."""
    for read in (cpu_seconds, per_minute, polls_per_second):
        try:
            read()
        except BadEnvironment as problem:
            yield str(problem)
