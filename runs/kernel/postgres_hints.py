"""Hints without Redis and Celery: the database tells the workers (`lib.noticeboard`).

A hint is sent behind the commit that it is about, by another thread: who commits waits for nothing, and no statement is
added to what claims and advances. One that is lost costs the time until the next look of a worker.
"""

from collections.abc import Callable, Sequence

from lib.noticeboard import board

CHANNEL, POLLERS = "handoff_work", "handoff_jobs"


class PostgresHints:
    """The dispatcher of `HANDOFF_DISPATCH=polling`."""

    sends_hints = True

    def attend(self, queue: str, callback: Callable[[], None]) -> None:
        """Have `callback` called when this queue has work, or may have had some while nothing was heard."""

        def hear(text: str) -> None:
            if text == queue:
                callback()

        board.hear(CHANNEL, hear, callback)

    def wake(self, queues: Sequence[str], *, even_if_awake: bool = False) -> None:
        """At most one message for each queue in some milliseconds."""
        for queue in queues:
            board.post(CHANNEL, queue)

    def wake_pollers(self) -> None:
        """As `wake`, at most one message in some milliseconds."""
        board.post(POLLERS, "")

    def attend_pollers(self, callback: Callable[[], None]) -> None:
        """Have `callback` called when there may be jobs, also where messages of them may have been missed."""
        board.hear(POLLERS, lambda _: callback(), callback)

    def taken(self, queue: str) -> None:
        """Nobody counts who was told."""

    def tick(self, duty: str) -> None:
        """The clock of the ticks' worker comes to it within a second."""

    def backlog(self, queue: str) -> int | None:
        """No message waits for anybody."""
        return None

    def listen(self) -> None:
        """It listens all the time."""

    def is_broken(self) -> bool:
        """Whether no messages come through the database."""
        return not board.is_heard()

    def failed(self, error: Exception) -> None:
        """Nothing is sent by other means."""
