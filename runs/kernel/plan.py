"""From endings to documents: what an attempt's end means for its step, and the rows that say so to the database.

Nothing here reads or writes; `advance` does.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import orjson

from engine.catalogue import Json
from engine.decide import settle
from engine.effects import Effects
from engine.errors import is_done
from engine.graph import Graph, Node
from engine.outcomes import Completed, Failed, Interrupted, Outcome, failed_output
from engine.retry import next_delay
from engine.statuses import RunStatus, StepStatus
from lib.uuid7 import uuid7
from runs.store.attempts import (
    AttemptResult,
    ClaimedStep,
    Errored,
    LockedRun,
    SkippedByOperator,
    Succeeded,
    Suspended,
    TimerFired,
)
from runs.store.rows import ASKS, AnchorRow, ChildEndsRow, EndedBy, EndedRow

PASSED = "operator"
"""The cause of a step that an operator skipped: others are skipped because no edge leads to them."""


@dataclass(slots=True)
class Affinity:
    """May successors stay with this worker? At most `budget` a batch, on its queue (docs/engine.md, "Claim")."""

    worker: str
    queue: str
    budget: int


@dataclass(slots=True)
class Planned:
    """One ending with all that it means. `effects` is None where the step is not over: it is tried again, or waits."""

    step: ClaimedStep
    graph: Graph | None
    result: AttemptResult
    effects: Effects | None
    row: EndedRow
    # Not the step's id: a worker that lost a step and got it again may report both epochs in one batch.
    anchor: str = field(default_factory=uuid7)

    @property
    def is_heavy(self) -> bool:
        """Whether its run must be had alone.

        The step waits, or has timers that may fire; variables are set; the run fails, or leaves steps to cancel.
        """
        if isinstance(self.result, Suspended) or self.is_timed or self.is_undo or self.asks:
            return True
        if self.effects is None:
            return False
        if self.effects.failure is not None or self.effects.variables:
            return True
        graph, moves = self.graph, bool(self.effects.sinks or self.effects.arrivals)
        return graph is not None and moves and (graph.sets_variables or not graph.plain)

    @property
    def is_undo(self) -> bool:
        """Whether the step compensates another."""
        return self.step.undoes is not None

    @property
    def asks(self) -> bool:
        """Whether the step has failed, and waits from now on for what an operator says."""
        return "waiting" in self.row

    @property
    def is_timed(self) -> bool:
        """Whether timers of the step must be settled with its end."""
        if self.graph is None or self.effects is None:
            return False
        return self.graph.step(self.step.node, self.step.index).is_timed

    @property
    def may_sink(self) -> bool:
        """Whether a sink of its run may fall by it."""
        return self.effects is not None and bool(self.effects.sinks or self.effects.arrivals)


def plan(step: ClaimedStep, result: AttemptResult, graph: Graph, *, jitter: float) -> Planned:
    """What an attempt's end means; `jitter` in [0, 1) says where in its span the pause before a retry lies."""
    node = graph.step(step.node, step.index)
    row: EndedRow = {"id": step.id, "epoch": step.epoch}
    if result.usage is not None:
        row["usage"] = result.usage
    row |= _freed_from(result)
    if isinstance(result, Suspended):
        row["status"] = StepStatus.WAITING
        return Planned(step, graph, result, None, row)
    if isinstance(result, Errored):
        if result.expired:
            row["by"] = EndedBy.LEASE
        delay = next_delay(
            node.retry,
            attempt=step.attempt,
            code=str(result.error.get("code")),
            retryable=result.retryable and not is_done(result.error),
            jitter=jitter,
            retry_after=result.retry_after,
        )
        if delay is not None:
            row |= {"status": StepStatus.QUEUED, "error": result.error, "delay": delay}
            return Planned(step, graph, result, None, row)
    if node.undoes:
        return Planned(step, graph, result, Effects(_outcome(result)), row | _undo_row(result))
    effects = settle(graph, node, _outcome(result), step.scope, fired=step.fired)
    if node.asks and isinstance(effects.outcome, Failed) and _may_ask(result):
        row |= {"status": StepStatus.WAITING, "error": effects.outcome.error, "waiting": ASKS}
        return Planned(step, graph, result, None, row)
    row |= _final_row(node, result, effects, graph)
    return Planned(step, graph, result, effects, row)


def _may_ask(result: AttemptResult) -> bool:
    """Whether this is an attempt's own end, and not what somebody said of the step."""
    return isinstance(result, Succeeded) or (isinstance(result, Errored) and not result.left)


def _outcome(result: Succeeded | Errored | TimerFired | SkippedByOperator) -> Outcome:
    match result:
        case Succeeded():
            return Completed(result.output, result.variables)
        case SkippedByOperator():
            return Completed(result.output)
        case Errored():
            return Failed(result.error)
        case TimerFired():
            return Interrupted(result.target, result.output)


def _freed_from(result: AttemptResult) -> EndedRow:
    """Which step an ending may end that nobody works on: one that waits, or any that is open."""
    if isinstance(result, TimerFired) or (isinstance(result, Errored) and result.unbegun):
        return {"by": EndedBy.TIMER}
    if isinstance(result, SkippedByOperator):
        return {"by": EndedBy.OPERATOR, "said": result.said}
    return {} if result.timer is None else {"by": EndedBy.WAIT}


