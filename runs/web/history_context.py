"""What the graph, the timeline and the story of a run show, and what is told of the step that is selected."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from urllib.parse import unquote
from uuid import UUID

from accounts import people
from accounts.access import PageRequest
from engine.catalogue import Json
from engine.graph import Graph
from engine.statuses import STEP_OPEN, StepStatus
from lib import markup
from lib.clock import now_here
from runs.kernel import graphs
from runs.limits import READ_EVENTS
from runs.reading.attempts import attempts_of
from runs.reading.event_replay import Extent, Happened, endings, steps_then, ways_taken
from runs.reading.events import RunHistory, extent_of, read_history
from runs.reading.pictures import picture_of
from runs.reading.rendered import has_params
from runs.reading.run_view import RunView
from runs.reading.step_logs import SaidOfAttempt, said_by
from runs.reading.stored import ONE_RUN, Bounds
from runs.reading.timeline import Inner, Timeline, timeline
from runs.store.trees import StepBelow
from runs.web import story
from runs.web.below import lanes_below, waits_below
from runs.web.contexts import is_ours, log_shown
from runs.web.inner import inner_shown
from runs.web.view_options import GRAPH, STORY, TIMELINE, TITLES, UNFOLDED, VIEWS, Look, inspected, number_of

Context = dict[str, Any]
BELOW_GRAPH = 12
"""The timeline of so many steps at most stands below the graph, too."""


def view_history(tenant: int, run_id: UUID, look: Look) -> RunHistory:
    """What happened to a run, to be read before it: what a page has seen must not be newer than what it shows."""
    if look.view == STORY and look.at is None:
        # It reads what it tells by itself.
        return extent_of(tenant, run_id)
    return read_history(tenant, run_id, is_marked=look.at is None)


def bounds_of(look: Look, history: RunHistory) -> Bounds:
    """What a view shows of a run's values: of a run whose steps are not all shown open those of the step that is
    selected, or that may be. In the past other steps may have been at work.
    """
    if look.at is not None or len(graphs.shown(history.version_id).graph.nodes) <= UNFOLDED:
        return ONE_RUN
    return replace(ONE_RUN, over=look.step or "")


def view_context(
    request: PageRequest, run: RunView, look: Look, history: RunHistory, below: Sequence[StepBelow]
) -> Context:
    """One view of a run, with the steps in the runs `below`; where an earlier event is asked for, `run` gets its steps
    as they were then.
    """
    tenant, run_id = request.principal.tenant_id, UUID(run["id"])
    events, end, version, mark = history
    total = end.events
    # What the last event left is the run as it is now.
    past = look.at if look.at is not None and 0 < look.at < total else None
    look = replace(look, at=past)
    if past is not None:
        run["steps"] = steps_then(run["steps"], events, past)
        events = events[:past]
        end = Extent(total, events[-1].id, events[-1].at)
    step = inspected(run["steps"], look)
    until = end.last if past is not None else None
    context: Context = {
        "look": look,
        "tabs": [(TITLES[view], look.address(view=view), view == look.view) for view in VIEWS],
        "selected": step,
        "nodes": json.dumps([step["node"] for step in run["steps"]]),
        "failing": json.dumps([step["node"] for step in run["steps"] if step["error"]]),
        "attempts": attempts_of(tenant, run_id, step["node"], until) if step and step["id"] else [],
        "logs": _logs(tenant, run_id, step, events[-1].at if past is not None else None),
        "has_params": step is not None and step["id"] is not None and has_params(version, step["node"]),
        "said_by_worker": step is not None and not is_ours(step["type"]),
        # Of what was in the past nothing is known of the steps now.
        "seen": f"{end.last}.{total}" if end.last and past is None else "",
        "mark": mark if past is None else "",
        "waits_below": waits_below(run, version),
        "scrubber": _scrubber(look, total, end.at),
    }
    if look.view == TIMELINE or (look.view == GRAPH and len(run["steps"]) <= BELOW_GRAPH):
        inner = lanes_below(request.principal, run, version, below)
        context["timeline"] = _timeline(run["steps"], events, graphs.shown(version).graph, past, inner)
    if look.view == GRAPH:
        ways = ways_taken(run["steps"], events)
        context["ways"] = {node: json.dumps(targets) for node, targets in ways.items()}
        context["inner"] = inner_shown(tenant, run_id, version, is_past=past is not None)
        context["known"] = _known(request, run["steps"], events, look, step)
        if not request.headers.get("HX-Request"):
            picture = picture_of(tenant, version)
            context["picture"] = picture and {**picture, "sprite": markup.sprite()}
    elif look.view == STORY:
        context |= story.story_context(request, run, version, until)
    people.learn(tenant, [attempt.by for attempt in context["attempts"] if attempt.by])
    return context


def _logs(
    tenant: int, run_id: UUID, step: Mapping[str, Json] | None, until: datetime | None
) -> list[SaidOfAttempt] | None:
    """What the attempts at a step have said; None where nobody can have said anything of it."""
    if step is None or not step["id"] or step["status"] == StepStatus.SKIPPED:
        return None
    return log_shown(step["type"], said_by(tenant, run_id, step["node"], until=until))


def _known(
    request: PageRequest,
    steps: Sequence[Mapping[str, Json]],
    events: Sequence[Happened],
    look: Look,
    selected_step: Mapping[str, Json] | None,
) -> set[str]:
    """The steps that the page, which says what it has seen, shows already as they are: it needs them no more.

    That is so of what is over, unless anything has happened to it since; the selected ones look different. Of two
    transactions the one whose events have the lower ids may be the later one: then there are more of these than it saw.
    """
    extent, _, selected = unquote(request.headers.get("Handoff-Seen", "")).partition(" ")
    last, _, count = extent.partition(".")
    seen = number_of(last)
    if seen is None or look.at is not None or len(events) == READ_EVENTS:
        return set()
    since = [event.node for event in events if event.id > seen]
    if None in since or len(events) - len(since) != number_of(count):
        return set()
    over = {step["node"] for step in steps if step["status"] not in STEP_OPEN}
    return over - {*since, selected, selected_step["node"] if selected_step else None}


def _scrubber(look: Look, total: int, at: datetime | None) -> Context:
    """Where one stands among the events of a run, and the addresses before and behind; no field is behind the last."""
    place = look.at or total
    return {
        "place": place,
        "total": total,
        "is_cut": total == READ_EVENTS,
        "at": at,
        "back": look.address(at=place - 1) if place > 1 else None,
        "forth": look.address(at=place + 1) if place + 1 < total else look.to_event,
        "is_past": look.at is not None,
    }


def _timeline(
    steps: Sequence[Mapping[str, Json]],
    events: Sequence[Happened],
    graph: Graph,
    past: int | None,
    inner: Sequence[Inner],
) -> Timeline | None:
    before = {node.id: node.predecessors for node in graph.nodes.values()}
    now = now_here() if past is None else events[-1].at
    return timeline(steps, endings(events), now, before, inner)
