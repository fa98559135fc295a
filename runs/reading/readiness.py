"""Whether work goes on: judged by how old is what should be young, never by which processes exist."""

from collections.abc import Iterator
from dataclasses import dataclass

from runs.kernel.dispatch import BUILT_IN_QUEUES
from runs.store.hot import SQL, WORKER_SECONDS

TICK_SECONDS = 10.0
TIMER_SECONDS = 10.0
STEP_SECONDS = 15.0
"""The oldest that each may be: the last tick, a timer that is due, a step nobody claims."""
QUEUES = (*BUILT_IN_QUEUES, "ticks")


@dataclass(frozen=True, slots=True)
class Standing:
    """Seconds; None where there is none. `silent`: queues no worker of which was seen lately; `undone`: duties that
    are begun and never done; `untold`: why a broker's consumers are told of no jobs; `foreign`: what here is another
    database's.
    """

    last_tick: float | None
    oldest_overdue_timer: float | None
    oldest_claimable_step: float | None
    unclaimed: tuple[str, ...]
    silent: tuple[str, ...]
    undone: tuple[str, ...]
    untold: str | None = None
    foreign: tuple[str, ...] = ()

    def checks(self) -> dict[str, bool]:
        """What must hold, by name. An old step of a queue that goes on claiming is a backlog and no fault."""
        return {
            **{f"queue:{queue}": queue not in self.silent for queue in QUEUES},
            "ticks": self.last_tick is not None and self.last_tick <= TICK_SECONDS and not self.undone,
            "timers": (self.oldest_overdue_timer or 0.0) <= TIMER_SECONDS,
            "steps": not self.unclaimed,
            "belongs": not self.foreign,
        }

    def ages(self) -> dict[str, float | None]:
        """What /readyz tells beside the checks, in seconds."""
        return {
            "last_tick_seconds": _rounded(self.last_tick),
            "oldest_overdue_timer_seconds": _rounded(self.oldest_overdue_timer),
            "oldest_claimable_step_seconds": _rounded(self.oldest_claimable_step),
        }

    def complaints(self) -> Iterator[str]:
        """A sentence for each check that doesn't hold."""
        yield from self.foreign
        if self.silent:
            yield f"no worker answers for {', '.join(self.silent)}"
        if self.last_tick is None:
            yield "there was no tick yet"
        elif self.last_tick > TICK_SECONDS:
            yield f"the last tick was {self.last_tick:.0f} s ago"
        if self.undone:
            yield f"never done although begun: {', '.join(self.undone)}"
        if (late := self.oldest_overdue_timer or 0.0) > TIMER_SECONDS:
            yield f"the oldest overdue timer is {late:.0f} s late"
        if self.unclaimed:
            oldest = self.oldest_claimable_step or 0.0
            yield f"the oldest claimable step waits for {oldest:.0f} s, nobody claims on {', '.join(self.unclaimed)}"
        if self.untold:
            yield self.untold


def standing() -> Standing:
    """How it stands now; one statement, whatever the backlog."""
    row = SQL.value("standing", {"queues": list(QUEUES)})
    queues = row["queues"]
    oldest = [facts["oldest"] for facts in queues.values() if facts["oldest"] is not None]
    return Standing(
        last_tick=row["tick"],
        oldest_overdue_timer=row["timer"],
        oldest_claimable_step=max(oldest, default=None),
        unclaimed=tuple(
            queue
            for queue, facts in queues.items()
            if _is_old(facts["oldest"], STEP_SECONDS) and not _is_young(facts["claimed"], STEP_SECONDS)
        ),
        silent=tuple(
            queue for queue, facts in queues.items() if not _is_young(facts["seen"], WORKER_SECONDS)
        ),
        undone=tuple(row["undone"]),
    )


def _is_young(age: float | None, seconds: float) -> bool:
    return age is not None and age <= seconds


def _is_old(age: float | None, seconds: float) -> bool:
    return age is not None and age > seconds


def _rounded(age: float | None) -> float | None:
    return None if age is None else round(age, 1)
