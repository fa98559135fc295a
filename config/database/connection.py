"""A connection whose statements end: a server that hangs, or a network that swallows, costs seconds and no thread."""

import select
import time
from typing import Any, TypeVar

import psycopg
from psycopg.abc import PQGen
from psycopg.errors import _WaitTimeout

from config.database import patience

_Result = TypeVar("_Result")
_LOOK_SECONDS = 0.1


class PatientConnection(psycopg.Connection[Any]):
    """`longest_wait`: the seconds after which a statement without an answer fails and the connection is given up.

    A limit on our side, because the server's `statement_timeout` is of no use when it is the server that hangs, and
    Unix sockets have no timeouts of their own.
    """

    longest_wait: float | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.born_at = time.monotonic()

    def wait(
        self, gen: PQGen[_Result], interval: float = _LOOK_SECONDS, timeout: float | None = None
    ) -> _Result:
        """Every wait for the server goes through here."""
        if timeout is not None:
            return super().wait(gen, interval, timeout)
        limit = patience.left(self.longest_wait)
        try:
            return super().wait(gen, interval, limit)
        except _WaitTimeout:
            # What the server may still say to this statement must not be taken for the answer to the next one.
            self.close()
            raise psycopg.OperationalError(f"the database has not answered within {limit:.1f} s") from None

    def is_alive(self) -> bool:
        """Whether the server's end is open, as far as the kernel knows: asks nobody, takes microseconds.

        Nothing is ever to be read from an idle connection but its end.
        """
        if self.closed:
            return False
        poll = select.poll()
        poll.register(self.pgconn.socket, select.POLLIN)
        return not poll.poll(0)
