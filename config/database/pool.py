"""A few connections for many threads. Who needs one makes it: no thread behind it that has to notice a server's return.

So a server that is away is an error at once, and the first request after its return is served.
"""

import threading
import time
from collections import deque
from collections.abc import Callable

from psycopg.errors import TooManyConnections
from psycopg.pq import TransactionStatus

from config.database import patience
from config.database.connection import PatientConnection
from config.limits import CONNECTION_LIFE_SECONDS, CONNECTION_WAIT_SECONDS


class Pool:
    """At most `size` connections; `connect` makes one."""

    def __init__(self, connect: Callable[[], PatientConnection], size: int) -> None:
        self._connect = connect
        self._free = threading.BoundedSemaphore(size)
        self._idle: deque[PatientConnection] = deque()

    def take(self) -> PatientConnection:
        """A connection of the caller's own until `give`. Raises OperationalError where none is free in time."""
        if not self._free.acquire(timeout=patience.left(CONNECTION_WAIT_SECONDS)):
            raise TooManyConnections("all connections to the database are in use")
        try:
            return self._living() or self._connect()
        except BaseException:
            self._free.release()
            raise

    def give(self, connection: PatientConnection) -> None:
        """Back from `take`; one that is broken, in a transaction or old is closed."""
        young = time.monotonic() - connection.born_at < CONNECTION_LIFE_SECONDS
        if young and connection.info.transaction_status == TransactionStatus.IDLE:
            self._idle.append(connection)
        else:
            connection.close()
        self._free.release()

    def close(self) -> None:
        """Close what nobody uses."""
        while self._idle:
            self._idle.pop().close()

    def _living(self) -> PatientConnection | None:
        """The idle connection that was used last: the others may grow old."""
        while True:
            try:
                connection = self._idle.pop()
            except IndexError:
                return None
            if connection.is_alive():
                return connection
            connection.close()
