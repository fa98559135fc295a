"""Lists of tasks among thousands: no statement of theirs reads the tasks from end to end."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection, transaction
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext

from lib.named_sql import Statements
from tasks_inbox.eligibility.identity import Who
from tasks_inbox.eligibility.policies import Absent, marks_of
from tasks_inbox.reading import listing
from tasks_inbox.reading.sources import parts_of, tasks_of
from tests import factories as make

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

SQL = Statements(Path(__file__).parents[2] / "benchmarks")
TASKS = 20_000
LISTS = [(view, "", "sla") for view in listing.COUNTED_VIEWS] + [
    ("teams", "data.invoice:INV-4710", "sla"),
    ("teams", "data.country:DE", "sla"),
    ("teams", "data.amount>99000", "sla"),
    ("teams", "4710", "sla"),
    ("teams", "nowhere", "sla"),
    ("teams", "vendor", "sla"),
    ("teams", "", "-data.amount"),
    ("teams", "", "newest"),
]


@pytest.fixture(scope="module")
def who(django_db_setup, django_db_blocker) -> Iterator[Who]:
    """Somebody among many tasks, in a transaction around that of each test."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield among_many_tasks()
        transaction.set_rollback(True)


def among_many_tasks() -> Who:
    """Somebody in five groups who stands in for somebody in a large one."""
    version = make.a_version(make.chain("noop"))
    tenant = version.tenant_id
    about = {
        "tenant": tenant,
        "workflow": version.workflow_id,
        "open": TASKS,
        "from": 1,
        "to": TASKS * 11 // 10,
    }
    SQL.execute("many_tasks", about)
    SQL.execute("many_notes", {"tenant": tenant})
    with connection.cursor() as cursor:
        cursor.execute(
            "ANALYZE tasks_inbox_manualtask; ANALYZE tasks_inbox_taskmark; ANALYZE tasks_inbox_tasknote"
        )
    # Once for all: each test looks at its end whether all of them are met.
    connection.check_constraints()
    folders = (version.workflow.folder_id,)
    absent = Absent("user9", tuple(marks_of("user9", "approver", ["big"])), None, folders)
    marks = marks_of("user1", "approver", [f"group{n}" for n in range(1, 6)])
    return Who(tenant, "user1", tuple(marks), True, (absent,), decides_in=folders)


def page(who, view, text="", sort="sla", cursor=None):
    found = listing.found(who, parts_of(who, view=view), text)
    return listing.page(who.tenant_id, found, RequestFactory().get("/"), sort, limit=50, cursor=cursor)


def titles(who, part):
    """As `GET /tasks?q=` asks: all tasks of the tenant."""
    found = [tasks_of(who, q=part)]
    return listing.page(who.tenant_id, found, RequestFactory().get("/"), "newest", limit=50, cursor=None)


def plans(ask):
    """The plans of all statements by which something is asked."""
    with CaptureQueriesContext(
        connection,
    ) as told:
        ask()
    found = []
    for one in told.captured_queries:
        with connection.cursor() as cursor:
            cursor.execute("EXPLAIN " + one["sql"].replace("%", "%%"))
            found.append("\n".join(row[0] for row in cursor.fetchall()))
    return found


def test_no_list_and_no_count_reads_all_tasks(who):
    asked = {
        f"{view} {text} {sort}": plans(lambda at=(view, text, sort): page(who, *at))
        for view, text, sort in LISTS
    }
    asked["page 3"] = plans(
        lambda: page(who, "teams", cursor=page(who, "teams", cursor=page(who, "teams").next).next)
    )
    asked["4710 of all"] = plans(lambda: titles(who, "4710"))
    asked["counts"] = plans(lambda: listing.counts(who))
    asked["badge"] = plans(lambda: listing.waiting_for(who))
    read = {
        name: re.findall(r"Seq Scan on (tasks_inbox_(?:manualtask|taskmark)) ", "\n".join(found))
        for name, found in asked.items()
    }
    assert {name: tables for name, tables in read.items() if tables} == {}
    # The first page is of the first rows of each mark, in the order of their index.
    assert "task_mark_order" in asked["teams  sla"][0]
    assert all("task_told" in found[0] for name, found in asked.items() if "data.invoice" in name)
    assert all(
        "task_title" in asked[name][0] for name in ("teams 4710 sla", "teams nowhere sla", "4710 of all")
    )


def test_pages_go_through_all_parts_once_in_their_order(who):
    for sort in ("sla", "newest", "data.amount", "-data.vendor", "priority"):
        seen, cursor = [], None
        for _ in range(5):
            found = page(who, "teams", sort=sort, cursor=cursor)
            seen += found.rows
            cursor = found.next
        backwards = page(who, "teams", sort=sort, cursor=found.previous).rows
        assert [one.pk for one in backwards] == [one.pk for one in seen[150:200]], sort
        assert len({one.pk for one in seen}) == 250, sort
        order = listing.order_of(sort)
        if order.told is None:
            keys = [tuple(getattr(one, key) for key in order.keys) for one in seen]
            assert keys == sorted(keys, reverse=not order.oldest_first), sort
