"""A run's steps as bars over time (R-197): what waited, worked and failed. Pure; a template draws it."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain, pairwise
from typing import Any, NamedTuple, Protocol

from engine.events import EventType
from runs.limits import LANE_BARS, TIMELINE_GAPS, TIMELINE_LANES
from runs.reading.critical import critical_path
from steps.catalogue import EXECUTABLE

Row = Mapping[str, Any]

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
_WAIT_SHARE = 0.5
"""The same of a long time in which nothing but waiting went on."""
_LONG = timedelta(minutes=1)
_THIN = 0.2
"""What took no time is so many percents wide: SVG draws nothing that has no width."""
_WAITING = ("wait", "people")


class Timed(Protocol):
    """A step in a run below, as a lane takes it."""

    @property
    def type(self) -> str: ...
    @property
    def status(self) -> str: ...
    @property
    def started_at(self) -> datetime: ...
    @property
    def completed_at(self) -> datetime | None: ...


class Inner(NamedTuple):
    """The same step in the runs below a step of the run, of all items together."""

    node: str
    title: str
    steps: list[Timed]


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
    """One step with its bars, and its place among all steps, from 1; `is_critical`: the run took as long as it did
    because of it, too. `is_inner`: the bars are those of the runs below the step before.
    """

    step: Row
    bars: Sequence[Bar]
    place: int
    is_critical: bool = False
    is_inner: bool = False


@dataclass(frozen=True, slots=True)
class Gap:
    """A time that is drawn short; `title`: the step that waited then, if one did, and whether for `people`."""

    x: str
    width: str
    milliseconds: float
    title: str
    people: bool


@dataclass(frozen=True, slots=True)
class Timeline:
    """The lanes, and how long the whole is; `idle` milliseconds of it, those of the `gaps`, are drawn short.

    `critical` are the titles of the steps of the critical path; `left_out` lanes are not there.
    """

    lanes: Sequence[Lane]
    milliseconds: float
    idle: float
    gaps: Sequence[Gap] = ()
    critical: Sequence[str] = ()
    left_out: int = 0


class _Stretch(NamedTuple):
    kind: str
    attempt: int | None
    start: datetime
    end: datetime


_Track = tuple[Row, list[_Stretch], int]
"""A step, its life so far and its place."""


def timeline(
    steps: Iterable[Row],
    endings: Iterable[Ending],
    now: datetime,
    before: Mapping[str, Sequence[str]] | None = None,
    inner: Iterable[Inner] = (),
) -> Timeline | None:
    """The bars of the steps that began; None where nothing did. `endings` are in the order in which they happened;
    `before` has the predecessors of each step, `inner` what goes below the lane of each.
    """
    of_node: dict[str, list[Ending]] = {}
    for ending in endings:
        of_node.setdefault(ending.node, []).append(ending)
    tracks = [
        (step, stretches, place)
        for place, step in enumerate(steps, 1)
        if step["status"] != "SKIPPED" and (stretches := _stretches(step, of_node.get(step["node"], []), now))
    ]
    if not tracks:
        return None
    within = _inner_tracks(inner, tracks, now)
    all_tracks = [*tracks, *chain.from_iterable(within.values())]
    scale = _Scale(stretch for _, stretches, _ in all_tracks for stretch in stretches)
    spans = {step["node"]: (stretches[0].start, stretches[-1].end) for step, stretches, _ in tracks}
    path = critical_path(spans, before) if before is not None else []
    on_path = set(path)
    lanes = [
        Lane(
            row,
            [_bar(one, scale) for one in stretches],
            place,
            row is step and row["node"] in on_path,
            row is not step,
        )
        for step, own, at in tracks
        for row, stretches, place in [(step, own, at), *within.get(step["node"], ())]
    ]
    titles = {step["node"]: _title(step) for step, _, _ in tracks}
    return Timeline(
        lanes[:TIMELINE_LANES],
        _milliseconds(scale.end - scale.start),
        _milliseconds(scale.idle),
        [_gap(part, scale, all_tracks) for part in scale.longest_short(TIMELINE_GAPS)],
        [titles[node] for node in path],
        max(0, len(lanes) - TIMELINE_LANES),
    )


def _inner_tracks(inner: Iterable[Inner], tracks: Iterable[_Track], now: datetime) -> dict[str, list[_Track]]:
    """The tracks below that of each node, in the order in which they began."""
    places = {step["node"]: place for step, _, place in tracks}
    by_node: dict[str, list[_Track]] = {}
    for node, title, steps in inner:
        spans = [
            _Stretch(_kind(step, now), None, step.started_at, min(step.completed_at or now, now))
            for step in steps
            if step.started_at <= now
        ]
        if spans and node in places:
            has_failed = any(span.kind == "failed" for span in spans)
            row = {
                "node": node,
                "title": title,
                "status": "",
                "error": has_failed or None,
                "duration_ms": None,
            }
            by_node.setdefault(node, []).append((row, _together(spans), places[node]))
    for those in by_node.values():
        those.sort(key=lambda track: track[1][0].start)
    return by_node


def _kind(step: Timed, now: datetime) -> str:
    if EXECUTABLE[step.type].asks_people:
        return "people"
    if step.completed_at is None or step.completed_at > now:
        return "work"
    return {"FAILED": "failed", "CANCELLED": "cancelled"}.get(step.status, "done")


def _together(spans: Iterable[_Stretch]) -> list[_Stretch]:
    """The spans in their order, those of a kind that meet, or nearly do, as one."""
    ordered = sorted(spans, key=lambda span: span.start)
    near = (max(span.end for span in ordered) - ordered[0].start) / LANE_BARS
    joined: dict[str, list[_Stretch]] = {}
    for span in ordered:
        those = joined.setdefault(span.kind, [])
        if those and span.start - those[-1].end <= near:
            those[-1] = those[-1]._replace(end=max(those[-1].end, span.end))
        else:
            those.append(span)
    return sorted(chain.from_iterable(joined.values()), key=lambda span: span.start)


def _title(step: Row) -> str:
    return str(step.get("title") or step["node"])


def _stretches(step: Row, endings: Iterable[Ending], now: datetime) -> list[_Stretch]:
    """A step's life so far, one stretch after another."""
    stretches: list[_Stretch] = []
    spec = EXECUTABLE.get(step["type"])
    # Nobody works on such a step: all its time is waiting.
    waits = spec is not None and spec.kind == "wait"
    waiting = "people" if spec is not None and spec.asks_people else "wait"
    since: datetime | None = step["queued_at"]
    for ending in endings:
        if ending.type == "STEP_REQUEUED":
            since = ending.at
            continue
        started = ending.started_at
        if since:
            stretches.append(_Stretch("wait" if started else waiting, None, since, started or ending.at))
        if started or ending.type == EventType.STEP_COMPLETED:
            # What is done within the decision that led to it takes no time, and is marked all the same.
            kind = (
                waiting
                if waits and ending.type == EventType.STEP_COMPLETED
                else _KINDS[EventType(ending.type)]
            )
            stretches.append(_Stretch(kind, ending.attempt, started or ending.at, ending.at))
        since = ending.at if ending.type in _GOES_ON else None
    if since and step["status"] in ("QUEUED", "WAITING"):
        kind = waiting if step["status"] == "WAITING" else "wait"
        stretches.append(_Stretch(kind, None, since, now))
    elif step["status"] == "RUNNING" and step["started_at"]:
        stretches.append(_Stretch("wait", None, since or step["started_at"], step["started_at"]))
        stretches.append(_Stretch("work", step["attempt"], step["started_at"], now))
    return [
        stretch
        for stretch in stretches
        if stretch.end > stretch.start or stretch.kind not in (*_WAITING, "work")
    ]


