"""Pure: fixes of edges behind a step in which people choose (`engine.ports`)."""

from collections.abc import Mapping

from engine.ports import outcomes_of
from engine.problems import Problem
from lib.json import Json
from steps.catalogue import CATALOGUE
from workflows.checking.drafted import Draft, Found, near_one


def edge_without_outcome(draft: Draft, problem: Problem) -> Found:
    """The edge is taken by the first outcome that has none; of a body that names no edges they are named so."""
    edges, source = (draft.document or {})["edges"], problem.node
    leaving = {key: edge for key, edge in edges.items() if edge["from"] == source}
    entry = draft.edge(problem.field)
    bare = [key for key, edge in leaving.items() if not (edge.keys() - {"from", "to"})]
    key = entry[0] if entry else next(iter(bare), None)
    outcomes = _outcomes(draft, source)
    names = [edge.get("branch") for edge in leaving.values()]
    free = next((name for name in outcomes if name not in names), next(iter(outcomes), None))
    if key is None or free is None:
        return None
    return f"Take it when the outcome is {free}", [draft.put(("edges", key, "branch"), free)]


def unknown_outcome(draft: Draft, problem: Problem) -> Found:
    """The outcome that is called nearly so."""
    entry = draft.edge(problem.field)
    if entry is None:
        return None
    near = near_one(entry[1]["branch"], _outcomes(draft, problem.node))
    return (f"Use {near}", [draft.put(("edges", entry[0], "branch"), near)]) if near else None


def asks(step: Mapping[str, Json]) -> bool:
    """Whether people choose in this step of a document."""
    kind = step.get("type")
    return isinstance(kind, str) and kind in CATALOGUE and CATALOGUE[kind].asks_people


def _outcomes(draft: Draft, node: str | None) -> tuple[str, ...]:
    step = (draft.document or {})["nodes"].get(node, {})
    params = step.get("params")
    return (
        outcomes_of(CATALOGUE[step["type"]], params if isinstance(params, dict) else {}) or ()
        if asks(step)
        else ()
    )
