"""The statements of waits as typed functions: timers and steps that wait (SQL in `sql/waits.sql`)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from engine.catalogue import Json
from lib.clock import now_or_none
from runs.store.attempts import ClaimedStep, claimed_of
from runs.store.hot import SQL, document
from runs.store.rows import LimitRow, TimerRow, WaitRow


@dataclass(frozen=True, slots=True)
class Due:
    """A timer whose time has come, with its step as it stood when nobody had locked it.

    `wait`: what the step waits for; `fired_at`: when the timer was found to be due.
    """

    step: ClaimedStep
    id: str
    kind: str
    target: str | None
    interrupting: bool
    fire_at: str
    wait: Json
    fired_at: str


class LostWait(NamedTuple):
    """A step that waits for what is not there, or the item `item` of a container."""

    run_id: str
    tenant_id: int
    life: int
    node: str
    item: int | None


class TimerBeside(NamedTuple):
    """A timer that runs beside a step; `turn`: when that of the step came."""

    id: UUID
    step_id: UUID
    node: str
    target: str
    interrupting: bool
    fire_at: datetime
    version_id: int
    turn: datetime


def enter_waits(steps: Sequence[WaitRow]) -> dict[str, int]:
    """Let steps of runs that are held FOR UPDATE wait; gives id → epoch of those that their holder still had."""
    epochs: dict[str, int] = SQL.value("enter_waits", {"steps": document(steps), "now": now_or_none()})
    return epochs


def arm_timers(timers: Sequence[TimerRow]) -> None:
    """Start boundary timers: `id`, `step_id`, `target`, `interrupting`, `seconds` of each."""
    SQL.execute("arm_timers", {"timers": document(timers), "now": now_or_none()})


def timers_beside(tenant: int, run: UUID) -> list[TimerBeside]:
    """The timers that run beside the steps of a run, the first one first; none where it isn't the tenant's."""
    rows = SQL.execute("timers_beside", {"tenant": tenant, "run": run}).fetchall()
    return [TimerBeside(*row) for row in rows]


def settle_timers(
    runs: Iterable[str], steps: Iterable[str], fired: Iterable[str], *, of_waits: bool = False
) -> None:
    """The timers of steps that are over or wait no more: those that `fired`, the others cancelled.

    `of_waits`: without those that run beside them.
    """
    params = {"runs": sorted(runs), "steps": sorted(steps), "fired": sorted(fired), "of_waits": of_waits}
    SQL.execute("settle_timers", {**params, "now": now_or_none()})


def due_timers(limit: int, after: Due | None = None) -> list[Due]:
    """Up to `limit` timers whose time has come, the oldest first, behind `after`."""
    params = {
        "limit": limit,
        "after": after and datetime.fromisoformat(after.fire_at),
        "after_id": after and after.id,
        "now": now_or_none(),
    }
    return [Due(step, *timer) for step, timer in map(claimed_of, SQL.value("due_timers", params))]


def limit_again(runs: Iterable[str], steps: Mapping[str, float]) -> None:
    """Set anew by when steps of these runs must have begun that are queued again: step → seconds from now."""
    params = {"runs": sorted(runs), "limits": document(_limits(steps)), "now": now_or_none()}
    SQL.execute("limit_again", params)


def unbegun(limits: Mapping[str, float]) -> set[str]:
    """Of timers that say by when a step must have begun (timer → seconds) those whose step nobody has.

    The others are set anew, for what does not count has come between, or are over.
    """
    return set(SQL.value("unbegun", {"limits": document(_limits(limits)), "now": now_or_none()}))


def _limits(seconds: Mapping[str, float]) -> list[LimitRow]:
    return [{"id": id, "seconds": value} for id, value in seconds.items()]


def ring_timers(timers: Iterable[str]) -> dict[str, int]:
    """Fire boundary timers that don't interrupt, of runs held FOR UPDATE; gives those that take their edge.

    Each with the version that its step is on now: the run may have been moved to another one since it was read.

    They don't where the step is over, or where another timer took the same edge before.
    """
    versions: dict[str, int] = SQL.value("ring_timers", {"timers": sorted(timers), "now": now_or_none()})
    return versions


def fired_edges(steps: Iterable[str]) -> dict[str, list[str]]:
    """The boundary edges of steps that are resolved already: step → their targets."""
    targets: dict[str, list[str]] = SQL.value("fired_edges", {"steps": sorted(steps)})
    return targets


def waiters(
    tenant: int, runs: Iterable[str], kind: str, steps: Iterable[str] | None = None
) -> list[tuple[ClaimedStep, Json]]:
    """The steps of these runs, or of them these `steps`, that wait for something of this kind, with what that is."""
    only = None if steps is None else sorted(steps)
    params = {"tenant": tenant, "runs": sorted(runs), "kind": kind, "steps": only}
    return [(step, waiting) for step, (waiting,) in map(claimed_of, SQL.value("waiters", params))]


def sla_due(limit: int) -> list[tuple[str, int, str | None]]:
    """Say of runs that near or pass their deadline that they do.

    Gives (run, tenant, deadline), the deadline only of those that are open when it is over.
    """
    rows = SQL.value("sla_due", {"limit": limit, "now": now_or_none()})
    return [(run, tenant, breached) for run, tenant, breached in rows]


def count_sla_waits(runs: Iterable[str]) -> None:
    """Count what runs, which are held FOR UPDATE, have waited up to now, by the version that they are on."""
    SQL.execute("count_sla_waits", {"runs": sorted(runs), "now": now_or_none()})


def sla_waited(run: str) -> timedelta:
    """How long a run has waited that is not counted yet and that does not count toward its deadline."""
    return timedelta(seconds=SQL.value("sla_waited_of", {"run": run, "now": now_or_none()}) or 0)


def change_task(step: UUID, values: Mapping[str, Json]) -> None:
    """Have a step that waits for people say these values of what it asks them. Its run is held."""
    SQL.execute("change_task_of_wait", {"step": step, "values": document(values)})