class _Part(NamedTuple):
    """A part of the time: whether machines worked in it, and whether anything waited; from `place` on it is drawn as
    long as `drawn` says.
    """

    start: datetime
    end: datetime
    works: bool
    waits: bool
    place: timedelta
    drawn: timedelta

    @property
    def is_short(self) -> bool:
        return self.drawn < self.end - self.start


class _Scale:
    """Where a moment lies from 0 to 100, with long times in which nothing worked drawn short."""

    def __init__(self, stretches: Iterable[_Stretch]) -> None:
        raw = _parts(stretches)
        self.start, self.end = raw[0][0], raw[-1][1]
        busy = sum((end - start for start, end, works, _ in raw if works), timedelta())
        busy = busy or sum((end - start for start, end, _, waits in raw if waits), timedelta())
        self._parts: list[_Part] = []
        place = timedelta()
        for start, end, works, waits in raw:
            length = end - start
            if waits and not works and length > _LONG:
                length = min(length, busy * _WAIT_SHARE)
            elif not works and not waits:
                length = min(length, busy * _IDLE_SHARE)
            self._parts.append(_Part(start, end, works, waits, place, length))
            place += length
        self._whole = max(place, timedelta(microseconds=1))
        self._ends = [part.end for part in self._parts]
        self.idle = sum(
            ((part.end - part.start) - part.drawn for part in self._parts if part.is_short), timedelta()
        )

    def longest_short(self, most: int) -> list[_Part]:
        """The longest of the parts that are drawn short, in their order."""
        short = sorted(
            (part for part in self._parts if part.is_short), key=lambda part: part.start - part.end
        )
        return sorted(short[:most])

    def at(self, moment: datetime) -> float:
        """The percent of a moment within the whole."""
        index = bisect_left(self._ends, moment)
        if index == len(self._parts):
            return 100.0
        part = self._parts[index]
        share = (moment - part.start) / max(part.end - part.start, timedelta(microseconds=1))
        return 100 * ((part.place + part.drawn * share) / self._whole)


