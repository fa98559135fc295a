"""What happened to a run in sentences, as a view of it."""

from typing import Any
from uuid import UUID

from accounts import pages, people
from accounts.access import PageRequest
from engine.graph import Graph
from lib.api.pagination import keyset_page
from runs.kernel import graphs
from runs.models import HistoryEvent
from runs.reading import queries
from runs.reading.story import Event, story

LINES = 200


def story_context(
    request: PageRequest, run_id: UUID, version_id: int, until: int | None = None
) -> dict[str, Any]:
    """The lines of a story that `cursor` asks for, up to the event `until`, and the ways to the other ones."""
    tenant = request.principal.tenant_id
    graph = graphs.shown(version_id).graph
    events = queries.story_events(tenant, run_id)
    event_page = keyset_page(
        events if until is None else events.filter(id__lte=until),
        request,
        keys=("id",),
        oldest_first=True,
        limit=LINES,
        cursor=request.GET.get("cursor") or None,
    )
    lines = story(_event(event, graph) for event in event_page.rows)
    people.learn(tenant, [line.by for line in lines if line.by])
    return {"lines": lines, **pages.neighbours(event_page)}


def _event(event: HistoryEvent, graph: Graph) -> Event:
    node = graph.steps.get(event.node or "")
    title = (node.title if node is not None else "") or event.node or ""
    return Event(event.type, title, event.attempt, event.payload or {}, event.created_at, event.node)
