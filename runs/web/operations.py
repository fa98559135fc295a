"""The pages of operations: timers and repairs. Each row leads to its run."""

from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import render

from accounts import pages
from accounts.access import PageRequest, page
from accounts.roles import RUNS_OPERATE, RUNS_READ
from lib.api.pagination import Page, keyset_page
from runs.reading import operations
from runs.reading.histories import history_standing
from workflows import titles

DUE_IN_WORDS = (("", "All"), ("overdue", "Overdue"), ("hour", "Within an hour"), ("day", "Within a day"))


@page(RUNS_READ)
def timer_list(request: PageRequest) -> HttpResponse:
    """The timers that have not fired, the next first; `?due=overdue`, `hour` or `day`."""
    who = request.principal
    choice = request.GET.get("due", "")
    due = choice if choice in operations.DUE else None
    timer_page = _page(request, operations.timers_of(who, due), ("fire_at", "id"), oldest_first=True)
    rows = operations.timer_rows(who.tenant_id, timer_page.rows)
    titles.learn(who.tenant_id, {str(row["workflow"]) for row in rows})
    context = {"timers": rows, "due": due or "", "choices": DUE_IN_WORDS}
    return render(request, "operations/timers.html", context | pages.neighbours(timer_page))


@page(RUNS_OPERATE)
def repair_list(request: PageRequest) -> HttpResponse:
    """What nothing would have moved any more, newest first: repaired, or for a person; the check of ended runs."""
    repair_page = _page(request, operations.repairs_of(request.principal), ("id",))
    rows = repair_page.rows
    places = operations.places_of(
        request.principal.tenant_id, [(one.run_id, one.node) for one in rows if one.node]
    )
    context = {
        "repairs": [(one, places.get((one.run_id, one.node))) for one in rows],
        "standing": history_standing(),
        "differences": operations.differences_of(request.principal).order_by("-id")[: operations.SHOWN],
    }
    return render(request, "operations/repairs.html", context | pages.neighbours(repair_page))


def _page(
    request: PageRequest, rows: QuerySet[Any], keys: tuple[str, ...], *, oldest_first: bool = False
) -> Page:
    cursor = request.GET.get("cursor") or None
    return keyset_page(
        rows, request, keys=keys, limit=pages.ON_A_PAGE, cursor=cursor, oldest_first=oldest_first
    )
