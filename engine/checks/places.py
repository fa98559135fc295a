"""Where expressions stand in a definition, and what may be read there."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from engine.bodies import bodies_of
from engine.catalogue import BODY, Json, Keys
from engine.checks.flow import Flow
from engine.checks.outline import Outline, OutlineEdge, OutlineNode
from engine.holes import field_at
from engine.typed_texts import FACTS

ALWAYS = frozenset({"input", "steps", "run", "vars", "context"})
IN_STEP = ALWAYS | {"prev"}
IN_EDGE = ALWAYS | {"prev", "output", "error"}
OF_BODY = frozenset({"item", "index"})
"""What a container's body sees beside what its steps see."""
OF_ROUND = frozenset({"output", "iteration"})
"""What the condition of a loop sees beside that."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an expression stands and what may be read there. `possible`, `certain`: steps, as masks of the flow.

    `labels`: of a text that may read the facts of its step, their labels; None where only a run knows them.
    """

    field: str
    node: str | None
    names: frozenset[str]
    possible: int
    certain: int
    labels: frozenset[str] | None = None


class Places:
    """The places of a definition; with a cycle, every step is taken as there."""

    def __init__(self, outline: Outline, flow: Flow) -> None:
        self.flow = flow
        self._knows_paths = flow.is_small
        self._all = (1 << len(flow.order)) - 1
        self._outline = outline
        self._outside: frozenset[str] = outline.outer.names if outline.outer else frozenset()

    def business_key(self) -> Place:
        """A run's business key: no step has run yet."""
        return Place("business_key", None, frozenset({"input"}), 0, 0)

    def step(self, item: OutlineNode, key: Literal["input", "params"]) -> Place:
        """The params of a node, or the mapping of its input; texts among the params are places of their own."""
        return Place(f"{item.field}.{key}", item.id, IN_STEP | self._outside, *self._masks(item))

    @cached_property
    def texts(self) -> Mapping[str, Place]:
        """The texts of steps that ask people, by field: they are rendered anew in each round, and may read the facts
        of their step.
        """
        return {place.field: place for item in self._outline.nodes for place in self._texts_of(item)}

    def _texts_of(self, item: OutlineNode) -> Iterator[Place]:
        step = {"type": item.node.type if item.has_type else None, "params": item.node.params}
        steps = [(self.step(item, "params"), step)]
        for field, body in bodies_of(step, self._outline.catalogue, item.field):
            steps.append((replace(self.body(item), field=f"{field}.params"), dict(body)))
        for place, one in steps:
            spec, params = self._outline.catalogue.get(str(one.get("type"))), one.get("params")
            if spec is None or not spec.asks_people or not isinstance(params, Mapping):
                continue
            names, labels = place.names | {FACTS}, _labels(params.get(FACTS))
            for keys in _texts(params):
                yield replace(place, field=field_at(place.field, keys), names=names, labels=labels)

    def sets(self, item: OutlineNode) -> Place:
        """The variables that a node sets: it has an output itself."""
        before, certain = self._masks(item)
        own = self.flow.bits.get(item.id, 0)
        names = IN_STEP | self._outside | {"output"}
        return Place(f"{item.field}.set_vars", item.id, names, before | own, certain | own)

    def body(self, item: OutlineNode) -> Place:
        """What a container does for each item, of a single step."""
        names = IN_STEP | self._outside | OF_BODY
        return Place(f"{item.field}.params.{BODY}", item.id, names, *self._masks(item))

    def round(self, item: OutlineNode, param: str) -> Place:
        """Whether a loop goes on."""
        names = ALWAYS | self._outside | OF_ROUND
        return Place(f"{item.field}.params.{param}", item.id, names, *self._masks(item))

    def undo(self, item: OutlineNode) -> Place:
        """The params of what undoes a node: it has an output itself."""
        before, certain = self._masks(item)
        own = self.flow.bits.get(item.id, 0)
        return Place(
            f"{item.field}.compensate.params", item.id, IN_STEP | self._outside, before | own, certain | own
        )

    def edge(self, edge: OutlineEdge) -> Place:
        """The condition of an edge: its own source has ended."""
        return self.after(edge.edge.source, f"{edge.field}.when")

    def after(self, source: str, field: str) -> Place:
        """A condition on what leads away from a node, `source`."""
        item = self._outline.by_id.get(source)
        before, certain = self._masks(item) if item else (self._all, self._all)
        own = self.flow.bits.get(source, 0)
        return Place(field, source, IN_EDGE | self._outside, before | own, certain | own)

    def output(self) -> Place:
        """The output of the run: it has ended."""
        end = self.flow.certain_at_end if self._knows_paths else self._all
        return Place("output", None, ALWAYS, self._all, end)

    def result(self) -> Place:
        """What the requester of the run gets: it has ended, and what did not happen is left out."""
        return Place("request.result", None, ALWAYS, self._all, self._all)

    def _masks(self, item: OutlineNode) -> tuple[int, int]:
        if not self.flow.order:
            return self._all, self._all
        before = self.flow.before[item.id]
        return before, self.flow.certain[item.id] if self._knows_paths else before


def _texts(params: Mapping[str, Json]) -> list[Keys]:
    outcomes = params.get("outcomes")
    labels = [
        ("outcomes", at, "label") for at, _ in enumerate(outcomes if isinstance(outcomes, list) else ())
    ]
    return [("title",), ("instructions",), *labels]


def _labels(facts: Json) -> frozenset[str] | None:
    if isinstance(facts, Mapping):
        return frozenset(facts)
    return frozenset() if facts is None else None
