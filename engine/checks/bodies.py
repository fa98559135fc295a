"""What containers do for their items, judged as a definition within a definition."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from engine.bodies import edges_of
from engine.catalogue import BODY, Catalogue, Json
from engine.checks.flow import Flow
from engine.checks.nodes import params_problems
from engine.checks.outline import Outer, Outline, OutlineNode, did_you_mean, outline_of
from engine.checks.places import OF_BODY, Places
from engine.checks.variables import known_in
from engine.problems import Problem, error, quoted


@dataclass(frozen=True, slots=True)
class Inside:
    """The steps of a container as a definition of their own, and where they stand in the one around it."""

    outline: Outline
    field: str
    container: str
    names_edges: bool

    def in_place(self, problem: Problem) -> Problem:
        """A problem of it with the field at which it stands in the whole definition."""
        field = problem.field
        if field.startswith("nodes"):
            field = f"{self.field}.steps{field.removeprefix('nodes')}"
        elif field.startswith("edges") and not self.names_edges:
            field = f"{self.field}.steps"
        else:
            field = f"{self.field}.{field}" if field else self.field
        return replace(problem, field=field, node=problem.node or self.container)


def inside(outline: Outline, flow: Flow) -> Iterator[Inside]:
    """Of each container that has steps of its own these."""
    places, variables = Places(outline, flow), known_in(outline)
    for item, field, body in _bodies(outline):
        steps = body.get("steps")
        if not isinstance(steps, list) or not steps:
            continue
        named = all(isinstance(step, dict) and isinstance(step.get("id"), str) for step in steps)
        edges = body.get("edges") if body.get("edges") is not None or not named else edges_of(body)
        document = {"name": "body", "nodes": steps, "edges": edges}
        outer = _outer(outline, flow, places, item, variables)
        inner = outline_of(document, outline.catalogue, outline.limits, outer)
        yield Inside(inner, field, item.id, body.get("edges") is not None)


def single(outline: Outline) -> Iterator[Problem]:
    """Of each container that does one step for its items, what is wrong with that."""
    for item, field, body in _bodies(outline):
        kind = body.get("type")
        if not isinstance(kind, str):
            continue
        spec = outline.catalogue.get(kind)
        if spec is None:
            message = f"There is no step type {quoted(kind)}{did_you_mean(kind, outline.catalogue)}."
            yield error("unknown_type", f"{field}.type", message, item.id)
            continue
        params = body.get("params")
        yield from params_problems(
            spec, params if isinstance(params, dict) else {}, f"{field}.params", item.id
        )


def steps(nodes: Json, catalogue: Catalogue) -> Iterator[tuple[str, Json]]:
    """Every step of a list as it stands, and of the containers in it, however deep: where it is, and what it is."""
    lists = deque([("nodes", nodes)])
    while lists:
        field, raw = lists.popleft()
        for at, step in enumerate(raw if isinstance(raw, list) else ()):
            place = f"{field}[{at}]"
            yield place, step
            nested = _nested(place, step, catalogue)
            lists.extend((f"{where}.steps", body.get("steps")) for where, body in nested)


def ids(outline: Outline) -> Iterator[Problem]:
    """Every id once, in containers, too: expressions, pins and comments name a step by nothing else."""
    if outline.outer is not None:
        return
    first: dict[str, str] = {}
    for field, step in steps(outline.document.get("nodes"), outline.catalogue):
        id = step.get("id") if isinstance(step, dict) else None
        if not isinstance(id, str):
            continue
        other = first.setdefault(id, field)
        if other != field:
            message = f"{quoted(id)} is also the id of {other}: give each node its own id."
            yield error("duplicate_id", f"{field}.id", message, id)


def size(outline: Outline) -> Iterator[Problem]:
    """Not more steps than allowed, those of containers among them."""
    if outline.outer is not None:
        return
    count = sum(1 for _ in steps(outline.document.get("nodes"), outline.catalogue))
    if count > outline.limits.max_nodes:
        yield too_many_nodes(count, outline.limits.max_nodes)


def too_many_nodes(count: int, allowed: int) -> Problem:
    """The problem of a definition that is too large."""
    message = f"The definition has {count} nodes; {allowed} are allowed: split it into several workflows."
    return error("too_many_nodes", "nodes", message)


def _bodies(outline: Outline) -> Iterator[tuple[OutlineNode, str, Mapping[str, Json]]]:
    for item in outline.nodes:
        step = {"type": item.node.type if item.has_type else None, "params": item.node.params}
        for field, body in _nested(item.field, step, outline.catalogue):
            yield item, field, body


def _nested(place: str, step: Json, catalogue: Catalogue) -> Iterator[tuple[str, Mapping[str, Json]]]:
    """What a step at this place does for each child, and, where that is a container itself, what that one does."""
    while isinstance(step, dict) and isinstance(step.get("type"), str):
        spec = catalogue.get(step["type"])
        step = spec.body(step["params"]) if spec and isinstance(step.get("params"), dict) else None
        place = f"{place}.params.{BODY}"
        if isinstance(step, dict):
            yield place, step


def _outer(
    outline: Outline, flow: Flow, places: Places, item: OutlineNode, variables: frozenset[str] | None
) -> Outer:
    place = places.step(item, "params")
    around = outline.outer or Outer()

    def named(mask: int) -> Iterable[str]:
        return (name for name in outline.by_id if not flow.order or flow.bits[name] & mask)

    return Outer(
        names=around.names | OF_BODY,
        steps=around.steps | outline.by_id.keys(),
        possible=around.possible | frozenset(named(place.possible)),
        certain=around.certain | frozenset(named(place.certain)),
        variables=variables,
    )
