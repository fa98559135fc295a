"""What the palette finds: workflows, runs, requests and people; features add what is theirs (`FINDERS`)."""

from collections.abc import Iterator
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import Case, Q, When
from django.http import HttpResponse, JsonResponse
from django.urls import reverse

from accounts.access import PageRequest, page
from accounts.people import called
from accounts.principal import Principal
from accounts.queries import members_of
from accounts.roles import RUNS_READ, TASKS_READ, WORKFLOWS_READ
from lib.search_grammar import NotUnderstood, parse, quoted
from lib.visible import visible
from runs.access import readable_runs
from runs.ports import FINDERS, Find
from runs.reading import queries, requests
from runs.reading.keys import of_key_begun
from runs.reading.presentation import run_rows
from runs.reading.search_words import GRAMMAR
from runs.reading.stored import NOTHING
from workflows import titles
from workflows.queries import list_workflows

FOUND, FEW = 8, 5
SEARCH_CHARACTERS = 200


@page(TASKS_READ)
def find(request: PageRequest) -> HttpResponse:
    """What `?query=` names (or `q`): workflows by name or title, runs and requests by id or business key, tasks, and
    people; the search of runs for what has fields.
    """
    who = request.principal
    text = request.GET.get("query") or request.GET.get("q") or request.GET.get("filter") or ""
    text = text.replace("\x00", "").strip()[:SEARCH_CHARACTERS]
    return JsonResponse({"results": list(_results(who, text)) if text else []})


def _results(who: Principal, text: str) -> Iterator[Find]:
    reads_runs = RUNS_READ in who.scopes
    try:
        clauses = parse(text, GRAMMAR)
    except NotUnderstood as fault:
        yield from _plain(who, text)
        if reads_runs:
            yield _search(text, str(fault))
        return
    if any(len(clause) > 1 or clause[0].name or clause[0].is_not for clause in clauses):
        if reads_runs:
            yield _search(text, "Search in the runs")
        return
    yield from _plain(who, " ".join(clause[0].value for clause in clauses))


def _plain(who: Principal, text: str) -> Iterator[Find]:
    if RUNS_READ in who.scopes:
        yield from _runs(who, text)
    if WORKFLOWS_READ in who.scopes:
        yield from _workflows(who, text)
    yield from _requests(who, text)
    for finder in FINDERS:
        yield from finder(who, text)
    if RUNS_READ in who.scopes:
        yield from _people(who, text)


def _search(text: str, about: str) -> Find:
    return {"name": visible(text), "about": about, "url": f"{reverse('runs')}?{urlencode({'q': text})}"}


def _runs(who: Principal, text: str) -> Iterator[Find]:
    """The run of this id, and those whose business keys begin so."""
    ids = []
    if (run_id := _as_uuid(text)) and queries.find_readable(who, run_id):
        ids.append(run_id)
    of_key = of_key_begun(readable_runs(who).filter(is_test=False, is_part=False), text, FEW)
    ids += [run for run in of_key if run not in ids]
    for row in run_rows(who.tenant_id, ids, NOTHING) if ids else ():
        about = f"Run · {row['business_key'] or row['id']}, {row['status'].lower().replace('_', ' ')}"
        yield {
            "name": visible(titles.title_of(row["workflow"])),
            "about": visible(about),
            "url": reverse("run", args=[row["id"]]),
        }


def _workflows(who: Principal, text: str) -> Iterator[Find]:
    for workflow in list_workflows(who, q=text).order_by(_how_near(text), "-id")[:FOUND]:
        yield {
            "name": visible(workflow.title or workflow.name),
            "about": f"Workflow · {workflow.name}" if workflow.title else "Workflow",
            "url": reverse("workflow", args=[workflow.name]),
        }


def _requests(who: Principal, text: str) -> Iterator[Find]:
    """Their own requests by how the business key begins."""
    own = requests.own_runs(who)
    runs = list(own.filter(pk__in=of_key_begun(own, text, FEW)).order_by("-id"))
    for row in requests.request_rows(who, runs) if runs else ():
        yield {
            "name": visible(row["title"]),
            "about": visible(f"Your request · {row['business_key']}, {row['status']}"),
            "url": reverse("request", args=[row["id"]]),
        }


def _people(who: Principal, text: str) -> Iterator[Find]:
    for member in members_of(who.tenant_id, text).order_by("user__username")[:FEW]:
        username = member.user.username
        yield {
            "name": visible(called(member.user)),
            "about": visible(f"Person · the runs that {username} started"),
            "url": f"{reverse('runs')}?{urlencode({'q': f'by:{quoted(username)}'})}",
        }


def _how_near(text: str) -> Case:
    """What is called exactly so comes first, then what begins so."""
    return Case(
        When(Q(name__iexact=text) | Q(title__iexact=text), then=0),
        When(Q(name__istartswith=text) | Q(title__istartswith=text), then=1),
        default=2,
    )


def _as_uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
