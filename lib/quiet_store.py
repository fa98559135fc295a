"""What can be done without, for some seconds or days: who is here, why messages were refused lately.

It is kept in Redis, or where there is none in the memory of the web processes (`HANDOFF_DISPATCH`).
"""

from collections.abc import Sequence
from typing import Any, Protocol, cast

from django.conf import settings
from django.utils.module_loading import import_string

_STORES = {"hints": "lib.quiet_redis.QuietRedis", "polling": "lib.quiet_memory.QuietMemory"}


class QuietStore(Protocol):
    """Asked by Redis' commands, of which it has at least those that are asked."""

    def ask(self, commands: Sequence[tuple[object, ...]]) -> list[Any] | None:
        """What it answers to each of these commands; None while it can't."""


def begin() -> None:
    """A web process starts: hear from now on what others keep, where there is no Redis."""
    if settings.HANDOFF_DISPATCH == "polling":
        import_string("lib.quiet_memory.begin")()


def quiet_store(missing: str) -> QuietStore:
    """The one of this process. `missing`: what there is not while it doesn't answer, as the log is told."""
    return cast(QuietStore, import_string(_STORES[settings.HANDOFF_DISPATCH])(missing))
