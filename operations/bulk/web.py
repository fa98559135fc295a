"""Pages of bulk jobs: their progress, the result for each item, and the step from a dry run to the real thing."""

from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode

from accounts import pages
from accounts.access import PageRequest, page
from accounts.roles import RUNS_OPERATE, RUNS_READ, TASKS_DECIDE
from engine.catalogue import Json
from lib.api.pagination import keyset_page
from lib.refusals import Conflict
from operations.bulk import rows, service, work
from operations.bulk.access import readable_bulk_jobs
from operations.bulk.limits import CSV_ITEMS, REASON_CHARACTERS, WAITED_SECONDS
from operations.bulk.models import BULK_RESULTS, DISCARD, RUNS, TASKS, BulkJob
from operations.bulk.words import WORDS
from runs.web.contexts import following
from workflows.access import scopes_for

SHOWN = 50
"""So many items of a job are on a page."""


class ReasonForm(forms.Form):
    """Why something is done with many, and whether what cancelled runs did is undone."""

    reason = forms.CharField(
        max_length=REASON_CHARACTERS,
        error_messages={"required": "Give a reason: it stays in the history of each."},
    )
    compensate = forms.BooleanField(required=False)

    def __init__(self, data: QueryDict | None = None, *, is_required: bool = True) -> None:
        super().__init__(data)
        self.fields["reason"].required = is_required


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
    """The progress of a bulk job, and the result for each item; it follows until it is over."""
    return _shown(request, service.read_job(request.principal, RUNS_READ, bulk_id))


@page(TASKS_DECIDE, "GET")
def task_job(request: PageRequest, bulk_id: UUID) -> HttpResponse:
    """As `bulk_job`, of tasks."""
    return _shown(request, service.read_job(request.principal, TASKS_DECIDE, bulk_id))


def _shown(request: PageRequest, job: BulkJob) -> HttpResponse:
    if request.GET.get("format") == "csv":
        items = service.items_of(job, _result(request)).order_by("id").iterator(chunk_size=CSV_ITEMS)
        headers = {"Content-Disposition": f'attachment; filename="bulk-job-{job.pk}.csv"'}
        lines = rows.csv_file(items)
        return StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8", headers=headers)  # type: ignore[return-value]
    return following(request, "bulk/job.html", "bulk/_job.html", _context(request, job, ReasonForm()))


def to_job(job: BulkJob) -> HttpResponse:
    """Leads to the page of a job that was begun just now; one that is small is over by then."""
    work.work(WAITED_SECONDS, job.pk)
    return redirect("task-bulk-job" if job.subject == TASKS else "bulk-job", job.pk)


@page(RUNS_OPERATE, "POST")
def execute(request: PageRequest, bulk_id: UUID) -> HttpResponse:
    """Does what a dry run has found out the outcome of."""
    return _executed(request, service.read_job(request.principal, RUNS_OPERATE, bulk_id))


@page(TASKS_DECIDE, "POST")
def execute_tasks(request: PageRequest, bulk_id: UUID) -> HttpResponse:
    """As `execute`, of tasks, for who began the dry run."""
    return _executed(request, service.read_job(request.principal, TASKS_DECIDE, bulk_id))


def _executed(request: PageRequest, dry: BulkJob) -> HttpResponse:
    form = ReasonForm(request.POST, is_required=_needs_reason(dry))
    if not form.is_valid():
        context = _context(request, dry, form)
        return render(request, "bulk/job.html", context, status=422)
    terms = {"reason": form.cleaned_data["reason"], "compensate": form.cleaned_data["compensate"]}
    try:
        return to_job(service.go(request.principal, dry.pk, **terms))
    except Conflict as refusal:
        messages.error(request, refusal.message)
    return redirect(_route(request), dry.pk)


@page(RUNS_OPERATE, "POST")
def stop_job(request: PageRequest, bulk_id: UUID) -> HttpResponse:
    """Ends a bulk job before its time."""
    return _stopped(request, bulk_id)


@page(TASKS_DECIDE, "POST")
def stop_tasks(request: PageRequest, bulk_id: UUID) -> HttpResponse:
    """As `stop_job`, of tasks, for who began it."""
    return _stopped(request, bulk_id)


def _stopped(request: PageRequest, bulk_id: UUID) -> HttpResponse:
    try:
        service.stop(request.principal, bulk_id)
    except Conflict:
        messages.info(request, "It was already over.")
    else:
        messages.success(request, "Stopped. What was left stays as it is.")
    return redirect(_route(request), bulk_id)


def _route(request: PageRequest) -> str:
    """The name of the page of the job: that of the inbox for who came from there."""
    match = request.resolver_match
    return "task-bulk-job" if match and (match.url_name or "").startswith("task-") else "bulk-job"


def _needs_reason(job: BulkJob) -> bool:
    return job.subject == RUNS or job.verb == DISCARD


def _back(job: BulkJob) -> dict[str, str]:
    """Where the items of a job are listed, with the search that found them: its address, its name."""
    address = reverse({"runs": "runs", "letters": "operations-letters", "tasks": "inbox"}[job.subject])
    name = {"runs": "Runs", "letters": "Dead letters", "tasks": "Inbox"}[job.subject]
    query: dict[str, str] = {}
    if job.subject == TASKS:
        query = {"view": job.terms.get("view"), "run": job.terms.get("run"), "filter": job.query}
    elif job.subject != RUNS:
        query = {"query": job.query}
    text = urlencode({key: value for key, value in query.items() if value})
    return {"back": f"{address}?{text}" if text else address, "back_name": name}


def _context(request: PageRequest, job: BulkJob, form: ReasonForm) -> dict[str, Json]:
    who = request.principal
    result = _result(request) or ""
    counts = service.counts_of(job)
    item_page = keyset_page(
        service.items_of(job, result or None),
        request,
        keys=("id",),
        limit=SHOWN,
        cursor=_cursor(request),
    )
    route, reasons = _route(request), service.reasons_of(job) if counts["refused"] else ()
    words = WORDS.get(job.verb)
    mays = job.workflow is None or RUNS_OPERATE in scopes_for(who, job.workflow.name)
    return _back(job) | {
        "job": job,
        "address": reverse(route, args=[job.pk]),
        "go_address": reverse(f"{route}-go", args=[job.pk]),
        "stop_address": reverse(f"{route}-stop", args=[job.pk]),
        "noun": words.noun if words else "run",
        "workflow": job.workflow,
        "counts": counts,
        "done": job.total - counts["pending"],
        "percent": 100 if not job.total else (job.total - counts["pending"]) * 100 // job.total,
        "reasons": [(reason, rows.address(job, reason.item)) for reason in reasons],
        "items": rows.rows(who, job, item_page.rows),
        "page": item_page,
        "result": result,
        "results": [(each, counts[each]) for each in BULK_RESULTS if counts[each]],
        "form": form,
        "may_stop": mays,
        "may_operate": mays and (job.subject != TASKS or job.created_by == who.username),
        "needs_reason": _needs_reason(job),
        "words": words,
    }


def _result(request: HttpRequest) -> str | None:
    """The result of which the items are shown, or None for all."""
    result = request.GET.get("result", "")
    return result if result in BULK_RESULTS else None


def _cursor(request: HttpRequest) -> str | None:
    return request.GET.get("cursor") or None
