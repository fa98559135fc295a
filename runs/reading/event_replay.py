"""Events of a run as its graph, its timeline and the way back through it are drawn from them; pure."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, cast

from engine.events import EVENTS, EventType
from engine.statuses import StepStatus
from runs.reading.run_view import StepView
from runs.reading.timeline import ENDINGS, Ending

PENDING = "PENDING"
_ENDS: Mapping[str, StepStatus] = {
    event: kind.step for event, kind in EVENTS.items() if kind.step is not None and kind.about == "step"
}
_BACK = frozenset({EventType.ATTEMPT_FAILED, EventType.LEASE_LOST, EventType.STEP_RELEASED})
_ATTEMPTS_ENDED = frozenset(ENDINGS) - {EventType.STEP_REQUEUED}
_OVER = frozenset({StepStatus.COMPLETED, StepStatus.FAILED, StepStatus.SKIPPED, StepStatus.CANCELLED})


class Happened(NamedTuple):
    """An event; `started_at`: when the attempt began that it ended; `taken`: where the edges lead that are taken."""

    id: int
    type: str
    node: str | None
    attempt: int | None
    started_at: datetime | None
    at: datetime
    taken: tuple[str, ...] | None = None


class Extent(NamedTuple):
    """How many events of a run there are, up to `READ_EVENTS`, and the id and the time of the last of them."""

    events: int
    last: int | None
    at: datetime | None


def endings(events: Iterable[Happened]) -> list[Ending]:
    """Those of the events that end attempts, as the timeline takes them."""
    return [
        Ending(event.node, event.type, event.attempt, event.started_at, event.at)
        for event in events
        if event.node and event.type in ENDINGS
    ]


def ways_taken(steps: Sequence[StepView], events: Iterable[Happened]) -> dict[str, list[str]]:
    """Where the edges lead that are taken, by the step that is over or whose timer fired.

    Of a step whose end lies behind the events that are known nothing is said.
    """
    ways: dict[str, list[str]] = {}
    for event in events:
        if event.node is None:
            continue
        if event.type in (EventType.STEP_WITHDRAWN, EventType.STEP_REQUEUED):
            ways.pop(event.node, None)
        elif event.type == EventType.TIMER_FIRED:
            ways.setdefault(event.node, []).extend(event.taken or ())
        elif event.taken is not None:
            # A timer that fired beside it has taken its own edge before.
            ways[event.node] = list(dict.fromkeys([*ways.get(event.node, ()), *event.taken]))
    nodes = {step["node"] for step in steps if step["status"] != PENDING}
    return {node: targets for node, targets in ways.items() if node in nodes}


def steps_then(steps: Iterable[StepView], events: Sequence[Happened], count: int) -> list[StepView]:
    """The steps as they were when so many of the events had happened, of which there is one at least.

    Values and errors are shown of those alone that have not changed since.
    """
    moment = events[count - 1].at
    before, after = _by_node(events[:count]), _by_node(events[count:])
    return [_then(step, before.get(step["node"], []), after.get(step["node"], []), moment) for step in steps]


def _by_node(events: Iterable[Happened]) -> dict[str, list[Happened]]:
    by_node: dict[str, list[Happened]] = {}
    for event in events:
        if event.node:
            by_node.setdefault(event.node, []).append(event)
    return by_node


def _then(step: StepView, before: list[Happened], after: list[Happened], moment: datetime) -> StepView:
    """One step as it was; untouched where nothing has happened to it since."""
    last_status, last = _told(before)
    since = [event for event in after if event.type in _ENDS or event.type in _BACK]
    if not since and last_status is not None and last_status == step["status"]:
        return step.copy()
    row = _blank(step)
    status: str = last_status or PENDING
    if last_status is None or last_status == StepStatus.QUEUED:
        status, began = _at_work(step, before, since, moment)
        row |= {"started_at": began}
    elif last is not None:
        began = last.started_at or _first_start(step, moment)
        ended = last.at if status in _OVER else None
        row |= {"started_at": began, "completed_at": ended, "duration_ms": _milliseconds(began, ended)}
    queued = step["queued_at"]
    if status != PENDING:
        moments = [event.started_at or event.at for event in before] + [row["started_at"] or moment]
        row["queued_at"] = queued if queued and queued <= moment else min(moments)
    attempts = [event.attempt for event in before if event.attempt]
    running = 1 if status == StepStatus.RUNNING else 0
    row |= {"status": status, "attempt": max([*attempts, 0]) if not running else max([*attempts, 0]) + 1}
    return row


def _told(before: Iterable[Happened]) -> tuple[StepStatus | None, Happened | None]:
    """The status that the events of a step say, and the one that says it; None where none says any."""
    status: StepStatus | None = None
    last: Happened | None = None
    for event in before:
        if event.type in _ENDS:
            status, last = _ENDS[event.type], event
        elif event.type in _BACK or event.type == EventType.STEP_REQUEUED:
            status, last = StepStatus.QUEUED, event
        elif event.type == EventType.STEP_WITHDRAWN:
            status, last = None, None
    return status, last


def _at_work(
    step: StepView, before: list[Happened], since: list[Happened], moment: datetime
) -> tuple[str, datetime | None]:
    """Whether a step had been claimed: history says so only where an attempt ends, the row of the one at work."""
    if not before and since and since[0].type == EventType.STEP_SKIPPED:
        # Its row was made when it was skipped, or stood for nothing until then.
        return PENDING, None
    ended = next((event for event in since if event.type in _ATTEMPTS_ENDED), None)
    began = ended.started_at if ended is not None else _first_start(step, moment)
    if began is not None and began <= moment and step["status"] != PENDING:
        return StepStatus.RUNNING, began
    was_queued = bool(before) or (step["queued_at"] is not None and step["queued_at"] <= moment)
    return (StepStatus.QUEUED if was_queued else PENDING), None


def _first_start(step: StepView, moment: datetime) -> datetime | None:
    started: datetime | None = step["started_at"]
    return started if started is not None and started <= moment else None


_GONE = (
    *("input", "output", "error", "progress", "worker", "lease_expires_at", "last_heartbeat_at", "cause"),
    *("waiting_for", "waiting", "next_attempt_at", "completed_at", "duration_ms", "started_at", "items"),
    *("child_run", "queued_at"),
)


def _blank(step: StepView) -> StepView:
    """A step without what is only known of it now."""
    fields = {key: value for key, value in step.items() if key not in ("truncated", "unreadable")}
    return cast("StepView", {**fields, **dict.fromkeys(_GONE), "verbs": []})


def _milliseconds(began: datetime | None, ended: datetime | None) -> float | None:
    return None if began is None or ended is None else round((ended - began).total_seconds() * 1000, 3)
