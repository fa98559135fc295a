"""By which clocks the times of runs are counted: where people come into it by working hours, everywhere else by all.

A tenant's calendars are read anew with each tick; what is made of one is kept for as long as it says the same.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, date, timedelta
from functools import lru_cache
from typing import NamedTuple

from engine.graph import Graph, Node
from lib.clock import now_here
from lib.workdays import Exceptional, WorkCalendar
from lib.working_clock import Clock, WallClock, WorkingClock
from runs.kernel import graphs
from runs.kernel.working_time import STANDARD, CalendarKey, calendars
from runs.limits import WORKING_CLOCKS

WHOLE = ""
"""Instead of a node: from the beginning of a run to its end."""
DAYS_BEFORE, DAYS_BEHIND = timedelta(days=1_100), timedelta(days=1_100)
"""For so many days around this month working clocks know the hours."""


@lru_cache(maxsize=2_000)
def calendars_of(version: int) -> Mapping[str, str | None]:
    """From which nodes on people are asked in runs of a version as they go their usual ways (`WHOLE` where there are
    any), and by which calendar the time from there counts: that of the next tasks, if they have one of their own, or
    else that of the run's deadline; None: the default one. None of a version that can't be compiled.
    """
    try:
        graph = graphs.shown(version).graph
    except graphs.BrokenVersion:
        return {}
    usual = graph.sla_length.calendar if graph.sla_length else None
    by_node: dict[str, str | None] = {}
    for node in reversed([*graph.nodes.values()]):
        ahead = (edge.target for edge in node.edges if edge.kind != "timer")
        names = _asked_by(node) or {by_node[target] for target in ahead if target in by_node}
        if names:
            by_node[node.id] = _only(names, usual)
    return by_node | {WHOLE: _at_start(graph, by_node, usual)} if by_node else by_node


def _at_start(graph: Graph, by_node: Mapping[str, str | None], usual: str | None) -> str | None:
    return _only({by_node[node] for node in graph.starts if node in by_node}, usual)


def _only(names: set[str | None], usual: str | None) -> str | None:
    return next(iter(names)) or usual if len(names) == 1 else usual


def _asked_by(node: Node) -> set[str | None]:
    """The calendars of the tasks of a node, within it, too; none where it asks nobody."""
    does = [node, *([node.body] if node.body else [])]
    names = {one.params.constant("calendar") for one in does if one.spec.asks_people}
    return names.union(*(_asked_by(inner) for one in does if one.part for inner in one.part.nodes.values()))


class Clocks:
    """The clocks of versions' runs, by the calendars as they are now; each is read once."""

    wall: Clock = WallClock()

    def __init__(self) -> None:
        self._month = now_here().astimezone(UTC).date().replace(day=1)
        self._known: dict[CalendarKey, Clock | None] = {}

    def read(self, versions: Iterable[tuple[int, int]]) -> None:
        """Read the calendars that count for these versions, each with its tenant before it, as far as they are not
        known yet; in one statement.
        """
        keys = {
            _key(tenant, version, name)
            for tenant, version in versions
            for name in (None, *calendars_of(version).values())
        }
        if unknown := keys - self._known.keys():
            for one, calendar in calendars(unknown).items():
                self._known[one] = None if calendar is STANDARD else _clock(_hours(calendar), self._month)

    def working(self, tenant: int, version: int, node: str) -> Clock | None:
        """By which working hours people are at what follows a node of a version that was read; None where its tenant
        has no calendar.
        """
        return self._known[_key(tenant, version, calendars_of(version).get(node))]

    def of(self, tenant: int, version: int, node: str) -> tuple[Clock, bool]:
        """By which clock the time from a node to the end of a run is counted, and whether it is a working one."""
        clock = self.working(tenant, version, node) if node in calendars_of(version) else None
        return (self.wall, False) if clock is None else (clock, True)


def _key(tenant: int, version: int, name: str | None) -> CalendarKey:
    # The default one is the same for all versions of a tenant.
    return (tenant, version, name) if name else (tenant, 0, None)


class _Hours(NamedTuple):
    """When a calendar works, whatever it is called."""

    timezone: str
    weekdays: frozenset[int]
    opens: int
    closes: int
    region: str
    exceptions: tuple[tuple[date, Exceptional], ...]


def _hours(calendar: WorkCalendar) -> _Hours:
    exceptions = tuple(sorted(calendar.exceptions.items(), key=lambda day: day[0]))
    return _Hours(
        calendar.timezone, calendar.weekdays, calendar.opens, calendar.closes, calendar.region, exceptions
    )


@lru_cache(maxsize=WORKING_CLOCKS)
def _clock(hours: _Hours, month: date) -> Clock:
    calendar = WorkCalendar("", **hours._asdict() | {"exceptions": dict(hours.exceptions)})
    return WorkingClock(calendar, month - DAYS_BEFORE, month + DAYS_BEHIND)
