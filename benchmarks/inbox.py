"""The inbox beside a million open tasks: lists, counts and searches of people who are asked much, and opening more."""

import time
from collections.abc import Callable
from pathlib import Path
from statistics import quantiles
from typing import Any

from django.db import connection
from django.test import RequestFactory

from accounts.models import Tenant
from benchmarks.scenarios import published, started
from lib.named_sql import Statements
from runs.models import StepExecution
from tasks_inbox.eligibility.identity import Who
from tasks_inbox.eligibility.policies import Absent, marks_of
from tasks_inbox.reading import listing, task_rows
from tasks_inbox.reading.sources import View, parts_of, tasks_of
from tasks_inbox.store import queries

SQL = Statements(Path(__file__).parent)
BATCH = 50_000
OPENED = 2_000
TIMES = 20
DEEP_PAGES = 40
PAGE = 50
SEARCHES = ("data.invoice:INV-4710", "data.country:DE", "data.amount>99900", "data.vendor:none")
WORDS = ("471071", '"invoice 4710"', "vendor", "nowhere")
"""A title of its own, a part of some, one of nearly all, and one that nobody finds."""
SORTED = ("priority", "newest", "-data.amount")
Figures = dict[str, Any]


def million(open_tasks: int) -> Figures:
    """So many open tasks and a tenth of that decided; what people wait for, p95 of `TIMES` in milliseconds."""
    tenant = Tenant.objects.get(slug="default").pk
    before = _opened(OPENED)
    written = _written(tenant, open_tasks)
    figures: Figures = {"open tasks": open_tasks, "tasks written/s, at once": written}
    figures |= {"tasks opened/s, before": before, "tasks opened/s, beside them": _opened(OPENED)}
    for name, who in _people(tenant).items():
        figures |= {f"{name}: {what}": took for what, took in _measure_reads(who).items()}
    return figures


def _measure_reads(who: Who) -> Figures:
    figures: Figures = {str(view): _p95(_page, who, view) for view in listing.COUNTED_VIEWS}
    figures |= {"counts": _p95(listing.counts, who), "badge": _p95(listing.waiting_for, who)}
    figures[f"teams, page {DEEP_PAGES}"] = _p95(_page, who, "teams", "", "sla", _deep(who, "teams"))
    figures |= {text: _p95(_page, who, "teams", text) for text in (*SEARCHES, *WORDS)}
    figures |= {f"{text} of all": _p95(_all, who, text) for text in WORDS}
    return figures | {f"by {sort}": _p95(_page, who, "teams", "", sort) for sort in SORTED}


def _people(tenant: int) -> dict[str, Who]:
    """In five groups with some thousands of tasks each; in one with a tenth of all; asked by none; who stands in."""
    groups = [f"group{n}" for n in range(1, 6)]

    def who(name: str, groups: list[str], absent: tuple[Absent, ...] = ()) -> Who:
        return Who(tenant, name, tuple(marks_of(name, "approver", groups)), True, absent, decides_in=None)

    away = Absent("user9", tuple(marks_of("user9", "approver", ["group9", "big"])), None, None)
    return {
        "in 5 groups": who("user1", groups),
        "in Big": who("user2", ["big"]),
        "in none": who("newcomer", []),
        "stands in": who("user3", ["group3"], (away,)),
    }


def _page(who: Who, view: View, text: str = "", sort: str = "sla", cursor: str | None = None) -> Any:
    request = RequestFactory().get("/inbox/")
    parts = listing.found(who, parts_of(who, view=view), text)
    page = listing.page(who.tenant_id, parts, request, sort, limit=PAGE, cursor=cursor)
    names = queries.workflows_of(who.tenant_id, page.rows)
    return page, task_rows.list_rows(page.rows, names, who)


def _all(who: Who, text: str) -> Any:
    """As `GET /tasks?q=` asks: all tasks of the tenant, whomever they ask."""
    parts = [tasks_of(who, q=text.strip('"'))]
    return listing.page(who.tenant_id, parts, RequestFactory().get("/"), "newest", limit=PAGE, cursor=None)


def _deep(who: Who, view: View) -> str | None:
    cursor = None
    for _ in range(DEEP_PAGES):
        following = _page(who, view, cursor=cursor)[0].next
        if following is None:
            break
        cursor = following
    return cursor


def _p95(ask: Callable[..., Any], *about: Any) -> float:
    ask(*about)
    took = []
    for _ in range(TIMES):
        began = time.perf_counter()
        ask(*about)
        took.append((time.perf_counter() - began) * 1000)
    return round(quantiles(took, n=100, method="inclusive")[94], 1)


def _written(tenant: int, open_tasks: int) -> int:
    workflow = published([{"id": "n", "type": "noop"}]).workflow_id
    began = time.monotonic()
    for first in range(1, open_tasks * 11 // 10, BATCH):
        last = min(first + BATCH - 1, open_tasks * 11 // 10)
        params = {"tenant": tenant, "workflow": workflow, "open": open_tasks, "from": first, "to": last}
        SQL.execute("many_tasks", params)
    took = time.monotonic() - began
    SQL.execute("many_notes", {"tenant": tenant})
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE tasks_inbox_manualtask, tasks_inbox_taskmark, tasks_inbox_tasknote")
    return round(open_tasks * 1.1 / took)


def _opened(runs: int) -> int:
    """How many runs a second come to wait for a person."""
    params = {
        "title": "Pay {{ input.n }} EUR?",
        "facts": {"Amount": "{{ input.n }}"},
        "candidates": {"roles": ["admin"]},
    }
    version = published([{"id": "ask", "type": "human.approval", "params": params}])
    began = time.monotonic()
    started(version, runs)
    waiting = StepExecution.unsafe_all_tenants.filter(version_id=version.pk, status="WAITING")
    while waiting.count() < runs:
        if time.monotonic() - began > 120:
            raise SystemExit("The steps did not come to wait.")
        time.sleep(0.05)
    return round(runs / (time.monotonic() - began))
