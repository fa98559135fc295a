"""The graph of an outline: cycles, the longest chain, and whose output is there when a node runs."""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from engine.checks.outline import Outline, OutlineNode
from engine.definition import NOf
from engine.limits import FLOW_WORK


@dataclass(frozen=True, slots=True)
class Link:
    """The edges from one node to another as one. `sure`: taken whenever the source is completed."""

    source: str
    sure: bool


@dataclass
class Flow:
    """Who comes before whom. Sets of nodes are bit masks over `order`, which is empty if there is a cycle."""

    outline: Outline
    into: Mapping[str, tuple[Link, ...]] = field(init=False)
    after: Mapping[str, tuple[str, ...]] = field(init=False)

    def __post_init__(self) -> None:
        links: dict[tuple[str, str], bool] = {}
        for source, target, sure in _arrows(self.outline):
            links[source, target] = links.get((source, target), False) or sure
        into: dict[str, list[Link]] = {node: [] for node in self.outline.by_id}
        after: dict[str, list[str]] = {node: [] for node in self.outline.by_id}
        for (source, target), sure in links.items():
            into[target].append(Link(source, sure))
            after[source].append(target)
        self.into = {node: tuple(sources) for node, sources in into.items()}
        self.after = {node: tuple(targets) for node, targets in after.items()}

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The nodes so that every edge points forward; empty if there is a cycle."""
        order = self._sorted()
        return tuple(order) if len(order) == len(self.into) else ()

    @cached_property
    def bits(self) -> Mapping[str, int]:
        """Each node's bit in the masks."""
        return {node: 1 << at for at, node in enumerate(self.order)}

    @cached_property
    def before(self) -> Mapping[str, int]:
        """Each node's ancestors."""
        masks: dict[str, int] = {}
        for node in self.order:
            mask = 0
            for link in self.into[node]:
                mask |= masks[link.source] | self.bits[link.source]
            masks[node] = mask
        return masks

    @cached_property
    def certain(self) -> Mapping[str, int]:
        """Per node: the ancestors that have an output whenever it runs (docs/engine.md, "Semantics")."""
        sure_masks: dict[str, int] = {}
        for node in self.order:
            masks = [sure_masks[link.source] | self.bits[link.source] for link in self.into[node]]
            join = self.outline.by_id[node].node.join
            mask = at_least(masks, enough(join, len(masks)))
            waits_for_all = join in (None, "any_taken", "all")
            sure_masks[node] = self._closure(mask, self.before[node]) if waits_for_all else mask
        return sure_masks

    @cached_property
    def certain_at_end(self) -> int:
        """The nodes that have an output whenever the run completes."""
        return self._closure(0, (1 << len(self.order)) - 1)

    @property
    def is_small(self) -> bool:
        """Whether `certain` is worth its time; it is for every definition within the limits."""
        links = sum(len(links_into) for links_into in self.into.values())
        return len(self.order) * max(links, 1) <= FLOW_WORK

    def cycles(self) -> list[list[str]]:
        """Cycles without a common node, at most ten, each as a path that ends where it began."""
        nodes = set(self.into) - set(self._sorted())
        cycles: list[list[str]] = []
        while nodes and len(cycles) < 10:
            cycle = self._cycle_in(nodes)
            cycles.append(cycle)
            nodes -= set(cycle)
            nodes = self._trimmed(nodes)
        return cycles

    def longest_chain(self) -> list[str]:
        """The nodes of a longest path."""
        best: dict[str, str | None] = {}
        length: dict[str, int] = {}
        for node in self.order:
            source = max((link.source for link in self.into[node]), key=length.__getitem__, default=None)
            best[node], length[node] = source, 1 + (length[source] if source else 0)
        chain: list[str] = []
        here = max(length, key=length.__getitem__, default=None)
        while here is not None:
            chain.append(here)
            here = best[here]
        return chain[::-1]

    def _sorted(self) -> list[str]:
        waiting = {node: len(links) for node, links in self.into.items()}
        ready = deque(node for node, count in waiting.items() if not count)
        order: list[str] = []
        while ready:
            node = ready.popleft()
            order.append(node)
            for target in self.after[node]:
                waiting[target] -= 1
                if not waiting[target]:
                    ready.append(target)
        return order

    def _cycle_in(self, nodes: set[str]) -> list[str]:
        # Each node that is left has a predecessor that is left, so going backwards must come round.
        here = next(node for node in self.into if node in nodes)
        places: dict[str, int] = {}
        while here not in places:
            places[here] = len(places)
            here = next(link.source for link in self.into[here] if link.source in nodes)
        cycle = list(places)[places[here] :][::-1]
        first = min(range(len(cycle)), key=lambda at: self.outline.by_id[cycle[at]].index)
        return [*cycle[first:], *cycle[:first], cycle[first]]

    def _trimmed(self, nodes: set[str]) -> set[str]:
        while True:
            loose = {node for node in nodes if not any(link.source in nodes for link in self.into[node])}
            if not loose:
                return nodes
            nodes = nodes - loose

    def _closure(self, mask: int, among: int) -> int:
        """`mask` and what must have run as well, when every node of `among` is decided."""
        missing = among & ~mask
        while missing:
            # The lowest bit is the first in order.
            bit = missing & -missing
            missing ^= bit
            node = self.order[bit.bit_length() - 1]
            links = self.into[node]
            sure = sum(1 for link in links if link.sure and mask & self.bits[link.source])
            if not links or sure >= needed(self.outline.by_id[node].node.join, len(links)):
                mask |= bit
        return mask


def _arrows(outline: Outline) -> Iterable[tuple[str, str, bool]]:
    """(source, target, sure) of every edge and boundary timer between known nodes."""
    for item in outline.edges:
        source, target = item.edge.source, item.edge.target
        if source in outline.by_id and target in outline.by_id:
            sure = not item.edge.is_conditional and not may_leave(outline.by_id[source])
            yield source, target, sure
    for node in outline.by_id.values():
        for timer in node.node.boundary_timers or ():
            if timer.to in outline.by_id:
                yield node.id, timer.to, False


def may_leave(item: OutlineNode) -> bool:
    """Whether the success edges of a node may be dead although the run goes on."""
    interrupted = any(timer.interrupting is not False for timer in item.node.boundary_timers or ())
    return item.on_error == "branch" or interrupted


def enough(join: object, count: int) -> int:
    """How many incoming edges are taken at least when the node runs."""
    if isinstance(join, NOf):
        return min(join.n_of, count)
    return count if join == "all" else min(1, count)


def needed(join: object, count: int) -> int:
    """How many taken edges make the node run."""
    if isinstance(join, NOf):
        return join.n_of
    return count if join == "all" else 1


def at_least(masks: list[int], number: int) -> int:
    """The bits that every choice of `number` masks covers: fewer than `number` masks are without them."""
    if not masks:
        return 0
    if number == 1:
        common = masks[0]
        for mask in masks[1:]:
            common &= mask
        return common
    result, union = 0, 0
    for mask in masks:
        union |= mask
    while union:
        bit = union & -union
        union ^= bit
        if sum(1 for mask in masks if not mask & bit) < number:
            result |= bit
    return result