def plan_hopeless(
    step: ClaimedStep, error: Mapping[str, Json], result: AttemptResult | None = None
) -> Planned:
    """The end of a step that its graph can't deal with: nothing follows, its run fails and can be resumed later.

    Its version can't be compiled by this release, or what follows from its failure can't be stored.
    """
    effects = Effects(outcome=Failed(error), failure=(step.node, error))
    row: EndedRow = {
        "id": step.id,
        "epoch": step.epoch,
        "status": StepStatus.FAILED,
        "error": error,
        "output": None,
        "sinks": 0,
        **(_freed_from(result) if result else {}),
    }
    return Planned(step, None, Errored(error), effects, row)


def _undo_row(result: AttemptResult) -> EndedRow:
    """The end of a compensation: no edge hangs on it."""
    if isinstance(result, Errored):
        return {"status": StepStatus.FAILED, "error": result.error, "output": None, "sinks": 0}
    return {"status": StepStatus.COMPLETED, "output": _encoded(result), "sinks": 0}


def _final_row(node: Node, result: AttemptResult, effects: Effects, graph: Graph) -> EndedRow:
    row: EndedRow = {"taken": effects.taken, "sinks": len(effects.sinks)}
    if isinstance(effects.outcome, Failed):
        handled = None if node.on_error == "fail" else failed_output(effects.outcome.error)
        row |= {"status": StepStatus.FAILED, "error": effects.outcome.error, "output": handled}
        return row
    if isinstance(result, TimerFired):
        row |= {"status": StepStatus.CANCELLED, "cause": "timer", "output": result.output}
        return row
    row |= {"status": StepStatus.COMPLETED, "output": _encoded(result)}
    if isinstance(result, SkippedByOperator):
        row |= {"status": StepStatus.SKIPPED, "cause": PASSED}
    if isinstance(result, SkippedByOperator) and node.body is not None:
        # Its children are cancelled first.
        return row
    # Nothing stands behind the event that ends the run.
    if graph.plain and graph.only_sink == node.id and node.container is None and not effects.variables:
        row["final"] = True
    return row


def _encoded(result: AttemptResult) -> Json:
    if isinstance(result, Succeeded | SkippedByOperator):
        return result.output if result.encoded is None else orjson.Fragment(result.encoded)
    return None


def closing_row(planned: Planned, run: LockedRun) -> EndedRow:
    """The row of an ending in a run that is failing or being cancelled: kept as it is, its edges unresolved."""
    # A child has no edges: its container counts it when it begins anew.
    pending = planned.step.index is None
    row: EndedRow = {"id": planned.step.id, "epoch": planned.step.epoch, "pending": pending, "sinks": 0}
    result = planned.result
    if result.usage is not None:
        row["usage"] = result.usage
    if isinstance(result, Succeeded):
        row |= {"status": StepStatus.COMPLETED, "output": _encoded(result)}
        return row
    if not isinstance(result, Errored):
        cause = "failure" if run.status == RunStatus.FAILING else "cancelled"
        row |= {"status": StepStatus.CANCELLED, "pending": False, "cause": cause}
        return row
    row |= {"error": result.error, "pending": False}
    if result.expired:
        return row | {"status": StepStatus.CANCELLED, "cause": "unknown", "by": EndedBy.LEASE}
    return row | {"status": StepStatus.FAILED}


@dataclass(slots=True)
class Anchor:
    """What rows of an advance hang on: an ended step, a started run or a fired join."""

    id: str
    run_id: str
    tenant_id: int
    shard: int
    version_id: int
    priority: int
    held: bool = False
    hops: int = 0

    @classmethod
    def of(cls, planned: Planned, run: LockedRun) -> "Anchor":
        """The anchor of an ended step: what follows has the priority of the run, and waits while it is paused."""
        return cls.beside(planned.step, run, id=planned.anchor)

    @classmethod
    def beside(cls, step: ClaimedStep, run: LockedRun, *, id: str) -> "Anchor":
        """What follows from something that happened to a step, whether it has ended or goes on."""
        return cls(
            id=id,
            run_id=step.run_id,
            tenant_id=step.tenant_id,
            shard=step.shard,
            version_id=step.version_id,
            priority=run.priority,
            held=run.status == RunStatus.PAUSED,
            hops=step.hops,
        )

    def row(self, sinks: int) -> AnchorRow:
        """The anchor as a row, where no ended step stands for it."""
        return {
            "id": self.id,
            "run_id": self.run_id,
            "tenant_id": self.tenant_id,
            "shard": self.shard,
            "version_id": self.version_id,
            "sinks": sinks,
        }


def described(node: str | None, error: Mapping[str, Json]) -> dict[str, Json]:
    """A failure of a node, or of the run itself, as its run keeps it."""
    return {**error, "node": node}


def child_ends(plans: Iterable[Planned]) -> list[ChildEndsRow]:
    """How many children of each container end by these plans, and how many of them badly."""
    ends: dict[tuple[str, str], ChildEndsRow] = {}
    for planned in plans:
        if planned.effects is not None and planned.effects.child:
            run_id, node = planned.step.run_id, planned.effects.child
            row = ends.setdefault((run_id, node), {"run_id": run_id, "node": node, "ended": 0, "failed": 0})
            row["ended"] += 1
            row["failed"] += planned.row["status"] == StepStatus.FAILED
    return [*ends.values()]


def runs_of(plans: Iterable[Planned]) -> set[str]:
    """The runs that the plans touch."""
    return {planned.step.run_id for planned in plans}