def _parts(stretches: Iterable[_Stretch]) -> list[tuple[datetime, datetime, bool, bool]]:
    """The whole time in parts: from when, until when, whether anything worked, whether anything waited."""
    changes: dict[datetime, list[int]] = {}
    for stretch in stretches:
        column = 1 if stretch.kind in _WAITING else 0
        changes.setdefault(stretch.start, [0, 0])[column] += 1
        changes.setdefault(stretch.end, [0, 0])[column] -= 1
    moments = sorted(changes)
    if len(moments) == 1:
        return [(moments[0], moments[0], True, False)]
    parts: list[tuple[datetime, datetime, bool, bool]] = []
    working = waiting = 0
    for start, end in pairwise(moments):
        working += changes[start][0]
        waiting += changes[start][1]
        state = (working > 0, waiting > 0)
        if parts and parts[-1][2:] == state:
            parts[-1] = (parts[-1][0], end, *state)
        else:
            parts.append((start, end, *state))
    return parts


def _gap(part: _Part, scale: _Scale, tracks: Iterable[_Track]) -> Gap:
    """A part that is drawn short, with the step that waited longest in it, one for people before others."""
    waiting = [
        (stretch.kind != "people", max(stretch.start, part.start) - min(stretch.end, part.end), place, step)
        for step, stretches, place in tracks
        for stretch in stretches
        if stretch.kind in _WAITING and stretch.start < part.end and part.start < stretch.end
    ]
    first = min(waiting, key=lambda each: each[:3], default=None)
    x = scale.at(part.start)
    return Gap(
        f"{x:.2f}%",
        f"{scale.at(part.end) - x:.2f}%",
        _milliseconds(part.end - part.start),
        _title(first[3]) if first else "",
        first is not None and not first[0],
    )


def _bar(stretch: _Stretch, scale: _Scale) -> Bar:
    least = 0.0 if stretch.kind in _WAITING else _THIN
    x = min(scale.at(stretch.start), 100 - least)
    width = max(scale.at(stretch.end) - x, least)
    took = _milliseconds(stretch.end - stretch.start)
    return Bar(stretch.kind, stretch.attempt, took, f"{x:.2f}%", f"{width:.2f}%")


def _milliseconds(took: timedelta) -> float:
    return took / timedelta(milliseconds=1)
