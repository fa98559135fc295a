"""How a container gets through its children: how many may begin now, and when it is over. Pure."""

from dataclasses import dataclass

SLICE = 1_000
"""So many children begin in one transaction at most."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Where a container is: of `total` children so many have begun (`opened`), are over (`ended`), and failed."""

    total: int
    at_once: int
    tolerated: int
    opened: int
    ended: int
    failed: int

    @property
    def has_failed(self) -> bool:
        """Whether more of its children failed than it tolerates."""
        return self.failed > self.tolerated

    @property
    def is_over(self) -> bool:
        """Whether nothing of what its children do counts any more, or all of them are over."""
        return self.has_failed or self.ended >= self.total

    @property
    def to_open(self) -> int:
        """How many children may begin now: no more than `at_once` are open at a time."""
        if self.is_over:
            return 0
        room = self.at_once - (self.opened - self.ended)
        return max(0, min(room, self.total - self.opened, SLICE))
