"""How far a list of runs was searched, where that is not all of it; pure."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any


class Bound(StrEnum):
    """What kept a search from being complete."""

    PART = "part"
    """A page tests a part of the runs; the next one goes on."""
    NEWEST = "newest"
    """Only the newest runs are tested, since another order than by age is asked for."""
    OLDEST = "oldest"
    """Only the oldest open runs are put in order."""
    STUCK = "stuck"
    """Only so many late timers, steps and repairs are read."""


@dataclass(frozen=True, slots=True)
class Searched:
    """How far back a page was searched: to `since`, through so many `rows`, where it ends there and not for its rows.

    `is_complete`: there are no runs behind it.
    """

    since: datetime | None
    rows: int | None
    is_complete: bool
    bound: Bound = Bound.PART

    @property
    def counted(self) -> str:
        """Through how many rows, to be read."""
        return f"{self.rows or 0:,}"

    def answer(self) -> dict[str, Any]:
        """As the API tells it; `runs` is the former name of `rows`."""
        values = {
            "since": self.since,
            "rows": self.rows,
            "runs": self.rows,
            "complete": self.is_complete,
        }
        return {name: value for name, value in values.items() if value is not None}
