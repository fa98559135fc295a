"""A document as the rules see it: typed where it has the right shape, and usable where it has not."""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from pydantic import ValidationError

from engine.catalogue import Catalogue, Json, OnError, StepSpec
from engine.definition import Edge, Node, Shape
from engine.limits import WORKFLOW_NODES
from engine.ports import outcomes_of
from engine.problems import shape_problems
from engine.step_titles import title_of
from engine.work import DEFINITION_UNITS

AnyShape = TypeVar("AnyShape", bound=Shape)


@dataclass(frozen=True, slots=True)
class Limits:
    """How large a definition may be (R-013)."""

    max_nodes: int = WORKFLOW_NODES
    max_chain: int = 200
    units: int = DEFINITION_UNITS


@dataclass(frozen=True)
class OutlineNode:
    """A node with a readable id; `node` holds its fields that have the right shape. `spec`: None if unknown.

    Without a type (`has_type`) that of `node` says nothing.
    """

    index: int
    id: str
    field: str
    node: Node
    spec: StepSpec | None
    has_type: bool

    @property
    def title(self) -> str:
        """What it is called, as `engine.step_titles` has it."""
        return title_of(self.node.title, self.id, self.node.type if self.has_type else None, self.spec)

    @property
    def decides(self) -> bool:
        """Whether the edges after it decide, as far as its type is known."""
        return self.spec is not None and self.spec.decides

    @cached_property
    def gives(self) -> dict[str, Json] | None:
        """The schema of what it gives, as far as its type is known: many steps and expressions ask for it."""
        return None if self.spec is None else self.spec.output_schema(self.node.params or {})

    @cached_property
    def has_bad_params(self) -> bool:
        """Whether the params would be refused; then nothing can be said of the output either."""
        try:
            if self.spec is not None:
                self.spec.params_model.model_validate(self.node.params or {})
        except ValidationError as failure:
            return any(shape_problems(failure, self.node.params or {}, "", code="bad_params", holes=True))
        return self.spec is None

    @cached_property
    def outcomes(self) -> tuple[str, ...] | None:
        """Its outcomes (`engine.ports.outcomes_of`), as far as its type is known."""
        return None if self.spec is None else outcomes_of(self.spec, self.node.params or {})

    @property
    def on_error(self) -> OnError:
        """What its failure means: as it says itself, or as its type has it with these params."""
        rule = self.node.on_error
        if rule == "ask":
            # Left as it is, it fails the run.
            return "fail"
        if rule or self.spec is None:
            return rule or "fail"
        return self.spec.with_params(self.node.params or {}).on_error


@dataclass(frozen=True, slots=True)
class OutlineEdge:
    """An edge with readable ends."""

    index: int
    field: str
    edge: Edge


@dataclass(frozen=True, slots=True)
class Outer:
    """What the steps of a container see of what is around it: `names`, and of all the `steps` there those whose outputs
    can be there, or are there for `certain`. `variables`: those that some step sets; None where workers set any.
    """

    names: frozenset[str] = frozenset()
    steps: frozenset[str] = frozenset()
    possible: frozenset[str] = frozenset()
    certain: frozenset[str] = frozenset()
    variables: frozenset[str] | None = frozenset()


@dataclass(frozen=True, slots=True)
class Outline:
    """What the rules work on. `by_id` holds the first node of each id; `outer`: of the steps of a container."""

    document: Mapping[str, Json]
    nodes: tuple[OutlineNode, ...]
    edges: tuple[OutlineEdge, ...]
    by_id: Mapping[str, OutlineNode]
    catalogue: Catalogue
    limits: Limits
    by_source: Mapping[str, list[OutlineEdge]]
    outer: Outer | None = None

    def leaving(self, node: OutlineNode) -> list[OutlineEdge]:
        """The edges from this node, in order."""
        return self.by_source.get(node.id, [])


def outline_of(
    document: Mapping[str, Json], catalogue: Catalogue, limits: Limits, outer: Outer | None = None
) -> Outline:
    """Read what can be read."""
    nodes = tuple(_outline_nodes(_list(document.get("nodes")), catalogue))
    edges = tuple(_outline_edges(_list(document.get("edges"))))
    by_id: dict[str, OutlineNode] = {}
    for node in nodes:
        by_id.setdefault(node.id, node)
    by_source: dict[str, list[OutlineEdge]] = {}
    for edge in edges:
        by_source.setdefault(edge.edge.source, []).append(edge)
    return Outline(document, nodes, edges, by_id, catalogue, limits, by_source, outer)


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """` (did you mean …?)` with the nearest known name, or nothing."""
    near = difflib.get_close_matches(name[:64], list(names), n=1)
    return f" (did you mean `{near[0]}`?)" if near else ""


def _outline_nodes(raw: list[Json], catalogue: Catalogue) -> Iterable[OutlineNode]:
    for index, item in enumerate(raw):
        if not isinstance(item, dict) or not isinstance(item.get("id"), str):
            continue
        # Only the shape of an id or type can be wrong here, and that is reported as such: the rest is still checked.
        kind = item.get("type")
        has_type = isinstance(kind, str) and kind != ""
        node = _salvaged(Node, {**item, "id": "_", "type": kind if has_type else "_"})
        if node is not None:
            spec = catalogue.get(node.type) if has_type else None
            yield OutlineNode(index, item["id"], f"nodes[{index}]", node, spec, has_type)


def _outline_edges(raw: list[Json]) -> Iterable[OutlineEdge]:
    for index, item in enumerate(raw):
        edge = _salvaged(Edge, item) if isinstance(item, dict) else None
        if edge is not None:
            yield OutlineEdge(index, f"edges[{index}]", edge)


def _salvaged(model: type[AnyShape], raw: Mapping[str, Json]) -> AnyShape | None:
    """`raw` as the model, without the fields that don't fit; None if those are needed."""
    try:
        return model.model_validate(raw)
    except ValidationError as failure:
        bad = {detail["loc"][0] for detail in failure.errors(include_url=False) if detail["loc"]}
    try:
        return model.model_validate({key: value for key, value in raw.items() if key not in bad})
    except ValidationError:
        return None


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []
