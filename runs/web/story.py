"""What happened to a run in sentences, as a view of it."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from accounts import pages, people
from accounts.access import PageRequest
from accounts.principal import Principal
from accounts.roles import RUNS_READ
from engine.catalogue import Json
from engine.graph import Graph
from lib.api.pagination import keyset_page
from runs.kernel import graphs
from runs.limits import INNER_PARTS, STORY_EVENTS
from runs.models import HistoryEvent
from runs.reading import places, queries
from runs.reading.story import TOLD_OF_BELOW, WAITS_OF_BELOW, Event, story
from runs.store import trees
from runs.store.trees import EventBelow

LINES = 200
_HIDDEN = "A step of another workflow"


def story_context(
    request: PageRequest, run: Mapping[str, Json], version_id: int, until: int | None = None
) -> dict[str, Any]:
    """The lines of a story that `cursor` asks for, up to the event `until`, and the ways to the other ones."""
    who, run_id = request.principal, UUID(run["id"])
    graph, above = graphs.shown(version_id).graph, len(run["place"])
    below = {event.id: event for event in _events_below(who, run_id, graph)}
    events = queries.story_events(who.tenant_id, run_id, below)
    event_page = keyset_page(
        events if until is None else events.filter(id__lte=until),
        request,
        keys=("id",),
        oldest_first=True,
        limit=LINES,
        cursor=request.GET.get("cursor") or None,
    )
    lines = story(
        _event_below(event, graph, above, below[event.id], who) if event.id in below else _event(event, graph)
        for event in event_page.rows
    )
    people.learn(who.tenant_id, [line.by for line in lines if line.by])
    is_cut = len(below) >= STORY_EVENTS
    return {"lines": lines, "is_cut": is_cut, "lines_below": len(below), **pages.neighbours(event_page)}


def _events_below(who: Principal, run_id: UUID, graph: Graph) -> list[EventBelow]:
    """What is told of the runs below, in one statement; none where steps begin no runs."""
    if not graph.begins_runs:
        return []
    return trees.events_below(
        who.tenant_id,
        str(run_id),
        types=TOLD_OF_BELOW,
        kinds=WAITS_OF_BELOW,
        most=STORY_EVENTS,
        most_runs=INNER_PARTS,
    )


def _event(event: HistoryEvent, graph: Graph) -> Event:
    node = graph.steps.get(event.node or "")
    title = (node.title if node is not None else "") or event.node or ""
    return Event(event.type, title, event.attempt, event.payload or {}, event.created_at, event.node)


def _event_below(event: HistoryEvent, graph: Graph, above: int, below: EventBelow, who: Principal) -> Event:
    """An event of a run below, at the step of this run that leads there."""
    place = [{"node": node, "index": index} for node, index in below.place[above:]]
    is_hidden = not who.may_in(RUNS_READ, below.folder)
    own = _event(event, graphs.shown(below.version_id).graph)
    at_step = below.place[above:]
    return Event(
        own.type,
        _HIDDEN if is_hidden else own.title,
        own.attempt,
        own.payload,
        own.at,
        at_step[0][0] if at_step else None,
        places.in_words(places.titled(graph, place)),
        is_hidden,
    )
