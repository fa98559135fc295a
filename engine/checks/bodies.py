"""What containers do for their items, judged as a definition within a definition."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from engine.bodies import OF_ONE_STEP, bodies_of, every_step, level_of
from engine.catalogue import Catalogue, Json
from engine.checks.flow import Flow
from engine.checks.nodes import params_problems, queues, times
from engine.checks.outline import Outer, Outline, OutlineNode, did_you_mean, outline_of
from engine.checks.places import OF_BODY, Places
from engine.checks.variables import known_in
from engine.holes import has_holes
from engine.problems import Problem, error, quoted

_PLACE = re.compile(r"`((?:nodes|edges)\[\d+\][^`]*)`")


@dataclass(frozen=True, slots=True)
class Inside:
    """The steps of a container as a definition of their own, and where they stand in the one around it."""

    outline: Outline
    field: str
    container: str
    names_edges: bool

    def in_place(self, problem: Problem) -> Problem:
        """A problem of it with the field at which it stands in the whole definition, as its message has it, too."""
        message = _PLACE.sub(lambda match: f"`{self._place(match[1])}`", problem.message)
        node = problem.node or self.container
        return replace(problem, field=self._place(problem.field), message=message, node=node)

    def _place(self, field: str) -> str:
        if field.startswith("nodes"):
            return f"{self.field}.steps{field.removeprefix('nodes')}"
        if field.startswith("edges") and not self.names_edges:
            return f"{self.field}.steps"
        return f"{self.field}.{field}" if field else self.field


def inside(outline: Outline, flow: Flow, *, holding: str | None = None) -> Iterator[Inside]:
    """Of each container that has steps of its own these; with `holding`, of those in which a step of that id is."""
    places, variables = Places(outline, flow), known_in(outline)
    for item, field, body in _bodies(outline):
        level = level_of(body)
        if level is None or (holding is not None and not _has(level["nodes"], holding, outline.catalogue)):
            continue
        document = {"name": "body", **level}
        outer = _outer(outline, flow, places, item, variables)
        inner = outline_of(document, outline.catalogue, outline.limits, outer)
        yield Inside(inner, field, item.id, body.get("edges") is not None)


def _has(steps: list[Json], id: str, catalogue: Catalogue) -> bool:
    return any(isinstance(step, dict) and step.get("id") == id for _, step in every_step(steps, catalogue))


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
        for name in OF_ONE_STEP:
            if has_holes(body.get(name)):
                message = f"{name} is the same for all items: it takes no expression."
                yield error("bad_params", f"{field}.{name}", message, item.id)
        alone = outline_of({"nodes": [{**body, "id": item.id}]}, outline.catalogue, outline.limits)
        for problem in (*times(alone), *queues(alone)):
            yield replace(problem, field=f"{field}{problem.field.removeprefix('nodes[0]')}")


def ids(outline: Outline) -> Iterator[Problem]:
    """Every id once, in containers, too: expressions, pins and comments name a step by nothing else."""
    if outline.outer is not None:
        return
    first: dict[str, str] = {}
    for field, step in every_step(outline.document.get("nodes"), outline.catalogue):
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
    count = sum(1 for _ in every_step(outline.document.get("nodes"), outline.catalogue))
    if count > outline.limits.max_nodes:
        yield too_many_nodes(count, outline.limits.max_nodes)


def too_many_nodes(count: int, allowed: int) -> Problem:
    """The problem of a definition that is too large."""
    message = f"The definition has {count} nodes; {allowed} are allowed: split it into several workflows."
    return error("too_many_nodes", "nodes", message)


def _bodies(outline: Outline) -> Iterator[tuple[OutlineNode, str, Mapping[str, Json]]]:
    for item in outline.nodes:
        step = {"type": item.node.type if item.has_type else None, "params": item.node.params}
        for field, body in bodies_of(step, outline.catalogue, item.field):
            yield item, field, body


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
