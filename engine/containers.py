"""How a container gets through its children: how many may begin now, when it is over, and why it fails. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.catalogue import Json
from engine.errors import StepError, in_brief
from engine.expressions import Expression

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


def is_empty_loop(wait: Mapping[str, Any]) -> bool:
    """Whether a container is a loop of no rounds: it gives what its first round would have been given."""
    return "rounds" in wait and wait.get("count") == 0


def is_last_round(
    conditions: Mapping[str, Expression], output: Json, done: int, count: int | None, scope: Mapping[str, Any]
) -> bool:
    """Whether a loop ends after `done` rounds, the last of which gave `output`. Raises ExpressionError."""
    if count is not None and done >= count:
        return True
    scope = {**scope, "output": output, "iteration": done}
    goes_on, ends = conditions.get("while"), conditions.get("until")
    return bool((goes_on and not goes_on.is_true(scope)) or (ends and ends.is_true(scope)))


def items_failed(failed: int, total: int, first: tuple[int, Mapping[str, Json]] | None) -> StepError:
    """More items failed than are tolerated; `first`: place and error of the first one."""
    message = f"{failed} of {total} item{'' if total == 1 else 's'} failed"
    details: dict[str, Json] = {"failed": failed, "total": total}
    if first is not None:
        index, error = first
        message += f", the first of them (index {index}) with: {error.get('message')}"
        details["first"] = {"index": index, "error": error}
    return StepError("ItemsFailed", message, details=details)


def round_failed(done: int, error: Mapping[str, Json]) -> StepError:
    """The round of a loop failed, the `done`-th."""
    message = f"Round {done:,} (index {done - 1}) failed with: {error.get('message')}"
    return StepError("RoundFailed", message, details={"round": done, "error": in_brief(error)})


def too_many_rounds(done: int) -> StepError:
    """A loop did not end within its bound."""
    message = f"It hasn't ended after {done:,} rounds, as many as max_iterations allows."
    return StepError("TooManyRounds", message, details={"rounds": done})
