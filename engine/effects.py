"""What follows from one cause, as data: new steps, edges that reach joins, sinks that fall, a failure."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.catalogue import Json
from engine.graph import Node
from engine.outcomes import Outcome
from engine.overrides import KeepResult
from engine.statuses import StepStatus


@dataclass(frozen=True, slots=True)
class NewStep:
    """A step row to create. `input_from`: the node whose output its input is, where it is one.

    `own`: the input is what somebody said, whatever comes before it. `kept`: why the step is not done but kept.
    `fired`: the targets of its boundary timers that are resolved already. `revision`: as in `KeepResult`.
    """

    node: Node
    status: StepStatus
    input: Json = None
    input_from: str | None = None
    output: Json = None
    error: Mapping[str, Json] | None = None
    taken: tuple[str, ...] = ()
    own: bool = False
    kept: KeepResult | None = None
    fired: tuple[str, ...] = ()
    revision: int = 0


@dataclass(frozen=True, slots=True)
class Arrival:
    """The edge from `source` reached the join `node`, taken or dead."""

    node: str
    source: str
    taken: bool


@dataclass(frozen=True, slots=True)
class Assigned:
    """What a step that completed sets of the run's variables."""

    node: str
    values: Mapping[str, Json]


@dataclass(slots=True)
class Effects:
    """All that follows from one cause, in the order in which it follows.

    `child`: the container that counts the end of this step, which is one of its children.
    """

    outcome: Outcome | None = None
    taken: tuple[str, ...] = ()
    steps: list[NewStep] = field(default_factory=list)
    arrivals: list[Arrival] = field(default_factory=list)
    sinks: list[str] = field(default_factory=list)
    failure: tuple[str, Mapping[str, Json]] | None = None
    child: str | None = None
    variables: list[Assigned] = field(default_factory=list)
    kept: dict[str, tuple[str, ...]] = field(default_factory=dict)
