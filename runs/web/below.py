"""Where a run stands in its tree, as its page shows it: what is above it, and what is below."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from accounts.principal import Principal
from accounts.roles import RUNS_READ
from engine.catalogue import Json
from engine.graph import Graph
from runs.kernel import graphs
from runs.limits import INNER_PARTS
from runs.reading import places
from runs.reading.run_view import RunView
from runs.reading.timeline import Inner
from runs.store import trees
from runs.store.trees import StepBelow
from runs.web.listing import brief_rows
from steps.catalogue import EXECUTABLE
from workflows import titles

_TAKE_TIME = [
    name
    for name, spec in EXECUTABLE.items()
    if spec.asks_people or (not spec.has_children and spec.kind != "wait")
]
"""The types of steps that people or machines take time for."""


@dataclass(frozen=True, slots=True)
class Crumb:
    """A run on the way from the root down, called by its workflow, or by the step of the one before that began it.

    `run`: empty where the reader may not read it.
    """

    run: str
    called: str
    index: int | None


def crumbs_of(principal: Principal, run: RunView) -> list[Crumb]:
    """The root of a run and the runs from there down to it; nothing of a run that no step started. One statement."""
    if run["parent_run"] is None:
        return []
    ancestors = trees.ancestors(principal.tenant_id, run["id"])
    readable = [principal.may_in(RUNS_READ, one.folder) for one in ancestors]
    root = graphs.shown(ancestors[0].version_id).workflow
    titles.learn(principal.tenant_id, [root])
    crumbs = [
        Crumb(ancestors[0].run, titles.title_of(root), None)
        if readable[0]
        else Crumb("", "Another run", None)
    ]
    for place, one in enumerate(ancestors[1:], 1):
        above = graphs.shown(ancestors[place - 1].version_id).graph if readable[place - 1] else None
        step = above.nodes.get(one.node or "") if above is not None else None
        called = step.title if step is not None else one.node or ""
        crumbs.append(Crumb(one.run if readable[place] else "", called, one.item))
    return crumbs


def waits_below(run: RunView, version: int) -> list[dict[str, Json]]:
    """What a run of this version waits for in the runs below it, each with the way there in words."""
    graph = graphs.shown(version).graph
    above = len(run["place"])
    below = []
    for wait in run["waits"]:
        if wait["run"] == run["id"]:
            continue
        way = places.titled(graph, wait["place"][above:])
        if way and way[-1]["node"] == wait["node"]:
            way[-1]["title"] = wait["title"]
        below.append({**wait, "way": places.in_words(way)})
    return below


def rows_below(principal: Principal, run: RunView, runs: Sequence[UUID | str]) -> list[dict[str, Json]]:
    """Runs that the steps of a run began, as rows of a list, each with what its step is called."""
    called = {step["node"]: step["title"] for step in run["steps"]}
    return [row | _step(row["place"], called) for row in brief_rows(principal, runs)]


def _step(place: Sequence[dict[str, Json]], called: dict[str, str]) -> dict[str, Json]:
    """The last step of a place, which began the run."""
    if not place:
        return {"step": "", "index": None}
    return {"step": called.get(place[-1]["node"], place[-1]["node"]), "index": place[-1]["index"]}


def steps_below(principal: Principal, run: RunView) -> list[StepBelow]:
    """The steps in the runs below a run for which machines or people took time; nothing where no step of it may have
    begun any. One statement.
    """
    if not any(may_begin_runs(step["type"]) and step["id"] for step in run["steps"]):
        return []
    return trees.spans_below(principal.tenant_id, run["id"], types=_TAKE_TIME, most=INNER_PARTS)


def may_begin_runs(step_type: str) -> bool:
    """Whether steps of this type may begin runs."""
    entry = EXECUTABLE.get(step_type)
    return entry is not None and (entry.begins_run or entry.collects is not None)


def lanes_below(principal: Principal, run: RunView, version: int, steps: Iterable[StepBelow]) -> list[Inner]:
    """The lanes of the steps below a run, of all items together, each below the step of the run that leads there."""
    graph, above = graphs.shown(version).graph, len(run["place"])
    lanes: dict[tuple[str, ...], Inner] = {}
    for step in steps:
        place = step.place[above:]
        key = (*(node for node, _ in place), step.node)
        if not place:
            continue
        if key not in lanes:
            lanes[key] = Inner(key[0], _called_below(principal, graph, step, key[:-1]), [])
        lanes[key].steps.append(step)
    return list(lanes.values())


def _called_below(principal: Principal, graph: Graph, step: StepBelow, nodes: Sequence[str]) -> str:
    """What a step below is called, with the steps that lead there from that of the run."""
    way = places.titled(graph, [{"node": node, "index": None} for node in nodes])[1:]
    if principal.may_in(RUNS_READ, step.folder):
        node = graphs.shown(step.version_id).graph.steps.get(step.node)
        way.append({"node": step.node, "index": None, "title": node.title if node else None})
    else:
        way.append({"node": step.node, "index": None, "title": None})
    return places.in_words(way)
