"""What features provide to `runs`: they register it in their `AppConfig.ready`."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol
from uuid import UUID

from accounts.principal import Principal
from accounts.roles import RUNS_OPERATE
from engine.catalogue import Json
from lib.ports import Port
from runs.models.calendars import Calendar


@dataclass(frozen=True, slots=True)
class Tab:
    """A page of operations: the name of its route, its label, and where it stands among the others; `scope`: who has it
    sees the tab.
    """

    place: int
    route: str
    label: str
    scope: str = ""


OPERATIONS_TABS: Final = Port(
    Tab(30, "operations-workers", "Workers"),
    Tab(40, "operations-timers", "Timers"),
    Tab(50, "operations-letters", "Dead letters"),
    Tab(60, "operations-messages", "Messages"),
    Tab(80, "operations-repairs", "Repairs", RUNS_OPERATE),
)
Find = dict[str, str]
"""Something that the palette finds: its `name`, what it is (`about`), and its `url`."""
FINDERS: Final = Port[Callable[[Principal, str], Iterable[Find]]]()
"""What the palette finds beside workflows, runs, requests and people; no text with fields."""
OUTBOX: Final = Port[Callable[[], Mapping[str, Json] | None]]()
"""How a broker's outbox stands, as `GET /dispatch` has it; None where there is no broker."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A schedule that keeps to the calendar: when it is due next, and when by the changed calendar."""

    id: UUID
    name: str
    workflow: str
    next_due_at: datetime | None
    moves_to: datetime | None


@dataclass(frozen=True, slots=True)
class CalendarUser:
    """What is due on the days of working calendars.

    `kept`: those of a calendar that somebody may see, with when they would be due by the changed one, and how many
    others there are; `is_outside`: whether any is of a workflow outside of a folder; `follow`: has them be due by a
    calendar that has just been changed.
    """

    kept: Callable[[Principal, Calendar, Calendar | None], tuple[list[Kept], int]]
    is_outside: Callable[[Calendar, int], bool]
    follow: Callable[[Calendar], None]


CALENDAR_USERS: Final = Port[CalendarUser]()


@dataclass(frozen=True, slots=True)
class BulkResult:
    """The result of a verb for one run, or for a dead letter or task (`target`) of it: `done` or `refused`."""

    run: UUID | str
    target: UUID | str | None
    result: str
    code: str = ""
    message: str = ""


class BulkRecords(Protocol):
    """How bulk verbs leave a page with the result for each item: as bulk jobs, by their ids."""

    def begin_letters(
        self, who: Principal, verb: str, *, filters: Mapping[str, Json], reason: str
    ) -> tuple[UUID, int]:
        """Do it to the open dead letters that fit, the oldest first, in the background; gives the job and how many
        fit beyond its limit.
        """

    def record(self, who: Principal, verb: str, rows: Sequence[BulkResult], *, reason: str) -> UUID:
        """Write down what was done while the caller waited."""

    def address(self, job: UUID, verb: str) -> str:
        """The page of a job of this verb, for who began it."""


BULK_RECORDS: Final = Port[BulkRecords]()


def record_bulk(who: Principal, verb: str, rows: Sequence[BulkResult], *, reason: str = "") -> UUID | None:
    """As `BulkRecords.record`; None where there are no rows, or nothing keeps them."""
    records = BULK_RECORDS.first
    return records.record(who, verb, rows, reason=reason) if records and rows else None
