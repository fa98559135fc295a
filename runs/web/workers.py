"""The page of who works: external workers, and processes of Handoff's own for whom operates."""

from collections.abc import Sequence

from django.http import HttpResponse
from django.shortcuts import render

from accounts import pages
from accounts.access import PageRequest, page
from accounts.roles import RUNS_OPERATE, RUNS_READ
from lib.api.pagination import keyset_page
from runs.reading.workers import InHand, contacts_of, in_hand, processes_for, worker_rows
from workflows import titles


@page(RUNS_READ)
def worker_list(request: PageRequest) -> HttpResponse:
    """External workers by their ids, with what each has in hand; behind them processes of Handoff's own."""
    who = request.principal
    cursor = request.GET.get("cursor") or None
    worker_page = keyset_page(
        contacts_of(who),
        request,
        keys=("worker",),
        limit=pages.ON_A_PAGE,
        cursor=cursor,
        oldest_first=True,
    )
    rows = worker_rows(who, worker_page.rows)
    by_worker = in_hand(who, {one["id"] for one in rows}, external=True)
    processes = processes_for(who.tenant_id) if RUNS_OPERATE in who.scopes and cursor is None else []
    by_process = in_hand(who, {one.it.pk for one in processes}, external=False)
    titles.learn(
        who.tenant_id,
        {job.workflow for each in (by_worker, by_process) for jobs in each.values() for job in jobs},
    )
    context = {
        "workers": [_shown(one, one["holds"], by_worker.get(one["id"], ())) for one in rows],
        "processes": [_shown(one, one.holds, by_process.get(one.it.pk, ())) for one in processes],
    }
    return render(request, "runs/workers.html", context | pages.neighbours(worker_page))


def _shown(worker: object, holds: int, jobs: Sequence[InHand]) -> dict[str, object]:
    return {"it": worker, "jobs": jobs, "more": max(0, holds - len(jobs))}
