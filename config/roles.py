"""Two roles of the database: the owner, who migrates, and Handoff's own, which can't change what is append-only.

The owner's address (`HANDOFF_OWNER_DATABASE_URL`) is given to `manage.py prepare` alone; `make up` makes both roles for
its embedded PostgreSQL. Where there is none, one role does both, and the doctor says so.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection
from psycopg import sql

from config import environment

OWNER_URL = "HANDOFF_OWNER_DATABASE_URL"
APPEND_ONLY = (
    "runs_historyevent",
    "runs_runseal",
    "tasks_inbox_taskdecision",
    "tasks_inbox_taskcomment",
    "accounts_auditrecord",
    "accounts_auditlink",
)
"""Nothing in these is ever changed or deleted by Handoff."""

_GRANTS = """
GRANT USAGE ON SCHEMA public TO {role};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role};
GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA public TO {role};
REVOKE INSERT, UPDATE, DELETE ON django_migrations FROM {role};
REVOKE UPDATE, DELETE ON {append_only} FROM {role};
"""
_WEAK = """
SELECT c.relname
  FROM pg_class c
 WHERE c.oid = ANY (ARRAY(SELECT to_regclass(name) FROM unnest(%s::text[]) AS name)::oid[])
   AND (pg_has_role(c.relowner, 'MEMBER') OR has_table_privilege(c.oid, 'UPDATE, DELETE, TRUNCATE, TRIGGER'))
 ORDER BY 1
"""


@contextmanager
def as_owner() -> Iterator[bool]:
    """The connection of this process is the owner's meanwhile, where one is named; gives whether it is another role."""
    url = os.environ.get(OWNER_URL)
    if not url:
        yield False
        return
    own = dict(connection.settings_dict)
    owner = environment.database_of(url)
    _connect_by({**own, **{name: owner[name] for name in ("NAME", "USER", "PASSWORD", "HOST", "PORT")}})
    try:
        yield owner["USER"] != own["USER"]
    finally:
        _connect_by(own)


def grant(role: str) -> None:
    """Give Handoff's role what it needs of all tables there are, and no more; for the owner, after each migration."""
    names = sql.SQL(", ").join(map(sql.Identifier, APPEND_ONLY))
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL(_GRANTS).format(role=sql.Identifier(role), append_only=names))


def changeable() -> list[str]:
    """The append-only tables that this process' role could change, empty or take the triggers of."""
    with connection.cursor() as cursor:
        cursor.execute(_WEAK, [list(APPEND_ONLY)])
        return [name for (name,) in cursor.fetchall()]


def _connect_by(values: dict[str, object]) -> None:
    connection.close()
    connection.settings_dict.update(values)
