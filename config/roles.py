"""Two roles of the database: the owner, who migrates, and Handoff's own, which deletes no run and no evidence.

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
ADVICE = 'name two roles: see "Two database roles" in docs/operations.md'
APPEND_ONLY = (
    "runs_historyevent",
    "runs_runseal",
    "runs_approval",
    "tasks_inbox_taskdecision",
    "tasks_inbox_taskcomment",
    "accounts_auditrecord",
    "accounts_auditlink",
)
"""Handoff never changes or deletes a row of these."""
KEPT = (
    "accounts_audithead",
    "runs_run",
    "runs_approvaluse",
    "tasks_inbox_evidencehead",
    "tasks_inbox_manualtask",
    "tasks_inbox_taskfile",
    "workflows_workflowversion",
)
"""Handoff changes rows of these, and never deletes one. Steps are not among them: a resume deletes some."""

_GRANTS = """
REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {role};
GRANT USAGE ON SCHEMA public TO {role};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role};
GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA public TO {role};
REVOKE INSERT, UPDATE, DELETE ON django_migrations FROM {role};
REVOKE UPDATE, DELETE ON {append_only} FROM {role};
REVOKE DELETE ON {kept} FROM {role};
"""
_WEAK = """
SELECT c.relname
  FROM pg_class c
 WHERE c.oid = ANY (ARRAY(SELECT to_regclass(name) FROM unnest(%s::text[]) AS name)::oid[])
   AND (pg_has_role(c.relowner, 'MEMBER') OR has_table_privilege(c.oid, 'DELETE, TRUNCATE, TRIGGER')
        OR c.relname = ANY (%s) AND has_any_column_privilege(c.oid, 'UPDATE'))
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
    lists = {"append_only": APPEND_ONLY, "kept": KEPT}
    tables = {name: sql.SQL(", ").join(map(sql.Identifier, names)) for name, names in lists.items()}
    grants = sql.SQL(_GRANTS).format(role=sql.Identifier(role), **tables)
    with connection.cursor() as cursor:
        # Without parameters it is one transaction: processes that work meanwhile never lack a right.
        cursor.execute(grants)


def changeable() -> list[str]:
    """The tables of runs and evidence that this process' role could empty, delete from, or change if append-only."""
    with connection.cursor() as cursor:
        cursor.execute(_WEAK, [[*APPEND_ONLY, *KEPT], list(APPEND_ONLY)])
        return [name for (name,) in cursor.fetchall()]


def complaint() -> str | None:
    """What the role that Handoff works with could destroy, in a sentence; None where it can't."""
    if not (tables := changeable()):
        return None
    return f"the database role that Handoff works with may delete or change runs and evidence ({', '.join(tables)})"


def _connect_by(values: dict[str, object]) -> None:
    connection.close()
    connection.settings_dict.update(values)
