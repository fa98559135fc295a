"""What a join has counted, where runs are walked in memory. Pure; in the database a row counts (docs/engine.md)."""

from dataclasses import dataclass, field
from typing import NamedTuple

from engine.effects import Arrival
from engine.graph import Node


class Decided(NamedTuple):
    """What becomes of a join: whether its node runs, and whose outputs it is given, in the order of the graph."""

    runs: bool
    sources: tuple[str, ...]


@dataclass(slots=True)
class JoinState:
    """What a join row would say: the sources that arrived and those of them that were taken."""

    arrived: list[str] = field(default_factory=list)
    taken: list[str] = field(default_factory=list)
    fired: int = 0

    def count(self, node: Node, arrival: Arrival) -> Decided | None:
        """Count an edge into the node; what is decided by it, and None where it isn't, or was before."""
        self.arrived.append(arrival.source)
        if arrival.taken:
            self.taken.append(arrival.source)
        decision = node.join.verdict(len(self.arrived), len(self.taken))
        if self.fired or decision is None:
            return None
        self.fired += 1
        sources = node.join.contributors(self.taken)
        return Decided(decision == "run", tuple(name for name in node.predecessors if name in sources))
