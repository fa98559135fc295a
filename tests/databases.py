"""The tables of this process's tests: a copy of what one process migrates, emptied after each test that commits."""

import fcntl
import os
from functools import cache
from pathlib import Path

import psycopg
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from psycopg._preparing import PrepareManager
from psycopg.errors import DeadlockDetected

from config.embedded.postgres import ROLE, Postgres

_MIGRATED, _HALF_MIGRATED = "handoff_migrated", "handoff_half_migrated"
# What `migrate` writes into them holds for all tests.
_AS_MIGRATED = {"django_migrations", "django_content_type", "auth_permission"}
WORKING_ROLE = "handoff_working"
"""A role without rights, which tests grant some and take on: two roles, as a server of one's own has them."""
_LARGE = 512 * 1024
"""Bytes: from here on it is cheaper to truncate a table than to leave the space of its rows behind."""
_PLANS = 1000


def let_tests_empty(database: Postgres) -> None:
    """Whoever empties tables may do so without their triggers, which keep evidence from being deleted."""
    with database._connect() as server:
        server.execute(f"GRANT SET ON PARAMETER session_replication_role TO {ROLE}")
        server.execute(f"CREATE ROLE {WORKING_ROLE} ROLE {ROLE}")


def keep_plans() -> None:
    """What was prepared stays so. psycopg forgets all of it with each ROLLBACK, lest a table was made in what is rolled
    back; nearly every test ends with one, and the next would have the server plan the same statements once more.
    """
    PrepareManager.clear = lambda _: False
    PrepareManager.prepared_max = _PLANS


def make_own() -> None:
    """Point Django at a database of this process, a copy of one that the first to come migrates."""
    test = connection.settings_dict["TEST"]["NAME"] or f"test_{connection.settings_dict['NAME']}"
    with Path(os.environ["TMPDIR"], "migrating").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not _execute("SELECT FROM pg_database WHERE datname = %s", [_MIGRATED]):
            _execute(f"DROP DATABASE IF EXISTS {_HALF_MIGRATED}")
            _execute(f"CREATE DATABASE {_HALF_MIGRATED}")
            _use(_HALF_MIGRATED)
            call_command("migrate", verbosity=0, interactive=False)
            connection.close()
            _execute(f"ALTER DATABASE {_HALF_MIGRATED} RENAME TO {_MIGRATED}")
    _execute(f"CREATE DATABASE {connection.ops.quote_name(test)} TEMPLATE {_MIGRATED}")
    _use(test)


def _execute(statement: str, params: list[str] | None = None) -> int:
    """Execute it outside of any database of ours; gives how many rows that was about."""
    with connection._nodb_cursor() as cursor:
        cursor.execute(statement, params)
        return cursor.rowcount


def _use(name: str) -> None:
    connection.close()
    settings.DATABASES["default"]["NAME"] = connection.settings_dict["NAME"] = name


def empty(_: object = None) -> None:
    """After a test with real transactions: delete the rows that there are. `flush` truncates everything and makes anew
    what migrations make; and once a table was truncated, the server plans each statement about it anew.
    """
    server = _sweeper()
    while found := server.execute(_tables_with_rows(), prepare=True).fetchall():
        names = [f'"{name}"' for name, _ in found]
        large = [f'"{name}"' for name, is_large in found if is_large]
        acts = [
            f"LOCK TABLE {', '.join(names)} IN EXCLUSIVE MODE",
            *(f"DELETE FROM {name}" for name in names),
        ]
        if large:
            acts.append(f"TRUNCATE {', '.join(large)} CASCADE")
        try:
            # As one string it is one transaction.
            server.execute("; ".join(acts))
        except DeadlockDetected:
            # A page that a browser still shows goes on asking the live server, whose statements take the same
            # tables in another order. PostgreSQL ends one of the two, now and then this one.
            continue
        return


@cache
def _sweeper() -> psycopg.Connection:
    """A connection of its own: a session that switches triggers off or on forgets all its plans."""
    params = connection.get_connection_params()
    return psycopg.connect(
        **{key: params[key] for key in ("dbname", "user", "password", "host", "port") if key in params},
        autocommit=True,
        options="-c session_replication_role=replica -c lock_timeout=60s",
    )


@cache
def _tables_with_rows() -> str:
    """A query for the tables that hold something, and whether they are large."""
    names = [name for name in connection.introspection.table_names() if name not in _AS_MIGRATED]
    return " UNION ALL ".join(
        f"SELECT '{name}', pg_relation_size('\"{name}\"'::regclass) > {_LARGE} WHERE EXISTS (SELECT FROM \"{name}\")"
        for name in names
    )


def let_go() -> None:
    """Close what this process holds of its database."""
    if _sweeper.cache_info().currsize:
        _sweeper().close()
        _sweeper.cache_clear()
    connection.close()
