"""What leads from step to step in a compiled graph: edges, the joins that count them, and the order that they give."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from engine.expressions import Expression, compile_expression
from engine.ports import EdgeKind, kind_of
from engine.timers import BoundaryTimer


@dataclass(frozen=True, slots=True)
class Edge:
    """One edge; `index` is its place in the definition."""

    index: int
    source: str
    target: str
    kind: EdgeKind
    branch: str | None = None
    when: Expression | None = None


@dataclass(frozen=True, slots=True)
class Join:
    """When a node with several predecessors is decided: `need` of them, `least` taken for `any` and `n_of`.

    `gives_up`: it is skipped as soon as it can't fire any more, whatever still runs before it (the first rules).
    """

    mode: Literal["any_taken", "all", "any", "n_of"]
    need: int
    least: int = 1
    gives_up: bool = False

    @property
    def is_strict(self) -> bool:
        """Whether it may be skipped although an edge into it was taken."""
        return self.mode in ("all", "n_of")

    @property
    def fires_early(self) -> bool:
        """Whether steps before it may go on when it is decided: it doesn't wait for all of its edges."""
        return self.mode in ("any", "n_of") or (self.mode == "all" and self.gives_up)

    def verdict(self, arrived: int, taken: int) -> Literal["run", "skip"] | None:
        """What `arrived` resolved edges, `taken` of them taken, mean; None = not yet."""
        least = self.need if self.mode == "all" else self.least
        if self.mode != "any_taken" and taken >= least:
            return "run"
        if self.gives_up and self.is_strict and arrived - taken > self.need - least:
            return "skip"
        if arrived < self.need:
            return None
        return "run" if taken >= least else "skip"

    def contributors(self, sources: Sequence[str]) -> Sequence[str]:
        """The sources whose outputs it is given: of `any` and `n_of` those that decided it, in their order."""
        return sources[: self.least] if self.mode in ("any", "n_of") else sources


def edge_of(index: int, raw: Mapping[str, Any]) -> Edge:
    """The edge of a definition at this place of it."""
    kind = kind_of(raw)
    when = compile_expression(raw["when"]) if kind == "when" else None
    branch = raw["branch"] if kind == "branch" else None
    return Edge(index, raw["from"], raw["to"], kind, branch, when)


def join_of(raw: Any, need: int, rules: int) -> Join:
    """How a node with `need` predecessors is decided, by its `join` and the rules of the version."""
    if isinstance(raw, Mapping):
        return Join("n_of", need, raw["n_of"], gives_up=rules < 2)
    return Join(raw or "any_taken", need, gives_up=rules < 2)


def topological(names: list[str], edges: list[Edge]) -> list[str]:
    """Names so that every edge points forward, ties as in the definition. Raises ValueError on a cycle."""
    waiting = {name: {edge.source for edge in edges if edge.target == name} for name in names}
    after: dict[str, list[str]] = {name: [] for name in names}
    for edge in edges:
        if edge.target not in after[edge.source]:
            after[edge.source].append(edge.target)
    ready = [name for name in names if not waiting[name]]
    order: list[str] = []
    for name in ready:
        order.append(name)
        for target in after[name]:
            waiting[target].discard(name)
            if not waiting[target]:
                ready.append(target)
    if len(order) < len(names):
        raise ValueError("the graph has a cycle")
    return order


def is_sink(leaving: Iterable[Edge], boundary: Iterable[BoundaryTimer], rules: int) -> bool:
    """Whether the run waits for a node that these edges leave: no success edge leads on from it.

    One that leads to where a timer leads while the node goes on doesn't count, but by the first rules.
    """
    reminders = {timer.target for timer in boundary if not timer.interrupting} if rules > 1 else ()
    return not any(edge.kind not in ("error", "timer") and edge.target not in reminders for edge in leaving)
