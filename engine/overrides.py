"""What an operator or an earlier run says of nodes, instead of what the graph alone would do (R-051, R-075)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.catalogue import Json
from engine.outcomes import Outcome, output_of
from engine.statuses import StepStatus


@dataclass(frozen=True, slots=True)
class KeepResult:
    """The node has ended already, so it is not done again: its edges follow from `outcome`.

    Its `input` is the output of `input_from`, unless it is its `own`. `fired`: the boundary edges that were
    taken while it went on, each with what it carries. `row`: the step row that stands for it; without one, a row is
    made, with `status`, `cause` and what history says of it (`said`). `revision`: how often a person has changed what
    it, or something below it, was given.
    """

    outcome: Outcome
    status: StepStatus = StepStatus.COMPLETED
    input: Json = None
    input_from: str | None = None
    own: bool = False
    fired: Mapping[str, Json] = field(default_factory=dict)
    row: str | None = None
    cause: str | None = None
    said: Mapping[str, Json] = field(default_factory=dict)
    revision: int = 0


@dataclass(frozen=True, slots=True)
class RerunWith:
    """The node starts with this input, whatever its mapping or its predecessors say; `revision`: as in `KeepResult`."""

    input: Json
    revision: int = 1


@dataclass(frozen=True, slots=True)
class RestartWith:
    """The node begins anew, but these boundary edges of it were taken already, each with what it carries."""

    fired: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class GoesOn:
    """The node has begun and goes on as it is: its row stands, with these boundary edges of it taken already."""

    fired: Mapping[str, Json]


Overrides = Mapping[str, KeepResult | RerunWith | RestartWith | GoesOn]


def outputs_of(overrides: Overrides) -> dict[str, Json]:
    """What expressions see of the nodes that are kept, as `steps`."""
    return {
        node: {"output": output_of(one.outcome)}
        for node, one in overrides.items()
        if isinstance(one, KeepResult)
    }


def copied(overrides: Overrides) -> list[str]:
    """The steps of an earlier run that copies stand for."""
    ids = (one.said.get("kept_from") for one in overrides.values() if isinstance(one, KeepResult))
    return [str(step) for step in ids if step is not None]


class DoesNotFit(Exception):
    """What is kept can't be kept in this graph; `node` is to blame."""

    def __init__(self, node: str, message: str) -> None:
        super().__init__(message)
        self.node = node
        self.message = message
