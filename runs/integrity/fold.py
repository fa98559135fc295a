"""A run rebuilt from its events alone: where it stands, and each of its steps. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.catalogue import Json
from engine.events import EVENTS, EventType
from engine.statuses import RUN_ENDED, RunStatus, StepStatus

AT_WORK = "QUEUED or RUNNING"
"""Queued, or claimed since: who claims a step says so nowhere but on its row."""
_OVER = frozenset({StepStatus.COMPLETED, StepStatus.FAILED, StepStatus.SKIPPED, StepStatus.CANCELLED})
_BACK = frozenset({EventType.ATTEMPT_FAILED, EventType.LEASE_LOST, EventType.STEP_RELEASED})
EVIDENCE = frozenset(event for event, kind in EVENTS.items() if kind.is_evidence)
"""Events that tell no state, and may stand behind the end of a run."""
_RUN_IS: Mapping[str, RunStatus] = {event: kind.run for event, kind in EVENTS.items() if kind.run is not None}
_ENDS: Mapping[str, StepStatus] = {event: kind.step for event, kind in EVENTS.items() if kind.step in _OVER}


class Event(NamedTuple):
    """One event of a run's history."""

    id: int
    type: str
    node: str | None
    attempt: int | None
    payload: Mapping[str, Json]


@dataclass(slots=True)
class StepByHistory:
    """A step as history tells of it; None where it does not say.

    `attempt` and `epoch` of a step `AT_WORK` are those of it queued: claimed, both are one more.
    """

    status: str = AT_WORK
    attempt: int | None = 0
    epoch: int | None = 0
    digest: str | None = None
    taken: tuple[str, ...] = ()
    fired: frozenset[str] = frozenset()
    edges_pending: bool = False
    interrupted: bool = False

    @property
    def is_open(self) -> bool:
        """Whether it is not over."""
        return self.status not in _OVER

    def resolves(self, target: str) -> bool:
        """Whether its edge to `target` is resolved, to taken or to dead."""
        return target in self.fired or self.is_resolved

    @property
    def is_resolved(self) -> bool:
        """Whether it is over and its edges are followed."""
        if self.edges_pending:
            return False
        match self.status:
            case StepStatus.COMPLETED | StepStatus.SKIPPED:
                return True
            case StepStatus.FAILED:
                return self.digest is not None
        return self.status == StepStatus.CANCELLED and self.interrupted

    def takes(self, target: str) -> bool:
        """Whether its edge to `target` is resolved to taken."""
        return target in self.fired or target in self.taken


class VariableByHistory(NamedTuple):
    """What a step has set a variable to: `digest` of the value; `child`: of a container which one did so last."""

    child: int | None
    digest: str


@dataclass(slots=True)
class RunByHistory:
    """A run as history tells of it. `wrong`: what can't be, with the event that says it.

    `version`: the number of the version, where history says it. `keeps_graph`: whether all its steps were decided by
    the graph of that version, from the beginning. `undoing`: the steps that undo others. `variables`: by node and name,
    in the order in which they were set last; `goes_on`: it took over variables of another run.
    """

    status: str | None = None
    life: int = 0
    version: int | None = None
    input_digest: str | None = None
    digest: str | None = None
    keeps_graph: bool = True
    steps: dict[str, StepByHistory] = field(default_factory=dict)
    undoing: set[str] = field(default_factory=set)
    variables: dict[tuple[str, str], VariableByHistory] = field(default_factory=dict)
    goes_on: bool = False
    wrong: list[tuple[Event, str]] = field(default_factory=list)


def fold(events: Iterable[Event]) -> RunByHistory:
    """Rebuild a run from its events, in their order."""
    by_history = RunByHistory()
    for event in events:
        if event.type in EVIDENCE:
            continue
        if by_history.status in RUN_ENDED and not _begins_life(event):
            by_history.wrong.append((event, "nothing behind the end of the run"))
        if by_history.status is None and not _starts(event):
            by_history.wrong.append((event, "the start of the run first"))
        if event.node is None:
            _of_run(by_history, event)
        else:
            _of_step(by_history, step_name(event.node, event.payload), event)
    return by_history


def step_name(node: str, payload: Mapping[str, Json]) -> str:
    """Which step an event is about: a node, or of a container a child by its place."""
    return node if payload.get("index") is None else f"{node}[{payload['index']}]"


def _begins_life(event: Event) -> bool:
    """Whether a run that has ended goes on with this event: it is reopened, or undone with a run above it."""
    return event.type == EventType.RUN_REOPENED or (
        event.type == EventType.RUN_COMPENSATING and "life" in event.payload
    )


def _starts(event: Event) -> bool:
    return event.type == EventType.RUN_STARTED or (event.node is None and "rerun_of" in event.payload)


