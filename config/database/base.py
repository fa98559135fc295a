"""The backend that settings.DATABASES names; Django wants its class in a module of this name."""

import math
import threading
from typing import Any, ClassVar

from django.core.exceptions import ImproperlyConfigured
from django.db.backends.base.base import NO_DB_ALIAS
from django.db.backends.postgresql import base
from psycopg import IsolationLevel

from config import environment
from config.database import patience
from config.database.connection import PatientConnection
from config.database.pool import Pool
from lib.database_errors import OPERATIONAL_ERRORS

# Below this psycopg takes no timeout for a connect.
_SHORTEST_CONNECT_SECONDS = 2


class DatabaseWrapper(base.DatabaseWrapper):
    """Two more OPTIONS: `longest_wait` (seconds for a statement), `shared_connections` (0: each thread has its own)."""

    _pools: ClassVar[dict[tuple[str, str], Pool]] = {}
    _pools_lock: ClassVar[threading.Lock] = threading.Lock()

    def get_connection_params(self) -> dict[str, Any]:
        """What psycopg is to be told. Raises ImproperlyConfigured where nobody has said which database."""
        if not self.settings_dict["NAME"] and self.alias != NO_DB_ALIAS:
            start = environment.command("up")
            raise ImproperlyConfigured(
                f"Handoff is not running here: start it ({start}), or set DATABASE_URL."
            )
        params: dict[str, Any] = super().get_connection_params()
        params.pop("longest_wait", None)
        params.pop("shared_connections", None)
        return params

    def ensure_connection(self) -> None:
        """Connect anew where the server has closed our end meanwhile: no thread keeps a dead connection for ever."""
        if self._is_dead():
            self.close()
        super().ensure_connection()

    def close_if_unusable_or_obsolete(self) -> None:
        """When a request is over: nobody connects only to find out whether to close."""
        if self._is_dead():
            self.close()
            return
        try:
            super().close_if_unusable_or_obsolete()
        except OPERATIONAL_ERRORS:
            # It was lost a moment ago, and Django connected to look at it: an answer was made before, and is good.
            self.close()

    def get_new_connection(self, conn_params: dict[str, Any]) -> PatientConnection:
        """A connection from the pool, where this process has one."""
        self.isolation_level = IsolationLevel.READ_COMMITTED
        pool = self._pool()
        return pool.take() if pool else self._connect(conn_params)

    def give_back(self) -> None:
        """Outside of a transaction, while this thread waits for another one: let others have its shared connection."""
        if self._pool() is not None:
            self.close()

    def close_pool(self) -> None:
        """Before the database is dropped, or the time zone changes."""
        if pool := self._pool():
            pool.close()

    def _close(self) -> None:
        pool = self._pool()
        if self.connection is None or pool is None:
            super()._close()  # type: ignore[misc]  # the stubs do not know it
            return
        connection, self.connection = self.connection, None
        pool.give(connection)

    def _is_dead(self) -> bool:
        """Whether the server has closed a connection that is in no transaction; one that is in one fails by itself."""
        outside = self.connection is not None and self.autocommit and not self.in_atomic_block
        return outside and not self.connection.is_alive()

    def _pool(self) -> Pool | None:
        size = self.settings_dict["OPTIONS"].get("shared_connections", 0)
        if not size:
            return None
        with self._pools_lock:
            key = self.alias, self.settings_dict["NAME"]
            if key not in self._pools:
                params = self.get_connection_params()
                self._pools[key] = Pool(lambda: self._connect(params), size)
            return self._pools[key]

    def _connect(self, params: dict[str, Any]) -> PatientConnection:
        if (seconds := patience.left()) is not None:
            params = {**params, "connect_timeout": max(_SHORTEST_CONNECT_SECONDS, math.ceil(seconds))}
        connection = PatientConnection.connect(**params)
        connection.longest_wait = self.settings_dict["OPTIONS"].get("longest_wait")
        return connection
