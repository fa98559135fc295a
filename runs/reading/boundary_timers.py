"""Timers that run beside the steps of a run: what each begins, when, and by which calendar that was counted."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from engine.graph import Graph
from engine.timers import BoundaryTimer, WorkingDays
from runs.kernel import graphs
from runs.kernel.working_time import KeptCalendar, calendars, later
from runs.store import waits
from runs.store.waits import TimerBeside

_NEAR = timedelta(minutes=1)
"""A timer is armed a moment after its step's turn has come."""


@dataclass(frozen=True, slots=True)
class Beside:
    """A timer beside a step: at `at` the step called `title` begins; `interrupting`: in its place.

    `counts`: how many working days of which calendar that is; "" where all hours count, and where the calendar is
    another one since, by which they would be over at another time.
    """

    title: str
    at: datetime
    interrupting: bool
    counts: str


def timers_beside(tenant: int, run_id: UUID) -> dict[str, list[Beside]]:
    """By step, the timers beside it that may still fire, the first one first. Two statements at most."""
    rows = waits.timers_beside(tenant, run_id)
    if not rows:
        return {}
    graph = graphs.shown(rows[0].version_id).graph
    lengths = {row.id: timer.length for row in rows if (timer := _said(graph, row)) and timer.length}
    version = rows[0].version_id
    work_calendars = calendars((tenant, version, length.calendar) for length in lengths.values())
    beside: dict[str, list[Beside]] = {}
    for row in rows:
        length: WorkingDays | None = lengths.get(row.id)
        counts = (
            ""
            if length is None
            else _counts(row, row.turn, work_calendars[tenant, version, length.calendar], length)
        )
        beside.setdefault(str(row.step_id), []).append(
            Beside(_title(graph, row.target), row.fire_at, row.interrupting, counts)
        )
    return beside


def _counts(row: TimerBeside, turn: datetime, calendar: KeptCalendar, length: WorkingDays) -> str:
    """In words how a timer beside a step, whose turn came then, was counted; "" where that gives another moment."""
    # Beside a step that was opened again it counts from then: its id says when it was armed.
    armed_at = datetime.fromtimestamp((row.id.int >> 80) / 1000, UTC)
    for start in (turn, armed_at):
        end, words = later(calendar, start, length)
        if abs(end - row.fire_at) <= _NEAR:
            return words
    return ""


def _title(graph: Graph, node: str) -> str:
    step = graph.nodes.get(node)
    return step.title if step else node


def _said(graph: Graph, row: TimerBeside) -> BoundaryTimer | None:
    """The timer as the version has it that the run is on."""
    step = graph.nodes.get(row.node)
    same = (
        timer
        for timer in (step.boundary if step else ())
        if (timer.target, timer.interrupting) == (row.target, row.interrupting)
    )
    return next(same, None)
