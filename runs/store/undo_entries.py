"""The statements of plans by which trees of runs undo what they did, as typed functions (SQL in `sql/saga.sql`)."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypedDict

from engine.verbs import PausedAbove
from lib.clock import now_or_none
from runs.limits import UNDO_ROWS
from runs.store.hot import SQL, document


class UndoableRow(TypedDict):
    """A node of a run that can be undone, and whether it is where nobody knows its outcome (`undoable_steps`)."""

    run_id: str
    node: str
    unknown: bool


class ContentRow(TypedDict):
    """A container of which child runs did something (`completed_containers`)."""

    run_id: str
    node: str


class EntryKey(TypedDict):
    """An entry of the plan of a run (`release_undo_entries`, `end_undo_entries`)."""

    run_id: str
    seq: int


class EntryRow(EntryKey):
    """An entry to write (`insert_undo_entries`)."""

    target_id: str | None
    node: str | None
    blocked: int
    releases: Sequence[int]
    state: str


class OrderRow(EntryKey):
    """An entry of which another run is told (`tell_to_undo`)."""

    target_id: str
    node: str | None


class AnswerRow(EntryKey):
    """An entry of which the driver is told that it is settled (`tell_drivers`)."""

    target_id: str


class SunkRun(NamedTuple):
    """An open run whose sinks are resolved: it waits for what is being undone below it."""

    id: str
    tenant: int
    shard: int
    version: int
    priority: int


class RunBelow(NamedTuple):
    """A child run below the run `driver`, begun for the step `node` (its `item`) of the run `parent`."""

    driver: str
    id: str
    parent: str
    node: str
    item: int | None
    version: int
    is_open: bool


class UndoableStep(NamedTuple):
    """A step that is to be undone, and when it was done, in seconds."""

    run: str
    node: str
    at: float
    is_completed: bool


class UndoEntry(NamedTuple):
    """An entry that has begun: of the run `target`, which undoes `node`, or ends its undoing."""

    run: str
    seq: int
    target: str
    node: str | None

    @property
    def key(self) -> EntryKey:
        """The columns that identify it."""
        return {"run_id": self.run, "seq": self.seq}


class SettledEntry(NamedTuple):
    """An entry of the plan of `run` that is settled in `target`."""

    run: str
    seq: int
    target: str

    @property
    def key(self) -> EntryKey:
        """The columns that identify it."""
        return {"run_id": self.run, "seq": self.seq}


def hold_trees(runs: Iterable[str], *, roots: bool = True) -> None:
    """Wait until nobody else plans in the trees of these runs, or reopens a child run of them; held until the commit.

    Without `roots` only the trees of child runs are held.
    """
    SQL.value("hold_tree", {"runs": sorted(runs), "roots": roots})


def versions_of_trees(runs: Iterable[str], *, roots: bool = False) -> set[int]:
    """The ids of the versions that the child runs in the trees of these runs follow, and, with `roots`, their roots."""
    return set(SQL.value("versions_of_trees", {"runs": sorted(runs), "roots": roots}))


def runs_below(runs: Iterable[str]) -> list[RunBelow]:
    """All child runs below these runs, by their parents, steps and items."""
    return [RunBelow(*row) for row in SQL.value("runs_below", {"runs": sorted(runs)})]


def undoable_steps(rows: Sequence[UndoableRow]) -> list[UndoableStep]:
    """Those of these nodes of runs that are to be undone."""
    params = {"runs": sorted({row["run_id"] for row in rows}), "nodes": document(rows)}
    return [UndoableStep(*row) for row in SQL.value("undoable_steps", params)]


def completed_containers(rows: Sequence[ContentRow]) -> dict[tuple[str, str], float]:
    """By run and node, when these containers completed, in seconds; those that did not are left out."""
    completed = SQL.value("completed_containers", {"nodes": document(rows)})
    return {(run, node): at for run, node, at in completed}


def insert_entries(rows: Sequence[EntryRow]) -> None:
    """Write the entries of plans, whose runs are held FOR UPDATE."""
    for start in range(0, len(rows), UNDO_ROWS):
        SQL.execute("insert_undo_entries", {"entries": document(rows[start : start + UNDO_ROWS])})


def release_entries(rows: Sequence[EntryKey]) -> None:
    """Unblock what waited for these entries, which are settled."""
    SQL.execute("release_undo_entries", {"entries": document(rows)})


def begin_entries(runs: Iterable[str]) -> tuple[list[EntryKey], list[UndoEntry]]:
    """Begin the entries of these runs that nothing blocks; gives barriers, which that settles, and the others."""
    begun = SQL.value("begin_undo_entries", {"runs": sorted(runs)})
    barriers: list[EntryKey] = [
        {"run_id": run, "seq": seq} for run, seq, target, _ in begun if target is None
    ]
    return barriers, [UndoEntry(*row) for row in begun if row[2] is not None]


def settle_entries(runs: Iterable[str]) -> list[SettledEntry]:
    """Settle the entries whose compensations, in these runs, are over."""
    return [SettledEntry(*row) for row in SQL.value("settle_undo_entries", {"runs": sorted(runs)})]


def end_entries(rows: Sequence[EntryKey]) -> None:
    """Settle these entries, of which nothing is to be done any more."""
    SQL.execute("end_undo_entries", {"entries": document(rows)})


def entries_without_step(runs: Iterable[str]) -> list[UndoEntry]:
    """Entries that have begun in these runs, and whose compensations are gone."""
    return [UndoEntry(*row) for row in SQL.value("entries_without_step", {"runs": sorted(runs)})]


def without_entries(runs: Iterable[str]) -> set[str]:
    """Those of these runs that undo what they did without a plan: an earlier release had begun that."""
    return set(SQL.value("without_undo_entries", {"runs": sorted(runs)}))


def undoes_below(run: str, node: str) -> bool:
    """Whether a run that this step, or an item of it, waits for undoes what it did."""
    return bool(SQL.value("undoes_below", {"run": run, "node": node}))


def undoing_below(runs: Iterable[str]) -> set[str]:
    """Those of these runs below which a run has failed and not ended yet: it undoes what it did."""
    return set(SQL.value("undoing_below", {"runs": sorted(runs)}))


def sunk_runs(runs: Iterable[str]) -> list[SunkRun]:
    """Those of these runs that are open although their sinks are resolved."""
    return [SunkRun(*row) for row in SQL.value("sunk_runs", {"runs": sorted(runs)})]


def undo_progress(run: str) -> tuple[int, int]:
    """How many of the steps that the plan of this run undoes are settled, and how many it undoes."""
    done, steps = SQL.value("undo_progress", {"run": run})
    return done, steps


def with_entries(runs: Iterable[str]) -> set[str]:
    """Those of these runs that drive plans."""
    return set(SQL.value("with_undo_entries", {"runs": sorted(runs)}))


def tell_to_undo(entries: Sequence[UndoEntry], *, later: bool = False) -> None:
    """Tell runs below the drivers, which are held FOR UPDATE, what to undo; `later`: in a second, since they go on."""
    rows: list[OrderRow] = [
        {"run_id": entry.run, "seq": entry.seq, "target_id": entry.target, "node": entry.node}
        for entry in entries
    ]
    SQL.execute("tell_to_undo", {"entries": document(rows), "later": int(later), "now": now_or_none()})


def tell_drivers(entries: Sequence[SettledEntry]) -> None:
    """Tell drivers which of their entries are settled in runs that are held FOR UPDATE."""
    rows: list[AnswerRow] = [
        {"run_id": entry.run, "seq": entry.seq, "target_id": entry.target} for entry in entries
    ]
    SQL.execute("tell_drivers", {"entries": document(rows), "now": now_or_none()})


def close_later(runs: Iterable[str]) -> None:
    """Have closing runs look again, a second later, whether they can end."""
    SQL.execute("close_later", {"runs": sorted(runs), "now": now_or_none()})


def begin_undoing(runs: Iterable[str]) -> int:
    """Have runs, which have closed or ended, undo what they did; gives how many parents are told."""
    return int(SQL.value("begin_undoing", {"runs": sorted(runs), "now": now_or_none()}))


def restate(runs: Iterable[str]) -> int:
    """Have runs that undo, or only wait for children that do, stand by that; gives how many parents are told."""
    return int(SQL.value("restate", {"runs": sorted(runs), "now": now_or_none()}))


class Above(NamedTuple):
    """What stands above a run: one that closes or undoes what it did, and the topmost one that is paused."""

    closes: bool
    paused: PausedAbove | None


def standing_above(runs: Iterable[str]) -> dict[str, Above]:
    """Of these runs those above which a run closes, undoes what it did, or is paused."""
    rows = SQL.value("standing_above", {"runs": sorted(runs)})
    return {run: Above(closes, PausedAbove(*paused) if paused else None) for run, closes, paused in rows}
