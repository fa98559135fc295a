"""What is held while steps are worked on: a claimed step, how an attempt at it ended, a locked run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.catalogue import Json
from lib.blobs import BlobError
from lib.trace_context import Trace, span_id
from steps.attempt_log import AttemptLog


@dataclass(slots=True)
class ClaimedStep:
    """One epoch of a step, as its holder knows it. `hops`: how often it was kept in a row.

    `undoes`: the node that it compensates; `index`: of a container's child its place; `fired`: the targets of its
    boundary timers that have fired, where somebody looked. `is_whole`: its input has all that is kept beside the
    database. `unreadable`: why that, or what its expressions see, can't be had. `log`: what its attempt has said.
    `revision`: how often a person has given it another input. `approval`: the id and the digest of the newest that
    covers it; `withheld`: what becomes of it instead of beginning, since what it would do was not approved.
    `trace`: the one that its run is of, where somebody looked; `began`: when its attempt did, in nanoseconds
    since 1970.
    """

    id: str
    epoch: int
    run_id: str
    tenant_id: int
    shard: int
    version_id: int
    node: str
    undoes: str | None
    index: int | None
    attempt: int
    priority: int
    solo: bool
    revision: int = 0
    input: Json = None
    lease_seconds: int = 30
    hops: int = 0
    fired: frozenset[str] = frozenset()
    is_whole: bool = False
    unreadable: BlobError | None = None
    scope: dict[str, Json] = field(default_factory=dict)
    trace: Trace | None = None
    log: AttemptLog | None = None
    began: int | None = None
    approval: tuple[str, str] | None = None
    withheld: "AttemptResult | None" = None

    @property
    def told(self) -> Trace | None:
        """The trace as whoever is called by this attempt is told it: the attempt is what calls."""
        return self.trace and self.trace.within(span_id(self.id, self.epoch))


_HELD_COLUMNS = 14


def claimed_of(row: Sequence[Json]) -> tuple[ClaimedStep, Sequence[Json]]:
    """The step that a row begins with (the fragment `held` and its input), and the columns behind it."""
    return ClaimedStep(*row[:_HELD_COLUMNS]), row[_HELD_COLUMNS:]


class LockedRun(NamedTuple):
    """What a locked run says of itself: nobody can close it meanwhile.

    `has_failed`: it is open although a step of it has failed for good, since its other branches go on. `tree`: the root
    of the tree of a child run, where it was locked alone.
    """

    status: str
    priority: int
    has_failed: bool = False
    tree: str | None = None


@dataclass(frozen=True, slots=True)
class Succeeded:
    """The attempt gave `output`; `encoded` is its strict JSON where it has been made already.

    `usage`: what it used up, such as tokens. `timer`: the one that ended a wait. `variables`: what it sets.
    `since`: where several people decided, when the first of them did (ISO 8601).
    """

    output: Json
    encoded: bytes | None = None
    variables: Mapping[str, Json] = field(default_factory=dict)
    usage: Json = None
    timer: str | None = None
    since: str | None = None


@dataclass(frozen=True, slots=True)
class Errored:
    """The attempt failed. `expired`: nobody says so, its lease ran out; the write asks the clock again.

    `unbegun`: nobody has begun it, and by now somebody should have. `left`: it had asked what becomes of its failure,
    and an operator leaves that as it is.
    """

    error: Mapping[str, Json]
    retryable: bool = False
    retry_after: float | None = None
    expired: bool = False
    usage: Json = None
    timer: str | None = None
    unbegun: bool = False
    left: bool = False


@dataclass(frozen=True, slots=True)
class Suspended:
    """The step waits from now on: `wait` says for what (`steps.waiting`)."""

    wait: Mapping[str, Json]
    usage: Json = None
    timer: None = None


@dataclass(frozen=True, slots=True)
class TimerFired:
    """A boundary timer of the step fired and ended it: its edge to `target` is taken, with `output`."""

    target: str
    output: Json
    timer: str
    usage: Json = None


@dataclass(frozen=True, slots=True)
class SkippedByOperator:
    """An operator skipped the step: it counts as done with `output`. `said`: by whom and why.

    `encoded` is the output's strict JSON where it has been made already.
    """

    output: Json
    said: Mapping[str, Json]
    encoded: bytes | None = None
    usage: Json = None
    timer: None = None


AttemptResult = Succeeded | Errored | Suspended | TimerFired | SkippedByOperator
