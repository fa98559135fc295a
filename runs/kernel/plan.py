"""From endings to documents: what an attempt's end means for its step, and the rows that say so to the database.

Nothing here reads or writes; `advance` does.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import orjson

from engine.catalogue import Json
from engine.decide import settle
from engine.effects import Effects, NewStep
from engine.graph import Graph, Node
from engine.outcomes import Completed, Failed, Interrupted, Outcome, failed_output
from engine.retry import next_delay
from engine.statuses import RunStatus, StepStatus
from lib.uuid7 import uuid7
from runs.kernel.working_time import CountedTimer, boundary_timers
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
from runs.store.rows import ASKS, AnchorRow, ArrivalRow, EndedBy, EndedRow, StepRow

MAX_HOPS = 8
NO_IDS: Mapping[str, str] = {}
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
            retryable=result.retryable,
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


@dataclass(slots=True)
class AdvanceRows:
    """The documents of one advance statement. `owners`: on what each of the `steps` hangs."""

    keep: Affinity | None = None
    ended: list[EndedRow] = field(default_factory=list)
    anchors: list[AnchorRow] = field(default_factory=list)
    steps: list[StepRow] = field(default_factory=list)
    owners: list[Anchor] = field(default_factory=list)
    arrivals: list[ArrivalRow] = field(default_factory=list)
    kept: list[tuple[str, ClaimedStep]] = field(default_factory=list)
    queued: set[tuple[str, str]] = field(default_factory=set)
    dead_letters: list[tuple[str, str]] = field(default_factory=list)
    timers: list[tuple[Anchor, CountedTimer]] = field(default_factory=list)

    def end(self, planned: Planned, anchor: Anchor) -> None:
        """An ended or retried step and what follows from it."""
        row = planned.row | {"anchor": planned.anchor}
        self.ended.append(row | {"held": True} if anchor.held and planned.effects is None else row)
        if planned.effects is not None:
            step = planned.step
            # What somebody left as it is has its letter already.
            if _failed_hard(planned.row) and not (
                isinstance(planned.result, Errored) and planned.result.left
            ):
                self.dead_letters.append((planned.anchor, step.id))
            self.follow(anchor, planned.effects, {step.node: step.id})

    def add_effects(self, anchor: Anchor, effects: Effects, ids: Mapping[str, str] = NO_IDS) -> None:
        """What follows from a cause that is not an ended step; `ids`: steps there already, for inputs."""
        self.anchors.append(anchor.row(len(effects.sinks)))
        self.follow(anchor, effects, dict(ids))

    def follow(self, anchor: Anchor, effects: Effects, ids: dict[str, str]) -> None:
        """Add new steps and arrivals; `ids` knows the steps whose output may be an input."""
        for new in effects.steps:
            ids[new.node.id] = uuid7()
            self.steps.append(self._step(anchor, new, ids))
            self.owners.append(anchor)
        for arrival in effects.arrivals:
            self.arrivals.append(
                {
                    "after": anchor.id,
                    "ordinal": len(self.arrivals),
                    "node": arrival.node,
                    "source": arrival.source,
                    "taken": arrival.taken,
                }
            )

    def _step(self, anchor: Anchor, new: NewStep, ids: Mapping[str, str]) -> StepRow:
        node = new.node
        row: StepRow = {
            "after": anchor.id,
            "ordinal": len(self.steps) % 30_000 + 1,
            "id": ids[node.id],
            "node": node.id,
            "type": node.type,
            "queue": node.queue,
            "priority": anchor.priority if node.priority is None else node.priority,
            "status": new.status,
            "lease_seconds": node.lease_seconds,
            "timeout_seconds": node.timeout_seconds,
        }
        if new.fired:
            row["fired"] = new.fired
        if new.kept is not None:
            row |= {"cause": new.kept.cause, "said": new.kept.said}
        elif new.status == StepStatus.SKIPPED:
            return row
        if new.own:
            row["input"] = new.input
        elif new.input_from is not None and new.input_from in ids:
            row["input_from"] = ids[new.input_from]
        elif not node.predecessors and node.mapping is None:
            row["input_from"] = anchor.run_id
        else:
            row["input"] = new.input
        if new.status == StepStatus.QUEUED:
            self.timers += [(anchor, timer) for timer in boundary_timers(node, row["id"], new.fired)]
            self._send(anchor, new, row)
        else:
            row |= {"output": new.output, "error": new.error, "taken": new.taken}
            if _failed_hard(row):
                self.dead_letters.append((anchor.id, row["id"]))
        return row

    def _send(self, anchor: Anchor, new: NewStep, row: StepRow) -> None:
        keep = self.keep
        if anchor.held:
            row["held"] = True
        elif keep and keep.budget > 0 and keep.queue == new.node.queue and anchor.hops < MAX_HOPS:
            keep.budget -= 1
            row["status"] = StepStatus.RUNNING
            self.kept.append((anchor.id, _build_claim(anchor, new, row)))
        else:
            self.queued.add((anchor.id, new.node.queue))


def _failed_hard(row: EndedRow | StepRow) -> bool:
    """A failure that no edge takes up leaves no output."""
    return row["status"] == StepStatus.FAILED and row["output"] is None


def _build_claim(anchor: Anchor, new: NewStep, row: StepRow) -> ClaimedStep:
    return ClaimedStep(
        id=row["id"],
        epoch=1,
        run_id=anchor.run_id,
        tenant_id=anchor.tenant_id,
        shard=anchor.shard,
        version_id=anchor.version_id,
        node=new.node.id,
        undoes=None,
        index=None,
        attempt=1,
        priority=row["priority"],
        solo=False,
        input=new.input,
        lease_seconds=new.node.lease_seconds,
        hops=anchor.hops + 1,
        is_whole=True,
    )


def runs_of(plans: Iterable[Planned]) -> set[str]:
    """The runs that the plans touch."""
    return {planned.step.run_id for planned in plans}
