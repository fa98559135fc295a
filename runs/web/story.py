"""The page that tells what happened to a run in sentences."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse

from accounts import pages, people
from accounts.access import PageRequest, page
from accounts.roles import RUNS_READ
from engine.graph import Graph
from lib.api.pagination import keyset_page
from runs.kernel import graphs
from runs.models import HistoryEvent
from runs.reading import queries
from runs.reading.presentation import found_run
from runs.reading.stored import NOTHING
from runs.reading.story import Event, story
from runs.web import contexts

LINES = 200


@page(RUNS_READ)
def story_page(request: PageRequest, run_id: UUID) -> HttpResponse:
    """The events of a run as sentences, the first one first; the page follows while the run goes on."""
    tenant = request.principal.tenant_id
    run = found_run(tenant, run_id, NOTHING)
    context = {
        "run": run,
        "follows": run["completed_at"] is None,
        **story_context(request, run_id, queries.version_of(tenant, run_id)),
    }
    return contexts.following(request, "runs/story.html", "runs/_story.html", context)


def story_context(
    request: PageRequest, run_id: UUID, version_id: int, until: int | None = None
) -> dict[str, Any]:
    """The lines of a story that `cursor` asks for, up to the event `until`, and the ways to the other ones."""
    tenant = request.principal.tenant_id
    graph = graphs.shown(version_id).graph
    told = queries.told_of(tenant, run_id)
    shown = keyset_page(
        told if until is None else told.filter(id__lte=until),
        request,
        keys=("id",),
        oldest_first=True,
        limit=LINES,
        cursor=request.GET.get("cursor") or None,
    )
    lines = story(_event(event, graph) for event in shown.rows)
    people.learn(tenant, [line.by for line in lines if line.by])
    return {"lines": lines, **pages.neighbours(shown)}


def _event(event: HistoryEvent, graph: Graph) -> Event:
    node = graph.steps.get(event.node or "")
    title = (node.title if node is not None else "") or event.node or ""
    return Event(event.type, title, event.attempt, event.payload or {}, event.created_at, event.node)
