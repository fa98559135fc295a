"""The pages of requests: what somebody may start, what they asked for, and what becomes of it."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from accounts.access import PageRequest, page
from accounts.principal import Forbidden, Principal
from accounts.roles import MEMBERS_MANAGE, RUNS_START, TASKS_READ
from lib.api.pagination import Page
from lib.clock import now_here
from lib.reader import moment_text
from lib.refusals import Conflict, Invalid, TooMany
from runs.commands import requests as commands
from runs.kernel.refused import RunRefused
from runs.limits import CATALOGUE_ROWS, FILTER_CHARACTERS, REQUEST_CHOICES, RUN_REASON_CHARACTERS
from runs.reading import requests
from runs.reading.request_lists import page_of
from runs.reading.request_results import files_in, result_shown
from runs.reading.searched import Searched
from runs.web import contexts
from runs.web.home import home_page
from runs.web.listing import NO_PAGE
from workflows.models import Workflow

ON_A_PAGE = 20
CATEGORY_CHARACTERS = 60
SHOWN = (("open", "Open"), ("all", "All"), ("done", "Done"), ("filed", "Filed for others"))


def front_page(request: HttpRequest) -> HttpResponse:
    """Home; their requests for whoever may read no runs at all."""
    try:
        return home_page(request)
    except Forbidden as refusal:
        # Whoever is no member anywhere has no requests either.
        if not refusal.details:
            raise
        return redirect("requests")


front_page.required_scope = home_page.required_scope  # type: ignore[attr-defined]
front_page.methods = home_page.methods  # type: ignore[attr-defined]


@page(TASKS_READ)
def requests_page(request: PageRequest) -> HttpResponse:
    """What they may start, and what they asked for, newest first."""
    who, q = request.principal, request.GET.get("q", "").replace("\x00", "").strip()[:200]
    choice = request.GET.get("show", "")
    show = choice if choice in dict(SHOWN) else _first_shown(who)
    text = request.GET.get("query", "").replace("\x00", "").strip()[:FILTER_CHARACTERS]
    runs, searched, fault = _page(request, show, text)
    context = {
        "q": q,
        "text": text,
        "fault": fault,
        "searched": searched,
        "show": show,
        "request_filters": SHOWN,
        **_offered(request, q),
        "may_start": RUNS_START in who.scopes,
        "may_grant": MEMBERS_MANAGE in who.scopes,
        "rows": requests.request_rows(who, runs.rows),
        "newer": runs.previous,
        "older": runs.next,
        "follows": not request.GET.get("cursor") and not text,
    }
    return contexts.following(request, "runs/requests.html", "runs/_requests.html", context)


def _page(request: PageRequest, show: str, text: str) -> tuple[Page, Searched | None, str]:
    """The page of their requests that a search finds, how far it was searched, and what is wrong with the search."""
    cursor = request.GET.get("cursor")
    try:
        return *page_of(request.principal, request, show, text, limit=ON_A_PAGE, cursor=cursor), ""
    except Invalid as error:
        if error.field != "query":
            raise
        return NO_PAGE, None, error.message


def _offered(request: PageRequest, q: str) -> dict[str, object]:
    """What they may start: of one category, where the address names one. The part that follows has no catalogue."""
    category = request.GET.get("category", "").replace("\x00", "").strip()[:CATEGORY_CHARACTERS]
    is_part = bool(request.headers.get("HX-Request"))
    every = [] if is_part else list(requests.catalogue(request.principal, q)[:CATALOGUE_ROWS])
    offered = [one for one in every if not category or requests.category_name(one) == category]
    return {
        "offered": offered[:REQUEST_CHOICES],
        "groups": _groups(offered[:REQUEST_CHOICES]),
        "are_more": len(offered) > REQUEST_CHOICES,
        "category": category,
        "categories": sorted({requests.category_name(one) for one in every} - {""}),
    }


def _first_shown(who: Principal) -> str:
    """What their list begins with: what is open, if anything is."""
    return "open" if requests.own_runs(who, "open").exists() else "all"


def _groups(workflows: Sequence[Workflow]) -> list[tuple[str, list[Workflow]]]:
    """The catalogue by category, in the order of their names; what has none stands last."""
    groups: dict[str, list[Workflow]] = {}
    for workflow in workflows:
        groups.setdefault(requests.category_name(workflow), []).append(workflow)
    return sorted(groups.items(), key=lambda one: (not one[0], one[0]))


@page(TASKS_READ)
def request_page(request: PageRequest, request_id: UUID) -> HttpResponse:
    """One request of theirs."""
    return contexts.following(
        request, "runs/request.html", "runs/_request.html", _context(request, request_id)
    )


@page(RUNS_START, "GET", "POST")
def withdraw(request: PageRequest, request_id: UUID) -> HttpResponse:
    """Withdraws a request that is open, saying why; looking asks for the reason."""
    context = _context(request, request_id)
    if request.method == "GET":
        return render(request, "runs/withdraw.html", context)
    reason = request.POST.get("reason", "").replace("\x00", "").strip()[:RUN_REASON_CHARACTERS]
    if not reason:
        context["fault"] = "Give a reason, for those who have worked on it."
        return render(request, "runs/withdraw.html", context, status=422)
    try:
        commands.withdraw_request(request.principal, request_id, reason=reason)
    except RunRefused as refusal:
        messages.error(request, f"{refusal.message} Nothing was changed.")
    else:
        messages.success(request, "Your request is withdrawn.")
    return redirect("request", request_id)


@page(RUNS_START, "POST")
def remind(request: PageRequest, request_id: UUID) -> HttpResponse:
    """Reminds those whom a request waits for."""
    try:
        commands.remind_deciders(request.principal, request_id)
    except TooMany as refusal:
        again = datetime.fromisoformat(str(refusal.details["possible_at"]))
        messages.error(request, f"You reminded them lately: you may again from {moment_text(again)}.")
    except (RunRefused, Conflict) as refusal:
        messages.error(request, refusal.message)
    else:
        messages.success(request, "Those whom your request waits for are reminded.")
    return redirect("request", request_id)


def _context(request: PageRequest, request_id: UUID) -> dict[str, object]:
    row = requests.request_row(request.principal, request_id)
    address = partial(_file_address, request_id)
    files = files_in(request.principal.tenant_id, request_id, row["result"], address)
    return {
        "row": row,
        "result": [result_shown(one, files) for one in row["result"]],
        "may_start": RUNS_START in request.principal.scopes,
        "now": now_here(),
    }


def _file_address(request_id: UUID, file_id: str) -> str:
    return reverse("api-request-file", args=[request_id, file_id])
