"""A database of each release before is brought to today's tables, with all that was in it (`scripts/keep_home`)."""

import gzip
import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from django.conf import settings
from django.db import connection

from engine.graph import compile_graph
from steps.catalogue import EXECUTABLE
from tests.serving import ROOT

pytestmark = [pytest.mark.processes, pytest.mark.django_db]

HOMES = sorted((Path(__file__).parent / "homes").glob("*.sql.gz"))
TABLES = """
    SELECT c.table_name, c.column_name, c.data_type, c.is_nullable, c.column_default, c.is_identity,
           c.generation_expression
      FROM information_schema.columns c WHERE c.table_schema = 'public'
"""
DEFINITIONS = """
    SELECT 'index', i.indexdef FROM pg_indexes i WHERE i.schemaname = 'public'
     UNION ALL
    SELECT k.conrelid::regclass::text, concat(k.conname, ' ', pg_get_constraintdef(k.oid)) FROM pg_constraint k
     WHERE k.connamespace = 'public'::regnamespace AND k.contype <> 'n'
     UNION ALL
    SELECT 'trigger', pg_get_triggerdef(t.oid) FROM pg_trigger t WHERE NOT t.tgisinternal
     UNION ALL
    SELECT 'function', pg_get_functiondef(p.oid) FROM pg_proc p
     WHERE p.pronamespace = 'public'::regnamespace AND p.prokind = 'f'
     UNION ALL
    SELECT 'view', concat(v.viewname, v.definition) FROM pg_views v WHERE v.schemaname = 'public'
"""
KEPT = (
    "runs_run",
    "runs_stepexecution",
    "runs_historyevent",
    "tasks_inbox_manualtask",
    "workflows_workflowversion",
    "runs_schedule",
)


def _plain(rows):
    """What a definition says, however PostgreSQL writes the casts in it: a dump that is read in has other ones."""
    return sorted(re.sub(r"::(character varying|[a-z]+)(\[\])?|[()]", "", repr(row)) for row in rows)


def _counts(server):
    return {table: server.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in KEPT}


def _manage(url, folder, *words):
    environment = {**os.environ, "DATABASE_URL": url, "HANDOFF_HOME": str(folder)}
    command = [sys.executable, "manage.py", *words]
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=240, check=False
    )


@pytest.fixture(params=HOMES, ids=lambda path: path.name.removesuffix(".sql.gz"))
def home(request):
    """The address of a database of that release."""
    name = f"home_{os.getpid()}_{re.sub(r'[^a-z0-9]', '_', request.param.name)}"
    with psycopg.connect(settings.DATABASE_URL, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
    url = urlunsplit(urlsplit(settings.DATABASE_URL)._replace(path=f"/{name}"))
    with psycopg.connect(url) as server:
        server.execute(gzip.decompress(request.param.read_bytes()))
    yield url
    with psycopg.connect(settings.DATABASE_URL, autocommit=True) as server:
        server.execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_a_database_of_an_earlier_release_gets_todays_tables_and_keeps_its_rows(home, tmp_path, caplog):
    with psycopg.connect(home) as server:
        before = _counts(server)
        children = server.execute("SELECT count(*) FROM runs_run WHERE parent_id IS NOT NULL").fetchone()[0]
    assert all(before.values())
    assert children

    done = _manage(home, tmp_path, "migrate")
    assert done.returncode == 0, done.stdout + done.stderr

    with psycopg.connect(home) as server, connection.cursor() as cursor:
        for statement in (TABLES, DEFINITIONS):
            cursor.execute(statement)
            assert _plain(server.execute(statement)) == _plain(cursor)
        after = _counts(server)
        placed = server.execute(
            "SELECT count(*) FROM runs_run WHERE tree_id IS NOT NULL AND place IS NOT NULL"
        ).fetchone()[0]
        grants = server.execute(
            "SELECT count(*) FROM accounts_foldergrant WHERE 'decide' = ANY (verbs)"
        ).fetchone()[0]
        definitions = server.execute(
            "SELECT definition, rules FROM workflows_workflowversion ORDER BY id"
        ).fetchall()
    assert definitions
    for definition, rules in definitions:
        assert compile_graph(definition, EXECUTABLE, rules).nodes
    assert not [record for record in caplog.records if record.name == "engine.value_types"]
    assert after == before
    assert placed == children
    assert grants
    checked = _manage(home, tmp_path, "verify_history", "--all")
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_each_release_before_this_one_has_a_home():
    changelog = (ROOT / "CHANGELOG.md").read_text()
    releases = re.findall(r"^## (\d+\.\d+\.\d+)", changelog, re.MULTILINE)
    kept = {path.name.removesuffix(".sql.gz") for path in HOMES}
    assert releases
    assert {*releases[1:]} <= kept
