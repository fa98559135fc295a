"""What an advance statement is given: ended steps, and all that follows from them as rows; pure."""

from collections.abc import Container, Mapping
from dataclasses import dataclass, field

from engine.effects import Effects, NewStep
from engine.statuses import StepStatus
from lib.uuid7 import uuid7
from runs.kernel.plan import Affinity, Anchor, Planned
from runs.kernel.working_time import CountedTimer, boundary_timers
from runs.limits import KEPT_STEPS
from runs.store.attempts import ClaimedStep, Errored
from runs.store.rows import AnchorRow, ArrivalRow, EndedRow, StepRow

NO_IDS: Mapping[str, str] = {}
DECIDED = (StepStatus.COMPLETED, StepStatus.FAILED)


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

    @property
    def ids(self) -> dict[tuple[str, str], str]:
        """The ids of the new steps, by run and node."""
        return {
            (owner.run_id, row["node"]): row["id"] for owner, row in zip(self.owners, self.steps, strict=True)
        }

    def decided(self, alive: Container[str]) -> list[str]:
        """The statuses of the new steps that the engine itself completed or failed, those of these anchors."""
        return [row["status"] for row in self.steps if row["status"] in DECIDED and row["after"] in alive]

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
        if new.own and new.kept is None:
            row["revision"] = 1
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
        elif keep and keep.budget > 0 and keep.queue == new.node.queue and anchor.hops < KEPT_STEPS:
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
        revision=row.get("revision", 0),
        input=new.input,
        lease_seconds=new.node.lease_seconds,
        hops=anchor.hops + 1,
        is_whole=True,
    )
