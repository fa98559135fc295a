"""How workers hear that a queue has work: commit first, then say so. What gets lost costs time, never work.

A way of saying so is a `Dispatcher`; which one is used is a setting. The functions here are what everybody calls.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Protocol, cast

from django.conf import settings
from django.utils.module_loading import import_string

from lib.noticeboard import board

BUILT_IN_QUEUES = ("default", "blocking", "engine")
RELAY = "handoff_outbox"
"""The channel of the noticeboard on which the relay hears that there is something in the outbox."""


class Dispatcher(Protocol):
    """A way to tell workers. None of it raises, and none of it waits for long."""

    sends_hints: bool
    """Whether workers hear of work by it; else they look for themselves."""

    def attend(self, queue: str, callback: Callable[[], None]) -> None:
        """Have `callback` called when this queue has work, where messages don't come to Celery's consumer."""

    def wake(self, queues: Sequence[str], *, even_if_awake: bool = False) -> None:
        """These built-in queues have work; who was told a moment ago is told again only if `even_if_awake`."""

    def wake_pollers(self) -> None:
        """A queue of external workers has work: who waits for jobs may look."""

    def attend_pollers(self, callback: Callable[[], None]) -> None:
        """Have `callback` called, by another thread, when a queue of external workers has work."""

    def taken(self, queue: str) -> None:
        """A drain of the queue begins: whoever commits from here on must tell again."""

    def tick(self, duty: str) -> None:
        """A tick worker should do this duty now."""

    def backlog(self, queue: str) -> int | None:
        """How many messages wait for this queue's workers; None where nobody knows."""

    def listen(self) -> None:
        """Find out whether messages can come."""

    def is_broken(self) -> bool:
        """Whether messages should come, and can't."""

    def failed(self, error: Exception) -> None:
        """Whoever sent a message by other means had this error."""


class Polling:
    """Nobody is told: workers look for work."""

    sends_hints = False

    def attend(self, queue: str, callback: Callable[[], None]) -> None:
        """Nothing comes."""

    def wake(self, queues: Sequence[str], *, even_if_awake: bool = False) -> None:
        """Nothing to do."""

    def wake_pollers(self) -> None:
        """They look for themselves."""

    def attend_pollers(self, callback: Callable[[], None]) -> None:
        """Nothing comes."""

    def taken(self, queue: str) -> None:
        """Nothing to do."""

    def tick(self, duty: str) -> None:
        """The clock's own tick comes within a second."""

    def backlog(self, queue: str) -> int | None:
        """There are no messages."""
        return None

    def listen(self) -> None:
        """Nothing comes."""

    def is_broken(self) -> bool:
        """Nothing can break."""
        return False

    def failed(self, error: Exception) -> None:
        """Nothing depends on it."""


_SILENT = Polling()
# By what they are called in the settings. None of the others is imported: they need what may not be installed.
_KINDS = {
    "hints": "runs.kernel.redis_hints.RedisHints",
    "polling": "runs.kernel.postgres_hints.PostgresHints",
}


def has_beat() -> bool:
    """Whether Celery's clock sends the ticks; else a worker of the ticks keeps time by itself."""
    return bool(settings.HANDOFF_DISPATCH == "hints")


def dispatcher() -> Dispatcher:
    """The one of `HANDOFF_DISPATCH`, unless `HANDOFF_HINTS` says that nobody is told."""
    return _of(settings.HANDOFF_DISPATCH) if settings.HANDOFF_HINTS else _SILENT


@cache
def _of(kind: str) -> Dispatcher:
    return cast(Dispatcher, import_string(_KINDS[kind])())


def wake(queues: Iterable[str], *, even_if_awake: bool = False) -> None:
    """Say that these queues have work, once it is committed: to workers of those that are built in; of others to who
    waits for jobs, and to the relay where consumers of a broker are told of them.
    """
    names = {*queues}
    dispatcher().wake(sorted(names & {*BUILT_IN_QUEUES}), even_if_awake=even_if_awake)
    if names - {*BUILT_IN_QUEUES}:
        dispatcher().wake_pollers()
        if settings.HANDOFF_BROKER:
            board.post(RELAY, "")


def tick(duty: str) -> None:
    """Have a tick worker do this duty now, rather than at the clock's next tick."""
    dispatcher().tick(duty)
