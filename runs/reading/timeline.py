"""A run's steps over time, as bars: what waited, what worked, which attempt failed. Pure; a template draws it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from engine.events import EventType
from steps.catalogue import EXECUTABLE

Row = Mapping[str, Any]
Span = tuple[datetime, datetime]

_KINDS = {
    EventType.STEP_COMPLETED: "done",
    EventType.STEP_FAILED: "failed",
    EventType.ATTEMPT_FAILED: "failed",
    EventType.STEP_CANCELLED: "cancelled",
    EventType.LEASE_LOST: "lost",
    EventType.STEP_RELEASED: "lost",
}
_GOES_ON = (EventType.ATTEMPT_FAILED, EventType.LEASE_LOST, EventType.STEP_RELEASED)
ENDINGS = (*_KINDS, EventType.STEP_REQUEUED)
"""The types of the events that end an attempt or, after a resume, begin the wait for one."""
_IDLE_SHARE = 0.08
"""The part of all work that a long time without any takes at most: what happened around it stays visible."""


class Ending(NamedTuple):
    """How an attempt ended, as the run's history has it."""

    node: str
    type: str
    attempt: int | None
    started_at: datetime | None
    at: datetime


@dataclass(frozen=True, slots=True)
class Bar:
    """A stretch of a step's life; `x` and `width` are percents of the whole, as SVG takes them."""

    kind: str
    attempt: int | None
    milliseconds: float
    x: str
    width: str


@dataclass(frozen=True, slots=True)
class Lane:
    """One step with its bars, and its place among all steps, from 1."""

    step: Row
    bars: Sequence[Bar]
    place: int


@dataclass(frozen=True, slots=True)
class Timeline:
    """All lanes, and how long the whole is; `idle` milliseconds of it are drawn short."""

    lanes: Sequence[Lane]
    milliseconds: float
    idle: float


class _Stretch(NamedTuple):
    kind: str
    attempt: int | None
    start: datetime
    end: datetime


def timeline(steps: Iterable[Row], endings: Iterable[Ending], now: datetime) -> Timeline | None:
    """The bars of the steps that began; None where nothing did. `endings` are in the order in which they happened."""
    of_node: dict[str, list[Ending]] = {}
    for ending in endings:
        of_node.setdefault(ending.node, []).append(ending)
    drawn = [
        (step, stretches, place)
        for place, step in enumerate(steps, 1)
        if step["status"] != "SKIPPED" and (stretches := _stretches(step, of_node.get(step["node"], []), now))
    ]
    spans = _merged((stretch.start, stretch.end) for _, stretches, _ in drawn for stretch in stretches)
    if not spans:
        return None
    scale = _Scale(spans)
    lanes = [
        Lane(step, [_bar(stretch, scale) for stretch in stretches], place) for step, stretches, place in drawn
    ]
    return Timeline(lanes, _milliseconds(spans[-1][1] - spans[0][0]), _milliseconds(scale.idle))


def _stretches(step: Row, endings: Iterable[Ending], now: datetime) -> list[_Stretch]:
    """A step's life so far, one stretch after another."""
    stretches: list[_Stretch] = []
    # Nobody works on such a step: all its time is waiting.
    waits = step["type"] in EXECUTABLE and EXECUTABLE[step["type"]].kind == "wait"
    since: datetime | None = step["queued_at"]
    for ending in endings:
        if ending.type == "STEP_REQUEUED":
            since = ending.at
            continue
        started = ending.started_at
        if since:
            stretches.append(_Stretch("wait", None, since, started or ending.at))
        if started:
            kind = (
                "wait"
                if waits and ending.type == EventType.STEP_COMPLETED
                else _KINDS[EventType(ending.type)]
            )
            stretches.append(_Stretch(kind, ending.attempt, started, ending.at))
        since = ending.at if ending.type in _GOES_ON else None
    if since and step["status"] in ("QUEUED", "WAITING"):
        stretches.append(_Stretch("wait", None, since, now))
    elif step["status"] == "RUNNING" and step["started_at"]:
        stretches.append(_Stretch("wait", None, since or step["started_at"], step["started_at"]))
        stretches.append(_Stretch("work", step["attempt"], step["started_at"], now))
    return [stretch for stretch in stretches if stretch.end > stretch.start]


def _merged(spans: Iterable[Span]) -> list[Span]:
    """The spans without overlaps, in order."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


class _Scale:
    """Where a moment lies from 0 to 100, with long times in which nothing went on drawn short."""

    def __init__(self, spans: Sequence[Span]) -> None:
        busy = sum((end - start for start, end in spans), timedelta())
        most = busy * _IDLE_SHARE
        self.idle = timedelta()
        self._spans: list[tuple[datetime, datetime, timedelta]] = []
        place, before = timedelta(), spans[0][0]
        for start, end in spans:
            gap = start - before
            self.idle += max(timedelta(), gap - most)
            place += min(gap, most)
            self._spans.append((start, end, place))
            place, before = place + (end - start), end
        self._whole = max(place, timedelta(microseconds=1))

    def at(self, moment: datetime) -> float:
        """The percent of a moment within one of the spans."""
        for start, end, place in self._spans:
            if moment <= end:
                return 100 * ((place + moment - start) / self._whole)
        return 100.0


def _bar(stretch: _Stretch, scale: _Scale) -> Bar:
    x = scale.at(stretch.start)
    width = scale.at(stretch.end) - x
    took = _milliseconds(stretch.end - stretch.start)
    return Bar(stretch.kind, stretch.attempt, took, f"{x:.2f}%", f"{width:.2f}%")


def _milliseconds(took: timedelta) -> float:
    return took / timedelta(milliseconds=1)
