"""The statements of the stuck check and its repairs as typed functions (SQL in `sql/stuck.sql`)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engine.catalogue import Json
from lib.clock import now_or_none
from lib.uuid7 import uuid7
from runs.store.attempts import ClaimedStep, LockedRun, claimed_of
from runs.store.hot import SQL, Row, document
from runs.store.rows import CountedRow, RepairRow

RepairKey = tuple[str, int, str, str | None, int | None]
"""Run, life, what, node and index of a finding."""


class Finding(NamedTuple):
    """Something that nothing moves: `what` of a run, of its step or join `node`, or of its item `item`."""

    run_id: str
    tenant_id: int
    life: int
    what: str
    node: str | None
    item: int | None = None

    @property
    def key(self) -> RepairKey:
        """What tells whether it was repaired, or reported, before."""
        return self.run_id, self.life, self.what, self.node, self.item


class OpenJoin(NamedTuple):
    """A join that has not fired, with the steps of its run that are open."""

    run_id: str
    tenant_id: int
    life: int
    version_id: int
    node: str
    arrived: int
    taken: int
    open_nodes: Sequence[str]


class Alone(NamedTuple):
    """A run that is held FOR UPDATE."""

    id: str
    tenant_id: int
    shard: int
    version_id: int
    status: str
    priority: int
    life: int
    input: Json
    has_failed: bool

    @property
    def locked(self) -> LockedRun:
        """The same as what others know of a locked run."""
        return LockedRun(self.status, self.priority, self.has_failed)


@dataclass(frozen=True, slots=True)
class Sleeper:
    """A step that waits, what it says it waits for, and whether a timer of that is there."""

    step: ClaimedStep
    wait: Json
    is_timed: bool


def open_runs(limit: int) -> list[str]:
    """The next open runs behind the duty's cursor."""
    ids: list[str] = SQL.value("open_runs", {"limit": limit})
    return ids


def move_cursor(after: str) -> None:
    """The duty has come as far as this run."""
    SQL.execute("move_cursor", {"after": after})


def stuck_among(runs: Iterable[str]) -> tuple[list[Finding], list[OpenJoin]]:
    """What has no wake source in these runs, and their joins that have not fired."""
    stuck = SQL.value("stuck_among", {"runs": sorted(runs)})
    return [Finding(*row) for row in stuck["found"]], [OpenJoin(*row) for row in stuck["joins"]]


def overdue_timers(limit: int) -> list[Finding]:
    """Timers of runs that have ended, which should have fired a minute ago."""
    return [Finding(*row) for row in SQL.value("overdue_timers", {"limit": limit, "now": now_or_none()})]


def lock_unless_busy(run: str) -> Alone | None:
    """Have the run alone; None where somebody else has it, or it is gone."""
    row = SQL.value("lock_unless_busy", {"run": run})
    return None if row is None else Alone(*row)


def say_repaired(run: str, node: str | None, payload: Row) -> None:
    """Write into the history of an open run what is repaired."""
    params = {"run": run, "node": node, "payload": document(payload), "now": now_or_none()}
    SQL.execute("say_repaired", params)


def note_repairs(repairs: Sequence[RepairRow]) -> None:
    """Count repairs, and what can't be repaired."""
    SQL.execute("note_repairs", {"repairs": document(repairs)})


def known_repairs(runs: Iterable[str]) -> dict[tuple[RepairKey, bool], int]:
    """What of these runs was repaired (True) or reported as beyond repair (False), and how often."""
    rows = SQL.value("known_repairs", {"runs": sorted(runs)})
    return {(tuple(key), is_done): count for *key, is_done, count in rows}


def let_go(run: str) -> set[str]:
    """Hold no steps of a run that is not paused; gives their queues."""
    return set(SQL.column("let_go", {"run": run}))


def drop_timers(run: str) -> None:
    """Cancel timers whose step is over."""
    SQL.execute("drop_timers", {"run": run, "now": now_or_none()})


def sleeper(run: str, node: str, index: int | None) -> Sleeper | None:
    """The step of this name, or its item `index`; None unless it waits."""
    row = SQL.value("sleeper", {"run": run, "node": node, "index": index})
    if row is None:
        return None
    step, wait = claimed_of(row)
    return Sleeper(step, *wait)


def arm_wait(run: str, step: str) -> None:
    """Make the timer that a waiting step says it has."""
    SQL.execute("arm_wait", {"run": run, "step": step, "timer": uuid7()})


def wait_anew(run: str, step: str) -> set[str]:
    """Queue a waiting step again; gives its queue."""
    return set(SQL.column("wait_anew", {"run": run, "step": step, "now": now_or_none()}))


def mend_run(run: str, sinks: int, joins: Sequence[CountedRow]) -> None:
    """Set how many sinks are open and what joins (`node`, `arrived`, `taken`, `fired`) have counted."""
    SQL.execute("mend_run", {"run": run, "sinks": sinks, "joins": document(joins)})


def undo_on(run: str) -> None:
    """Let a run that waits for a person go on undoing."""
    SQL.execute("undo_on", {"run": run, "now": now_or_none()})


def given_up(run: str) -> bool:
    """Whether a compensation of the run has failed for good."""
    return bool(SQL.value("given_up", {"run": run}))


def queues_polled(tenant: int, queues: Iterable[str]) -> None:
    """External workers of the tenant have asked for jobs of these queues."""
    SQL.execute("queues_polled", {"tenant": tenant, "queues": sorted(queues)})


def forget_polls() -> None:
    """Forget the queues that nobody has asked for jobs of for a day."""
    SQL.execute("forget_polls", {})
