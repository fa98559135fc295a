"""Times of an open run by another version of its workflow: of waits, timers beside steps, tasks, and of the run itself.

Each counts from when it began. What is past by then is due at once.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

from engine.catalogue import Json
from engine.graph import Node
from engine.migrating import Version
from engine.statuses import StepStatus
from engine.timers import WorkingDays
from lib.uuid7 import uuid7
from runs.kernel import scopes, wait_kinds
from runs.kernel.wait_kinds import Moment, Wait
from runs.kernel.working_time import Record, boundary_timers, counted_from
from runs.models import Run
from runs.store import hot, new_times
from runs.store.attempts import Errored, Suspended
from runs.store.new_times import NewTimerRow, NewWaitRow, PendingTimer, TimedStep
from runs.workers.execute import execute

BY_TIME: Final = frozenset({"timer", "signal"})
"""Kinds of waits that a timer of `runs` ends, or may end."""
WARNED_AT = 0.8
"""When so much of its time is over a run is told of."""


@dataclass(frozen=True, slots=True)
class NewTime:
    """A moment that is another one by the version. `node` is None of the run's own deadline; None: there is none.

    `place`: the items, as (node, index), that lead down to the step.
    """

    node: str | None
    kind: str
    target: str | None
    old: datetime | None
    new: datetime | None
    place: Sequence[tuple[str, int | None]] = ()

    def as_dict(self) -> dict[str, Json]:
        """It as JSON, as history keeps it."""
        times = {"old": self.old, "new": self.new}
        return {
            "node": self.node,
            "kind": self.kind,
            "target": self.target,
            **{name: at and at.isoformat() for name, at in times.items()},
        }


@dataclass(slots=True)
class NewTimes:
    """What changes of a run's times. `same`: steps that wait for the same by the version; `faults`: why that is not
    known of others.
    """

    run: Run
    times: list[NewTime] = field(default_factory=list)
    same: set[str] = field(default_factory=set)
    faults: dict[str, str] = field(default_factory=dict)
    timers: list[NewTimerRow] = field(default_factory=list)
    waits: list[NewWaitRow] = field(default_factory=list)
    more: list[Callable[[], None]] = field(default_factory=list)

    def apply(self) -> None:
        """Set them, of a run that is held FOR UPDATE."""
        if self.timers or self.waits:
            new_times.set_times(str(self.run.pk), self.timers, self.waits)
        for change in self.more:
            change()

    def add(self, node: str | None, moment: Moment) -> None:
        """Tell of a moment."""
        self.times.append(NewTime(node, moment.kind, moment.target, moment.before, moment.after))


@dataclass(frozen=True, slots=True)
class _Other:
    """The version that a run is on and the one that it is to go on with, whose id is `version`."""

    old: Version
    new: Version
    version: int
    tenant: int


def new_times_of(run: Run, before: Version, after: Version, version: int) -> NewTimes:
    """The times of an open run by another version (its id), beside those that it has."""
    other, changed = _Other(before, after, version, run.tenant_id), NewTimes(run)
    for node, step in new_times.timed_steps(str(run.pk)).items():
        if node not in before.graph.nodes or node not in after.graph.nodes:
            continue
        if before.graph.nodes[node].type != after.graph.nodes[node].type:
            continue
        _of_wait(changed, other, step)
        _of_boundary(changed, other, step)
    _of_run(changed, before, after, version)
    return changed


def _of_wait(changed: NewTimes, other: _Other, step: TimedStep) -> None:
    wait, node = step.waiting, step.node
    if step.status != StepStatus.WAITING or wait is None or wait["kind"] not in {*BY_TIME, "task"}:
        return
    if "approves" in wait:
        # What it does by the new version is asked about when it begins.
        return
    if other.old.params(node) == other.new.params(node):
        return
    claim, *_ = hot.step_to_change(run=str(changed.run.pk), node=node) or [None]
    if claim is None:
        return
    claim = replace(claim, version_id=other.version)
    scopes.load([claim])
    result = execute(claim)
    if not isinstance(result, Suspended):
        error = result.error if isinstance(result, Errored) else {}
        changed.faults[node] = str(error.get("message", "it would not wait"))
        return
    again = result.wait
    if again["kind"] != wait["kind"] or again.get("name") != wait.get("name"):
        return
    changed.same.add(node)
    if wait["kind"] not in BY_TIME:
        if (retimed := wait_kinds.retimed(claim, wait, again)) is not None:
            changed.waits.append({"step_id": step.id, "wait": retimed.wait})
            changed.more.append(retimed.apply)
            for moment in retimed.moments:
                changed.add(node, moment)
        return
    _of_timer(changed, other, step, again)


def _of_timer(changed: NewTimes, other: _Other, step: TimedStep, again: Wait) -> None:
    """The timer that ends a wait."""
    pending = next((one for one in step.timers if one.kind != "boundary"), None)
    timer, words, after, record = again.get("timer"), None, None, None
    if timer is not None:
        start = step.queued_at if timer["kind"] == "wait" else step.since or step.queued_at
        after, words, record = _end(other, start, timer)
    before = pending and pending.fire_at
    if after == before:
        return
    kind = (
        "wait" if (pending and pending.kind == "wait") or (timer and timer["kind"] == "wait") else "timeout"
    )
    changed.add(step.node, Moment(kind, None, before, after))
    changed.timers.append(
        {
            "id": pending.id if pending else uuid7(),
            "is_new": pending is None,
            "step_id": step.id,
            "kind": kind,
            "fire_at": after.isoformat() if after else None,
        }
    )
    wait = {
        key: value
        for key, value in (step.waiting or {}).items()
        if key not in ("until", "counts", "calendar")
    }
    wait |= {"until": after.isoformat()} if after else {}
    wait |= {"calendar": record} if record else {}
    changed.waits.append({"step_id": step.id, "wait": wait | ({"counts": words} if words else {})})


def _end(
    other: _Other, start: datetime, timer: Mapping[str, Json]
) -> tuple[datetime, str | None, Record | None]:
    """When a timer that began then fires, and how that is counted where not all hours count."""
    if "until" in timer:
        return datetime.fromisoformat(timer["until"]), None, None
    if "working_days" in timer:
        length = WorkingDays(timer["working_days"], timer["calendar"])
        return counted_from(other.tenant, other.version, start, length)
    return start + timedelta(seconds=timer["seconds"]), None, None


_Length = tuple[float, WorkingDays | None]


def _lengths(node: Node) -> dict[tuple[str | None, bool], list[_Length]]:
    """How long the timers beside a step run, by where they lead, the shortest first."""
    lengths: dict[tuple[str | None, bool], list[_Length]] = {}
    for timer in boundary_timers(node, ""):
        key = timer["target"], timer["interrupting"]
        lengths.setdefault(key, []).append((timer["seconds"], timer.get("length")))
    return {key: sorted(those, key=lambda one: (one[0], one[1] or (0, ""))) for key, those in lengths.items()}


def _of_boundary(changed: NewTimes, other: _Other, step: TimedStep) -> None:
    """The timers beside a step; of those that have fired nothing happens again."""
    was, becomes = (_lengths(one.graph.nodes[step.node]) for one in (other.old, other.new))
    pending: dict[tuple[str | None, bool], list[PendingTimer]] = {}
    for timer in step.timers:
        if timer.kind == "boundary":
            pending.setdefault((timer.target, timer.interrupting), []).append(timer)
    for key, lengths in becomes.items():
        former, there = was.get(key, []), pending.get(key, [])
        if lengths == former or (key[0] is None and step.status != StepStatus.QUEUED):
            continue
        # Those that have fired are the first ones of their kind.
        fired = len(former) - len(there)
        for number, length in enumerate(lengths[fired:], fired):
            pending_one = there[number - fired] if number < len(former) else None
            start = step.began
            if pending_one is not None and former[number][1] is None:
                start = pending_one.fire_at - timedelta(seconds=former[number][0])
            after, record = start + timedelta(seconds=length[0]), None
            if length[1] is not None:
                after, _, record = counted_from(other.tenant, other.version, start, length[1])
            _set_boundary(changed, step, key, pending_one, after, record)
        for timer in there[max(0, len(lengths) - fired) :]:
            _set_boundary(changed, step, key, timer, None)


def _set_boundary(
    changed: NewTimes,
    step: TimedStep,
    key: tuple[str | None, bool],
    timer: PendingTimer | None,
    after: datetime | None,
    record: Record | None = None,
) -> None:
    before = timer and timer.fire_at
    if before == after:
        return
    target, interrupting = key
    changed.add(step.node, Moment("start" if target is None else "boundary", target, before, after))
    changed.timers.append(
        {
            "id": timer.id if timer else uuid7(),
            "is_new": timer is None,
            "step_id": step.id,
            "kind": "boundary",
            "target": target,
            "interrupting": interrupting,
            "fire_at": after.isoformat() if after else None,
            "calendar": record,
        }
    )


def _of_run(changed: NewTimes, before: Version, after: Version, version: int) -> None:
    """The run's own deadline, where its version says it."""
    run, was, becomes = changed.run, before.graph, after.graph
    if (was.sla_seconds, was.sla_length) == (becomes.sla_seconds, becomes.sla_length):
        return
    first = Run.objects.for_tenant(run.tenant_id).filter(pk=run.root_id)
    start = first.values_list("created_at", flat=True).get()
    paused = timedelta(seconds=run.sla_paused_seconds)
    usual = None if was.sla_seconds is None else start + timedelta(seconds=was.sla_seconds) + paused
    if (was.sla_length is None and run.sla_deadline != usual) or (was.sla_length and run.sla_counts is None):
        # Whoever started the run said by when it is due.
        return
    end, words, record = None, None, None
    if becomes.sla_length is not None:
        end, words, record = counted_from(run.tenant_id, version, start, becomes.sla_length)
    elif becomes.sla_seconds is not None:
        end = start + timedelta(seconds=becomes.sla_seconds)
    deadline = end and end + paused
    near = end and start + (end - start) * WARNED_AT + paused
    if deadline == run.sla_deadline:
        return
    changed.add(None, Moment("deadline", None, run.sla_deadline, deadline))
    changed.more.append(
        lambda: new_times.set_deadline(
            str(run.pk), deadline=deadline, near=near, counts=words, calendar=record
        )
    )
