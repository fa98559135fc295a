"""Backends of PostgreSQL that outlive their client: they keep the locks of its transaction for a moment."""

from typing import Any

from django.db import connection

from config.embedded.processes import wait_until

_TRANSACTIONS = """
SELECT pid, state, query FROM pg_stat_activity
 WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
   AND backend_type = 'client backend'
"""


def await_ends(seconds: float = 10.0) -> None:
    """Return when no other client of this database is in a transaction. Raises EmbeddedError after so many seconds."""
    wait_until(lambda: not _transactions(), seconds, lambda: f"A database without {_transactions()}")


def _transactions() -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(_TRANSACTIONS)
        return cursor.fetchall()
