"""Pages of bulk jobs: how far they are, what became of each run, and the step from a dry run to the real thing."""

from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from accounts import pages
from accounts.access import PageRequest, page
from accounts.roles import RUNS_OPERATE, RUNS_READ
from engine.catalogue import Json
from lib.api.pagination import keyset_page
from lib.refusals import Conflict
from operations.bulk import service
from operations.bulk.access import readable_bulk_jobs
from operations.bulk.models import BULK_RESULTS, BulkJob
from operations.bulk.words import WORDS
from runs.web.contexts import following
from runs.web.listing import brief_rows
from workflows.access import scopes_for

SHOWN = 50
"""So many runs of a job are on a page."""


class ReasonForm(forms.Form):
    """Why something is done with many runs, and whether what cancelled ones did is undone."""

    reason = forms.CharField(
        max_length=1000, error_messages={"required": "Give a reason: it stays in each run's history."}
    )
    compensate = forms.BooleanField(required=False)


@page(RUNS_READ)
def job_list(request: PageRequest) -> HttpResponse:
    """The bulk jobs that they may read, newest first."""
    who = request.principal
    job_page = keyset_page(
        readable_bulk_jobs(service.jobs_of(who.tenant_id), who),
        request,
        keys=("id",),
        limit=pages.ON_A_PAGE,
        cursor=_cursor(request),
    )
    context = {"jobs": [(job, WORDS.get(job.verb)) for job in job_page.rows]}
    return render(request, "bulk/list.html", context | pages.neighbours(job_page))


@page(RUNS_READ, "GET")
def bulk_job(request: PageRequest, bulk_id: UUID) -> HttpResponse:
    """How far a bulk job is, and what became of each run; it follows until it is over."""
    job = service.get_job(request.principal.tenant_id, bulk_id)
    return following(request, "bulk/job.html", "bulk/_job.html", _context(request, job, ReasonForm()))


@page(RUNS_OPERATE, "POST")
def execute(request: PageRequest, bulk_id: UUID) -> HttpResponse:
    """Does what a dry run has found out the outcome of."""
    who = request.principal
    dry = service.get_job(who.tenant_id, bulk_id)
    form = ReasonForm(request.POST)
    if not form.is_valid():
        context = _context(request, dry, form)
        return render(request, "bulk/job.html", context, status=422)
    terms = {"reason": form.cleaned_data["reason"], "compensate": form.cleaned_data["compensate"]}
    try:
        bulk_id = service.go(who, bulk_id, **terms).pk
    except Conflict as refusal:
        messages.error(request, refusal.message)
    return redirect("bulk-job", bulk_id)


@page(RUNS_OPERATE, "POST")
def stop_job(request: PageRequest, bulk_id: UUID) -> HttpResponse:
    """Ends a bulk job before its time."""
    try:
        service.stop(request.principal, bulk_id)
    except Conflict:
        messages.info(request, "It was already over.")
    else:
        messages.success(request, "Stopped. What was left stays as it is.")
    return redirect("bulk-job", bulk_id)


def _context(request: PageRequest, job: BulkJob, form: ReasonForm) -> dict[str, Json]:
    who = request.principal
    result = request.GET.get("result", "")
    result = result if result in BULK_RESULTS else ""
    counts = service.counts_of(job)
    item_page = keyset_page(
        service.items_of(job, result or None),
        request,
        keys=("id",),
        limit=SHOWN,
        cursor=_cursor(request),
    )
    runs = {row["id"]: row for row in brief_rows(who, [item.run_id for item in item_page.rows])}
    return {
        "job": job,
        "workflow": job.workflow,
        "counts": counts,
        "done": job.total - counts["pending"],
        "percent": 100 if not job.total else (job.total - counts["pending"]) * 100 // job.total,
        "reasons": service.reasons_of(job) if counts["refused"] else [],
        "items": [(item, runs.get(str(item.run_id))) for item in item_page.rows],
        "page": item_page,
        "result": result,
        "results": [(each, counts[each]) for each in BULK_RESULTS if counts[each]],
        "form": form,
        "may_operate": job.workflow is None or RUNS_OPERATE in scopes_for(who, job.workflow.name),
        "words": WORDS.get(job.verb),
    }


def _cursor(request: HttpRequest) -> str | None:
    return request.GET.get("cursor") or None
