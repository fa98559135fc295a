"""How long runs took, kept by the process that learns it: what it has read once it counts on by itself.

Counts of a week that is over change, too, by runs that are learned from late. So nothing is read for being new in the
table: whoever learns adds what it learned to what it knows, and what others have learned meanwhile makes it read anew.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from lib.rest_times import RestTimes
from runs.limits import PAST_COUNTS
from runs.maintenance.clocks import WHOLE
from runs.store import forecasts as store
from runs.store.forecasts import Counts, OpenRun, RestRow, Rests, WantedRow

LEAST = 20
"""Fewer times than that tell nothing: then those of other versions count, then those of whole runs."""
NEWS = 50
"""What was learned is told by when there is a fiftieth more of it."""
Key = tuple[int, str]
"""A version, and a node of it, or `WHOLE`."""


@dataclass(slots=True)
class _Known:
    """What is known of a node: by whether working hours count how often each time was; what was `told` by it, and how
    many times came to it since.
    """

    workflow_id: int
    ways: dict[bool, Rests]
    told: tuple[RestTimes, bool] | None = None
    told_for: bool | None = None
    added: int = 0

    @property
    def size(self) -> int:
        """How many counts it has."""
        return sum(len(rests.own) + len(rests.all) for rests in self.ways.values())

    def has_news(self, may_work: bool) -> bool:
        """Whether something else is told by it than was."""
        return self.told_for != may_work or self.added * NEWS > (self.told[0].total if self.told else 0)


class Past:
    """How long runs took, as far as it is learned from history up to an id, and as it counts in a week."""

    def __init__(self) -> None:
        self._upto: int | None = None
        self._week = ""
        self._size = 0
        self._known: dict[Key, _Known] = {}
        self._versions: dict[tuple[int, str], set[int]] = {}

    def is_learned_up_to(self, event: int) -> None:
        """Up to this id it is learned: whoever knows of another one forgets all, to read it anew."""
        if event != self._upto:
            self._forget_all()
            self._upto = event

    def add(self, rows: Iterable[RestRow], upto: int) -> None:
        """These times have been learned beside what is known, by which it is learned up to this id."""
        self._upto = upto
        for row in rows:
            for version in self._versions.get((row["workflow_id"], row["node"]), ()):
                self._count(self._known[version, row["node"]], row, is_own=version == row["version_id"])

    def _count(self, entry: _Known, row: RestRow, *, is_own: bool) -> None:
        self._size -= entry.size
        rests = entry.ways.setdefault(row["is_working"], Rests({}, {}))
        of = (row["lasted"], row["bucket"])
        for counts in (rests.all, rests.own) if is_own else (rests.all,):
            counts[of] = counts.get(of, 0) + row["times"]
        self._size += entry.size
        entry.added += row["times"]

    def read(self, runs: Iterable[OpenRun], now: float) -> None:
        """Read the times of these runs' open steps, as far as they are not known yet; in one statement."""
        if (week := week_of(now)) != self._week:
            self._forget_all()
            self._week = week
        rows: dict[Key, WantedRow] = {}
        for run in runs:
            for node in {WHOLE, *(step[0] for step in run.steps)}:
                rows[run.version_id, node] = {
                    "tenant_id": run.tenant_id,
                    "workflow_id": run.workflow_id,
                    "version_id": run.version_id,
                    "node": node,
                }
        for key in rows.keys() & self._known.keys():
            self._known[key] = self._known.pop(key)
        if unknown := [row for key, row in rows.items() if key not in self._known]:
            self._read(unknown)
        self._make_room(rows)

    def _read(self, rows: list[WantedRow]) -> None:
        rests = store.rest_times(rows)
        for row in rows:
            version, node = row["version_id"], row["node"]
            ways = {way: rests[version, node, way] for way in (False, True) if (version, node, way) in rests}
            entry = self._known[version, node] = _Known(row["workflow_id"], ways)
            self._size += entry.size
            self._versions.setdefault((row["workflow_id"], node), set()).add(version)

    def _make_room(self, keys: Collection[Key]) -> None:
        for key in [*self._known]:
            if self._size <= PAST_COUNTS or key in keys:
                return
            (version, node), entry = key, self._known.pop(key)
            self._size -= entry.size
            self._versions[entry.workflow_id, node].discard(version)

    def _forget_all(self) -> None:
        self._known, self._versions, self._size = {}, {}, 0

    def of(self, version: int, node: str, *, may_work: bool) -> tuple[RestTimes, bool] | None:
        """How long runs went on from a node that was read, and whether that is in working hours (only where it
        `may_work`: there is a clock for them); None where too few did.
        """
        entry = self._known[version, node]
        if entry.has_news(may_work):
            entry.told, entry.told_for, entry.added = _told(entry.ways, may_work), may_work, 0
        return entry.told


def _told(ways: Mapping[bool, Rests], may_work: bool) -> tuple[RestTimes, bool] | None:
    for scope in ("own", "all"):
        counts: dict[bool, Counts] = {
            way: getattr(rests, scope) for way, rests in ways.items() if may_work or not way
        }
        way = max(counts, key=lambda one: sum(counts[one].values()), default=False)
        if sum(counts.get(way, {}).values()) >= LEAST:
            return RestTimes(counts[way]), way
    return None


def week_of(moment: float) -> str:
    """The Monday (UTC) of the week of a moment, in seconds since 1970."""
    day = datetime.fromtimestamp(moment, UTC).date()
    return (day - timedelta(days=day.weekday())).isoformat()
