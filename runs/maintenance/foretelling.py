"""When a run is probably done: by how long runs before it went on from the step at which it is (docs/telemetry.md).

Where people come into it and the tenant has a calendar, its working hours count; all hours do everywhere else.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, timedelta
from functools import lru_cache
from typing import NamedTuple

from engine.graph import Node
from lib.clock import now_here
from lib.rest_times import RestTimes
from lib.working_clock import Clock, WallClock, WorkingClock
from runs.kernel import graphs
from runs.kernel.working_time import STANDARD, Named, calendars
from runs.store import forecasts as store
from runs.store.forecasts import Counts, ForecastRow, OpenRun, Rests, WantedRow

WHOLE = ""
"""Instead of a node: from the beginning of a run to its end."""
LEAST = 20
"""Fewer times than that tell nothing: then those of other versions count, then those of whole runs."""
LATEST_SECONDS = 3_650 * 86_400.0
"""What is told to be later than that from now is told as then."""
DAYS_BEFORE, DAYS_BEHIND = timedelta(days=1_100), timedelta(days=1_100)
"""For so many days around today working clocks know the hours."""
WALL = WallClock()


class People(NamedTuple):
    """Of a version: from which nodes on people are asked as it goes its usual ways (`WHOLE` where there are any), and
    by which calendar its deadline counts.
    """

    ahead: frozenset[str]
    calendar: str | None


NOBODY = People(frozenset(), None)


@lru_cache(maxsize=2_000)
def people_of(version: int) -> People:
    """Where people come into the runs of a version; where it can't be compiled, nowhere."""
    try:
        graph = graphs.shown(version).graph
    except graphs.BrokenVersion:
        return NOBODY
    found: set[str] = set()
    for node in reversed([*graph.nodes.values()]):
        usual = (edge.target for edge in node.edges if edge.kind != "timer")
        if _asks(node) or not found.isdisjoint(usual):
            found.add(node.id)
    length = graph.sla_length
    return People(frozenset(found | {WHOLE}), length.calendar if length else None) if found else NOBODY


def _asks(node: Node) -> bool:
    does = [node, *([node.body] if node.body else [])]
    parts = [inner for one in does if one.part for inner in one.part.nodes.values()]
    return any(one.spec.asks_people for one in does) or any(_asks(inner) for inner in parts)


class Clocks:
    """The clocks of versions' runs; each calendar is read once."""

    def __init__(self) -> None:
        today = now_here().astimezone(UTC).date()
        self._first, self._last = today - DAYS_BEFORE, today + DAYS_BEHIND
        self._known: dict[Named, Clock | None] = {}

    def working(self, tenant: int, version: int) -> Clock | None:
        """By which working hours people are at runs of a version; None where the tenant has no calendar."""
        named = (tenant, people_of(version).calendar)
        if named not in self._known:
            calendar = calendars([named])[named]
            is_there = calendar is not STANDARD
            self._known[named] = WorkingClock(calendar, self._first, self._last) if is_there else None
        return self._known[named]

    def of(self, tenant: int, version: int, node: str) -> tuple[Clock, bool]:
        """By which clock the time from a node to the end of a run is counted, and whether it is a working one."""
        clock = self.working(tenant, version) if node in people_of(version).ahead else None
        return (WALL, False) if clock is None else (clock, True)


class Past:
    """How long runs took, read as it is asked for."""

    def __init__(self, clocks: Clocks) -> None:
        self._clocks = clocks
        self._read: dict[tuple[int, str], dict[bool, Rests]] = {}
        self._told: dict[tuple[int, str], tuple[RestTimes, Clock] | None] = {}

    def read(self, runs: Iterable[OpenRun]) -> None:
        """Read the times of these runs' open steps, as far as they are not known yet; in one statement."""
        wanted: dict[tuple[int, str], WantedRow] = {}
        for run in runs:
            for node in {WHOLE, *(step[0] for step in run.steps)}:
                if (run.version_id, node) not in self._read:
                    wanted[run.version_id, node] = {
                        "tenant_id": run.tenant_id,
                        "workflow_id": run.workflow_id,
                        "version_id": run.version_id,
                        "node": node,
                    }
        if not wanted:
            return
        self._read |= {key: {} for key in wanted}
        for (version, node, is_working), rests in store.rest_times([*wanted.values()]).items():
            self._read[version, node][is_working] = rests

    def of(self, run: OpenRun, node: str) -> tuple[RestTimes, Clock] | None:
        """How long runs went on from a node, and by which clock; None where too few did."""
        key = (run.version_id, node)
        if key not in self._told:
            self._told[key] = self._of(run, self._read[key])
        return self._told[key]

    def _of(self, run: OpenRun, found: Mapping[bool, Rests]) -> tuple[RestTimes, Clock] | None:
        working = self._clocks.working(run.tenant_id, run.version_id) if True in found else None
        clocks = {False: WALL, **({} if working is None else {True: working})}
        for scope in ("own", "all"):
            counts: dict[bool, Counts] = {way: getattr(found[way], scope) for way in found if way in clocks}
            way = max(counts, key=lambda one: sum(counts[one].values()), default=False)
            if sum(counts.get(way, {}).values()) >= LEAST:
                return RestTimes(counts[way]), clocks[way]
        return None


def foretold(run: OpenRun, now: float, past: Past) -> ForecastRow | None:
    """When a run is probably done: of its open steps that one counts which promises the latest end. None where nobody
    knows.
    """
    rows = []
    for node, due, least in run.steps:
        known, since = past.of(run, node), due
        if known is None:
            known, since = past.of(run, WHOLE), run.began
        if known is not None:
            rows.append(_row(run, now, since, least, *known))
    return max(rows, key=lambda row: row["p90"], default=None)


def _row(
    run: OpenRun, now: float, since: float, least: float | None, rests: RestTimes, clock: Clock
) -> ForecastRow:
    start = clock.place(since)
    passed = max(0.0, clock.place(now) - start)
    earliest = max(now, least or now)
    p50, p90 = (
        min(max(earliest, clock.moment(start + rests.quantile(share, passed))), now + LATEST_SECONDS)
        for share in (0.5, 0.9)
    )
    risk = None
    if run.deadline is not None:
        is_missed = run.deadline <= earliest
        risk = 1.0 if is_missed else round(rests.risk(clock.place(run.deadline) - start, passed), 3)
    return {"run_id": run.id, "p50": p50, "p90": p90, "risk": risk}


def foretell(runs: Sequence[str], past: Past) -> None:
    """Keep anew when these runs are probably done; of those that don't go on nothing is told."""
    now, found = store.open_runs(runs)
    past.read(found)
    store.keep(runs, [row for run in found if (row := foretold(run, now, past))])
