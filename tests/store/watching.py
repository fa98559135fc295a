"""What goes to the database while something is done: statements by name, whatever Django sends, round trips."""

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import psycopg
from django.db import connection
from django.test import Client

from lib import named_sql
from tests.statements import texts

HOT = (
    "runs_stepexecution",
    "runs_run",
    "runs_stepjoin",
    "runs_historyevent",
    "runs_runkey",
    "runs_deadletter",
    "runs_timer",
    "runs_signal",
)


@dataclass
class Seen:
    """`named`: our statements in order; `orm`: what went through Django's cursors; `trips`: all that was executed."""

    named: list[str] = field(default_factory=list)
    orm: list[str] = field(default_factory=list)
    trips: int = 0


@contextmanager
def watching() -> Iterator[Seen]:
    """Everything that this connection sends, BEGIN and COMMIT too: counted on the wire."""
    seen = Seen()

    def note(execute, sql, params, many, context):
        seen.orm.append(sql)
        return execute(sql, params, many, context)

    connection.ensure_connection()
    wire = connection.connection.pgconn
    with tempfile.TemporaryFile() as trace, connection.execute_wrapper(note):
        named_sql.watchers.append(seen.named.append)
        wire.trace(trace.fileno())
        try:
            yield seen
        finally:
            wire.untrace()
            named_sql.watchers.remove(seen.named.append)
            trace.seek(0)
            seen.trips = len(re.findall(rb"\tF\t\d+\t(?:Query|Execute)\t", trace.read()))


def trips_of_page(client: Client, path: str) -> int:
    """Round trips of a page once this process has what it keeps (it compiles each version once)."""
    assert client.get(path).status_code == 200
    with watching() as seen:
        client.get(path)
    return seen.trips


def numbered(name: str) -> str:
    """A statement of ours with $1, $2… for its parameters."""
    return named_sql.numbered(texts()[name])[0].decode()


def plan(name: str) -> str:
    """The plan that PostgreSQL keeps for a prepared statement."""
    # Without parameters the text goes as it is, $1 and all.
    cursor = psycopg.Cursor(connection.connection)
    rows = cursor.execute(f"EXPLAIN (GENERIC_PLAN, COSTS OFF) {numbered(name)}".encode()).fetchall()
    return "\n".join(row[0] for row in rows)
