"""What is asked over the runs of a tree, among many runs and tasks: no statement reads a large table whole."""

import re

import psycopg
import pytest
from django.db import connection, transaction

from lib.named_sql import numbered
from tasks_inbox.store.statements import SQL
from tests.store.test_inbox_plans import among_many_tasks
from tests.store.test_plans import FILL

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

STATEMENTS = (
    *("add_decision", "hold_task", "askers", "decided_around", "decided_inside"),
    *("questions_inside", "is_undecided_inside"),
)
LARGE = re.compile(r"Seq Scan on (runs_\w+|tasks_inbox_\w+)")


@pytest.fixture(scope="module")
def many(django_db_setup, django_db_blocker):
    """Many runs, steps and tasks."""
    with django_db_blocker.unblock(), transaction.atomic():
        among_many_tasks()
        with connection.cursor() as cursor:
            cursor.execute(FILL)
            cursor.execute("ANALYZE runs_run; ANALYZE runs_stepexecution; ANALYZE tasks_inbox_taskdecision")
        connection.check_constraints()
        yield
        transaction.set_rollback(True)


@pytest.mark.parametrize("name", STATEMENTS)
def test_no_statement_over_a_tree_reads_a_table_from_end_to_end(many, name):
    text = numbered(SQL.texts[name])[0].decode()
    cursor = psycopg.Cursor(connection.connection)
    rows = cursor.execute(f"EXPLAIN (GENERIC_PLAN, COSTS OFF) {text}".encode()).fetchall()
    plan = "\n".join(row[0] for row in rows)
    assert {*LARGE.findall(plan)} <= {
        "tasks_inbox_evidencehead",
        "tasks_inbox_taskdecision",
        "tasks_inbox_taskdraft",
    }, plan
