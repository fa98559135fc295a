"""The order in which what a tree of runs did is undone (R-134, R-139). Pure.

The content of a container (what its child runs did) is undone in the place of the container; content of a container
that did not complete comes first. A run undoes the last completed first, and so do the children of one container
together; with `"compensation": "parallel"` branches, and children, are undone at the same time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from engine.graph import Graph


@dataclass(slots=True)
class Entry:
    """One entry of a plan: the compensation of `node` in `run`; without a node the end of undoing in that run; without
    a run a barrier.

    `blocked`: how many other entries must be settled before; `releases`: the numbers of those that wait for this one.
    """

    run: str | None
    node: str | None
    blocked: int = 0
    releases: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Content:
    """The child runs of a container. `at`: when the container completed, in seconds; None where it did not."""

    at: float | None
    runs: Sequence["RunToUndo"]


@dataclass(frozen=True, slots=True)
class RunToUndo:
    """A run with something to undo: its completed steps that can be undone, by when they completed, and its containers.

    A container that is undone by a compensation of its own is one of the `steps`, and none of the `containers`.
    """

    id: str
    graph: Graph
    steps: Mapping[str, float]
    containers: Mapping[str, Content]


class _Key(NamedTuple):
    """What comes first when it is higher: what did not complete, then the time, then the place in the graph."""

    is_open: bool
    at: float
    rank: int


class _Atom(NamedTuple):
    """Entries that are undone as one: which of them begin it, and which must be settled before the next."""

    key: _Key
    first: Sequence[int]
    last: Sequence[int]


def undo_plan(run: RunToUndo) -> list[Entry]:
    """The entries that undo a run and its child runs, numbered by their place in the list; empty if nothing is to undo.

    `run` is the run that drives the plan: it ends when all are settled, so the end of it is no entry.
    """
    plan = _Plan()
    plan.in_sequence(plan.atoms(run))
    return plan.entries


class _Plan:
    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def atoms(self, run: RunToUndo) -> list[_Atom]:
        """What is undone of a run, the first first."""
        units: dict[str, _Atom] = {}
        for rank, name in enumerate(run.graph.nodes):
            if name in run.steps:
                entry = [self._add(run.id, name)]
                units[name] = _Atom(_Key(False, run.steps[name], rank), entry, entry)
            elif (content := run.containers.get(name)) and (atom := self._content(run.graph, content, rank)):
                units[name] = atom
        if not units:
            return []
        if run.graph.undoes_together:
            return [self._by_graph(run.graph, units)]
        return sorted(units.values(), key=attrgetter("key"), reverse=True)

    def in_sequence(self, atoms: Sequence[_Atom]) -> None:
        """Undo one after the other."""
        for before, after in pairwise(atoms):
            self._link(before.last, after.first)

    def _content(self, graph: Graph, content: Content, rank: int) -> _Atom | None:
        """What the children of a container did; None where nothing of it can be undone."""
        children = [atoms for run in content.runs if (atoms := self._ended(run.id, self.atoms(run)))]
        if not children:
            return None
        latest = max(atom.key.at for atoms in children for atom in atoms)
        key = _Key(True, latest, rank) if content.at is None else _Key(False, content.at, rank)
        if graph.undoes_together:
            for atoms in children:
                self.in_sequence(atoms)
            first = [entry for atoms in children for entry in atoms[0].first]
            return _Atom(key, first, [entry for atoms in children for entry in atoms[-1].last])
        # The last child first where two did something at the same moment; within a child its own order stands.
        merged = sorted(
            (atom for atoms in reversed(children) for atom in atoms),
            key=lambda atom: atom.key[:2],
            reverse=True,
        )
        self.in_sequence(merged)
        return _Atom(key, merged[0].first, merged[-1].last)

    def _ended(self, run: str, atoms: list[_Atom]) -> list[_Atom]:
        """The atoms of a child, of which the last also ends its undoing."""
        if not atoms:
            return []
        end = [self._add(run, None)]
        self._link(atoms[-1].last, end)
        return [*atoms[:-1], atoms[-1]._replace(last=end)]

    def _by_graph(self, graph: Graph, units: Mapping[str, _Atom]) -> _Atom:
        """Each as soon as nothing behind it in the graph is left to undo."""
        nearest: dict[str, set[str]] = {}
        blockers: set[str] = set()
        for node in reversed(list(graph.nodes.values())):
            behind: set[str] = set()
            for target in node.targets:
                behind |= {target} if target in units else nearest[target]
            nearest[node.id] = behind
            if node.id in units:
                blockers |= behind
                for name in sorted(behind):
                    self._link(units[name].last, units[node.id].first)
        free = [name for name in units if not nearest[name]]
        ends = [name for name in units if name not in blockers]
        return _Atom(
            max(unit.key for unit in units.values()),
            [entry for name in free for entry in units[name].first],
            [entry for name in ends for entry in units[name].last],
        )

    def _add(self, run: str | None, node: str | None) -> int:
        self.entries.append(Entry(run, node))
        return len(self.entries) - 1

    def _link(self, before: Sequence[int], after: Sequence[int]) -> None:
        """Have entries wait for others: through a barrier where both are several."""
        if len(before) > 1 and len(after) > 1:
            barrier = [self._add(None, None)]
            self._link(before, barrier)
            before = barrier
        for one in before:
            self.entries[one].releases.extend(after)
        for one in after:
            self.entries[one].blocked += len(before)
