"""What containers do for their items, judged as a definition within a definition."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from engine.bodies import edges_of
from engine.catalogue import BODY, Json
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
    for item, body in _bodies(outline):
        steps = body.get("steps")
        if not isinstance(steps, list) or not steps:
            continue
        named = all(isinstance(step, dict) and isinstance(step.get("id"), str) for step in steps)
        edges = body.get("edges") if body.get("edges") is not None or not named else edges_of(body)
        document = {"name": "body", "nodes": steps, "edges": edges}
        outer = _outer(outline, flow, places, item, variables)
        inner = outline_of(document, outline.catalogue, outline.limits, outer)
        yield Inside(inner, f"{item.field}.params.{BODY}", item.id, body.get("edges") is not None)


def single(outline: Outline) -> Iterator[Problem]:
    """Of each container that does one step for its items, what is wrong with that."""
    for item, body in _bodies(outline):
        kind, field = body.get("type"), f"{item.field}.params.{BODY}"
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


def ids(outline: Outline) -> Iterator[Problem]:
    """No step within a container is called as one around it: expressions could mean either."""
    if outline.outer is None:
        return
    for item in outline.nodes:
        if item.id in outline.outer.steps:
            message = f"A step around it is called {quoted(item.id)} already: choose another id."
            yield error("duplicate_id", f"{item.field}.id", message, item.id)


def _bodies(outline: Outline) -> Iterator[tuple[OutlineNode, Mapping[str, Json]]]:
    for item in outline.nodes:
        body = item.spec.body(item.node.params or {}) if item.spec else None
        if isinstance(body, dict):
            yield item, body


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
