"""Whether the edges into a join can be taken together, by the structure of the graph: no condition is evaluated.

Branches of one step exclude one another, as do the edges of a decision, a default edge and what it stands in for, and
success, failure and an interrupting timer (docs/definitions.md).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations

from engine.checks.flow import Flow, Link, at_least, enough, may_leave, needed
from engine.checks.outline import Outline, OutlineEdge
from engine.definition import NOf
from engine.limits import WARNING_WORK
from engine.problems import Problem, error, quoted, warning

Way = tuple[str, object]
"""How an edge leaves its step: the kind, and which one of its kind."""
Atom = tuple[str, frozenset[Way]]
"""Something that may happen or not: a step goes on by one of these ways."""

RING: Way = ("ring", None)


@dataclass
class Exclusion:
    """What must have happened for each edge to be taken, as bit masks over the atoms of the graph."""

    outline: Outline
    flow: Flow
    atoms: dict[Atom, int] = field(default_factory=dict)
    against: dict[int, int] = field(default_factory=dict)
    ways: dict[tuple[str, str], set[Way]] = field(default_factory=dict)
    wanted: dict[tuple[str, str], int] = field(default_factory=dict)
    barred: dict[tuple[str, str], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for item in self.outline.edges:
            if (edge := item.edge).source in self.outline.by_id:
                self.ways.setdefault((edge.source, edge.target), set()).add(self._way(item))
        for node in self.outline.nodes:
            for timer in node.node.boundary_timers or ():
                way = RING if timer.interrupting is False else ("timer", timer.to)
                self.ways.setdefault((node.id, timer.to), set()).add(way)
        own = {link: self._own(*link) for link in self.ways}
        by_step: dict[str, list[Atom]] = {}
        for atom in self.atoms:
            by_step.setdefault(atom[0], []).append(atom)
        for atoms in by_step.values():
            for one, other in combinations(atoms, 2):
                if all(_excludes(a, b) for a in one[1] for b in other[1]):
                    a, b = self.atoms[one], self.atoms[other]
                    self.against[a] = self.against.get(a, 0) | b
                    self.against[b] = self.against.get(b, 0) | a
        must: dict[str, int] = {}
        bars: dict[str, int] = {}
        for name in self.flow.order:
            links = [(link.source, name) for link in self.flow.into[name]]
            for link in links:
                self.wanted[link] = must[link[0]] | own[link]
                self.barred[link] = bars[link[0]] | self._bars(own[link])
            masks = [self.wanted[link] for link in links]
            must[name] = at_least(masks, enough(self.outline.by_id[name].node.join, len(masks)))
            bars[name] = self._bars(must[name])

    def _way(self, item: OutlineEdge) -> Way:
        edge, source = item.edge, self.outline.by_id[item.edge.source]
        if edge.on:
            return "error", None
        if edge.default:
            return "default", None
        if source.decides:
            return "first", item.index
        if edge.branch:
            return "branch", edge.branch
        return ("when", item.index) if edge.when else ("success", None)

    def _own(self, source: str, target: str) -> int:
        """The atoms of an edge: none where it is taken whenever its step ends well, and nothing else can happen."""
        ways = frozenset(self.ways[source, target])
        leaves = may_leave(self.outline.by_id[source])
        mask = 0
        if ("success", None) not in ways or leaves:
            mask |= self._bit((source, ways))
        if leaves and not ways & {("error", None), RING} and all(kind != "timer" for kind, _ in ways):
            mask |= self._bit((source, frozenset({("success", None)})))
        return mask

    def _bit(self, atom: Atom) -> int:
        return self.atoms.setdefault(atom, 1 << len(self.atoms))

    def _bars(self, mask: int) -> int:
        """The atoms that one of these excludes."""
        bars = 0
        while mask:
            bit = mask & -mask
            mask ^= bit
            bars |= self.against.get(bit, 0)
        return bars

    def _exclude(self, one: tuple[str, str], other: tuple[str, str]) -> bool:
        return bool(self.barred[one] & self.wanted[other])

    def exclusive_pair(self, name: str) -> tuple[str, str] | None:
        """Two edges into a node that are never taken together, by their sources."""
        # What can't be reached at all is told of where that comes from.
        links = [(link.source, name) for link in self.flow.into[name]]
        links = [link for link in links if not self._exclude(link, link)]
        pairs = ((one[0], other[0]) for one, other in combinations(links, 2) if self._exclude(one, other))
        return next(pairs, None)

    def at_most(self, name: str) -> int:
        """No more edges into a node than this are taken together."""
        groups: list[list[tuple[str, str]]] = []
        for source in (link.source for link in self.flow.into[name]):
            link = source, name
            group = next((one for one in groups if all(self._exclude(link, each) for each in one)), None)
            if group is None:
                groups.append([link])
            else:
                group.append(link)
        return len(groups)

    def uncertain_pair(self, name: str) -> tuple[str, str] | None:
        """Two edges into a node of which the second may be left out when the first is taken, by their sources."""
        links = self.flow.into[name]
        for first in links:
            mask = self.wanted[first.source, name]
            done = self._implied(name, first, mask)
            for other in links:
                if not (done & self.flow.bits[other.source] and self._is_sure(other, name, mask)):
                    return first.source, other.source
        return None

    def _is_sure(self, link: Link, target: str, mask: int) -> bool:
        own = self.atoms.get((link.source, frozenset(self.ways[link.source, target])), 0)
        return link.sure or bool(own & mask)

    def _implied(self, name: str, given: Link, mask: int) -> int:
        """The nodes before `name` that have run when the edge `given` into it is taken."""
        flow, done = self.flow, self.flow.bits[given.source] | self.flow.certain[given.source]
        for node in flow.order:
            if flow.bits[node] & flow.before[name] and not done & flow.bits[node]:
                links = flow.into[node]
                sure = sum(
                    1 for link in links if done & flow.bits[link.source] and self._is_sure(link, node, mask)
                )
                if not links or sure >= needed(self.outline.by_id[node].node.join, len(links)):
                    done |= flow.bits[node]
        return done


def _excludes(one: Way, other: Way) -> bool:
    """Whether a step goes on by at most one of two ways."""
    kinds = {one[0], other[0]}
    if one == other or "ring" in kinds:
        return False
    if kinds & {"error", "timer", "first"} or kinds == {"branch"}:
        return True
    return "default" in kinds and "success" not in kinds


def strict_joins(outline: Outline, flow: Flow) -> Iterator[Problem]:
    """The edges that an `all` or `n_of` join waits for can be taken together."""
    strict = [item for item in outline.nodes if item.node.join == "all" or isinstance(item.node.join, NOf)]
    if not strict or not flow.order or not flow.is_small:
        return
    exclusion = Exclusion(outline, flow)
    edges = sum(len(links) for links in flow.into.values())
    warns = edges * sum(len(flow.into[item.id]) for item in strict) <= WARNING_WORK
    for item in strict:
        join, count = item.node.join, len(flow.into[item.id])
        if isinstance(join, NOf):
            most = exclusion.at_most(item.id)
            if most < join.n_of <= count:
                message = f"{quoted(item.id)} waits for {join.n_of} of its connections, but at most {most} of them are "
                message += "ever taken together: lower n_of."
                yield error("join_never_fires", f"{item.field}.join.n_of", message, item.id)
        elif pair := exclusion.exclusive_pair(item.id):
            one, other = map(quoted, pair)
            message = f"{quoted(item.id)} waits for all of its connections, but those from {one} and {other} are never "
            message += (
                "taken together: leave `join` out, and it starts once it is known which of them are taken."
            )
            yield error("join_never_fires", f"{item.field}.join", message, item.id)
        elif warns and (pair := exclusion.uncertain_pair(item.id)):
            one, other = map(quoted, pair)
            message = (
                f"{quoted(item.id)} waits for all of its connections, but that from {other} may not be taken "
            )
            message += (
                f"when that from {one} is: then it is skipped. Leave `join` out if it is to start anyway."
            )
            yield warning("join_may_not_fire", f"{item.field}.join", message, item.id)