def _of_run(by_history: RunByHistory, event: Event) -> None:
    payload = event.payload
    if _starts(event):
        if by_history.status is not None:
            by_history.wrong.append((event, "a run starts once"))
        by_history.status, by_history.life = RunStatus.RUNNING, 1
        by_history.version, by_history.input_digest = payload.get("version"), payload.get("digest")
        by_history.keeps_graph = "rerun_of" not in payload
        by_history.goes_on = "rerun_of" in payload or "continues" in payload
    elif event.type == EventType.RUN_REOPENED:
        _reopen(by_history, event)
    elif event.type == EventType.RUN_MIGRATED:
        by_history.version = payload.get("version")
    elif event.type in _RUN_IS:
        by_history.status = _RUN_IS[event.type]
        by_history.life = payload.get("life", by_history.life)
        if by_history.status == RunStatus.COMPLETED:
            by_history.digest = payload.get("digest")


def _reopen(by_history: RunByHistory, event: Event) -> None:
    """A new life. What failed before any worker had it begins anew, as if it had never been."""
    if by_history.status not in RUN_ENDED:
        by_history.wrong.append((event, "only a run that has ended is reopened"))
    by_history.status, by_history.digest = RunStatus.RUNNING, None
    by_history.life = event.payload.get("life", by_history.life + 1)
    if event.payload.get("version") is not None:
        by_history.version, by_history.keeps_graph = event.payload["version"], False
    for name, step in list(by_history.steps.items()):
        if step.status == StepStatus.FAILED and step.digest is None and step.epoch == 0:
            del by_history.steps[name]


def _of_step(by_history: RunByHistory, name: str, event: Event) -> None:
    payload = event.payload
    if event.type == EventType.COMPENSATE_RUN:
        by_history.steps[name] = StepByHistory()
        by_history.undoing.add(name)
        return
    if event.type == EventType.RUN_REPAIRED and payload.get("anew"):
        # Its row was gone, and is made once more.
        by_history.steps.pop(name, None)
        return
    if event.type == EventType.TIMER_FIRED:
        step = by_history.steps.setdefault(name, StepByHistory())
        step.fired |= frozenset(payload.get("taken") or ())
        return
    if event.type == EventType.VARIABLES_SET:
        for variable, digest in (payload.get("set") or {}).items():
            by_history.variables.pop((event.node or "", variable), None)
            by_history.variables[event.node or "", variable] = VariableByHistory(payload.get("index"), digest)
        return
    if event.type == EventType.STEP_WITHDRAWN:
        # What stands for it, if the run comes to it again, is another row with epochs of its own.
        by_history.steps.pop(name, None)
        return
    step = by_history.steps.get(name) or StepByHistory()
    if event.type in _BACK:
        _back(step, event)
    elif event.type == EventType.STEP_REQUEUED:
        by_history.steps[name] = StepByHistory(epoch=payload.get("epoch"), fired=step.fired)
    elif event.type == EventType.STEP_WAITING:
        step.status, step.attempt, step.epoch = StepStatus.WAITING, event.attempt, payload.get("epoch")
    elif event.type == EventType.STEP_MIGRATED:
        step.epoch = payload.get("epoch")
    elif event.type == EventType.EDGES_RESOLVED:
        step.taken, step.edges_pending = tuple(payload.get("taken") or ()), False
    elif event.type in _ENDS:
        if step.status == StepStatus.COMPLETED and not step.edges_pending:
            by_history.wrong.append((event, "a step that has completed is over"))
        _end(step, event)
    else:
        return
    by_history.steps.setdefault(name, step)
    if "resolution" in payload and by_history.status == RunStatus.WAITING_FOR_MANUAL_ACTION:
        undoing = (by_history.steps[name].status for name in by_history.undoing)
        if StepStatus.FAILED not in undoing:
            # Somebody has seen to all that could not be undone: the run goes on undoing.
            by_history.status = RunStatus.COMPENSATING


def _back(step: StepByHistory, event: Event) -> None:
    """The attempt is over and the step is queued again; some attempts don't count."""
    attempts = event.attempt if event.payload.get("counted") is not False else (event.attempt or 1) - 1
    step.status, step.attempt, step.epoch = AT_WORK, attempts, event.payload.get("epoch")


def _end(step: StepByHistory, event: Event) -> None:
    payload = event.payload
    if event.attempt is not None:
        step.attempt = event.attempt
    elif "kept_from" in payload:
        step.attempt = None
    step.epoch = payload.get("epoch", None if "by" in payload or "kept_from" in payload else step.epoch)
    step.status = _ENDS[event.type]
    step.digest = payload.get("digest")
    step.taken = tuple(payload.get("taken") or ())
    step.edges_pending = bool(payload.get("edges_pending"))
    step.interrupted = payload.get("cause") == "timer"
