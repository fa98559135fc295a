"""The statements of the outbox as typed functions (SQL in `sql/broker.sql`): who leads, what is told, what waits."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, TypedDict

from integrations.broker.limits import (
    COUNTED_EVENTS,
    COUNTED_QUEUES,
    FAILING_EVENTS,
    RESEND_SECONDS,
    SEARCHED_EVENTS,
)
from lib.clock import now_or_none
from lib.named_sql import Statements
from runs.store.attempts import ClaimedStep, claimed_of
from runs.store.hot import SQL_FOLDER as SQL_OF_RUNS
from runs.store.hot import document

SQL = Statements(Path(__file__).parent / "sql", SQL_OF_RUNS)


class Lead(NamedTuple):
    """Who leads the relays, for the `epoch`-th time that somebody else does."""

    holder: str
    epoch: int


class DueEvent(NamedTuple):
    """A job that consumers are to be told of: `row` is that of the outbox, `tries` how often in vain, `waited` for how
    many seconds it could have been.
    """

    step: ClaimedStep
    row: int
    queue: str
    created_at: str
    tries: int
    waited: float


class FailedRow(TypedDict):
    """An event that couldn't be published: why, how often in a row, and in how many seconds it is tried anew
    (`settle_events`).
    """

    row: int
    why: str
    tries: int
    seconds: float


class OutboxStanding(TypedDict):
    """How the outbox stands; counts go up to a bound. `failing`: events that could not be published, of jobs that wait
    still; `aside`: those of them behind which nothing waits any more; `or_more`: there may be more of both than were
    counted. `leader`: who, its epoch, the seconds it has left.
    """

    waiting: int
    oldest_seconds: float | None
    failing: int
    aside: int
    or_more: bool
    why: str | None
    told: int
    leader: tuple[str, int, float] | None


class Place(NamedTuple):
    """How far the jobs of a queue were looked at, in the order in which they are claimed (`add_missing_events`)."""

    tenant: int
    priority: int
    available_at: str
    step: str


BEGINNING = Place(0, 0, "-infinity", "00000000-0000-0000-0000-000000000000")


def lead_outbox(holder: str, seconds: float, epoch: int, *, replaces: bool) -> Lead | None:
    """Lead for so many seconds from now on, as the one of this epoch (0: as a new one); None while another does.

    `replaces`: also where the lease of the same holder goes on: that was the life before this one.
    """
    params = {"holder": holder, "seconds": seconds, "epoch": epoch, "replaces": replaces}
    row = SQL.execute("lead_outbox", params).fetchone()
    return Lead(holder, int(row[0])) if row else None


def leave_outbox(lead: Lead) -> None:
    """Let another lead at once."""
    SQL.execute("leave_outbox", {"holder": lead.holder, "epoch": lead.epoch})


def due_events(limit: int) -> tuple[list[DueEvent], list[int]]:
    """What is to be published now, in order; and the rows of what can't be claimed any more."""
    rows, gone = SQL.value("due_events", {"limit": limit, "now": now_or_none()})
    events = []
    for row in rows:
        step, columns = claimed_of(row)
        events.append(DueEvent(step, *columns))
    return events, gone


def settle_events(
    lead: Lead,
    *,
    sent: Sequence[int] = (),
    resend_seconds: float = 0.0,
    failed: Sequence[FailedRow] = (),
    gone: Sequence[int] = (),
) -> bool:
    """Keep what became of these rows; False, and nothing is kept, where another leads meanwhile.

    What was sent is due again in `resend_seconds`, unless it is taken before; twice as late each time.
    """
    params = {
        "holder": lead.holder,
        "epoch": lead.epoch,
        "sent": list(sent),
        "resend_seconds": resend_seconds,
        "most_seconds": RESEND_SECONDS,
        "failed": document(list(failed)),
        "gone": list(gone),
        "now": now_or_none(),
    }
    return bool(SQL.value("settle_events", params))


def resend_events(limit: int) -> int:
    """Have published anew what was long ago and nobody has taken, and forget what can't be taken any more. Gives how
    many that were.
    """
    again, forgotten = SQL.value("resend_events", {"limit": limit, "now": now_or_none()})
    return int(again) + int(forgotten)


def queues_told(built_in: Sequence[str]) -> list[str]:
    """The queues that have something to claim, in order, but for those that are `built_in`."""
    params = {"built_in": list(built_in), "most_queues": COUNTED_QUEUES}
    queues: list[str] = SQL.value("queues_told", params)
    return queues


def add_missing_events(
    queue: str, behind: Place, older_seconds: float, limit: int
) -> tuple[int, int, Place | None]:
    """Look at the next jobs of a queue `behind` a place, and have published what could have been claimed
    `older_seconds` ago and stands in no outbox. Gives how many it looked at, how many it added, and the last's place.
    """
    params = {
        "queue": queue,
        "tenant": behind.tenant,
        "priority": behind.priority,
        "available_at": behind.available_at,
        "step": behind.step,
        "older_seconds": older_seconds,
        "limit": limit,
        "now": now_or_none(),
    }
    looked, added, last = SQL.value("add_missing_events", params)
    return looked, added, Place(*last) if last else None


def waiting_asides(tenant: int, behind: int | None, most: int) -> tuple[dict[int, str], int | None]:
    """Of the next `SEARCHED_EVENTS` parked events of a tenant `behind` a row, or of those that came last,
    up to `most` whose jobs wait still, the oldest first. Gives the node of each row, and behind which row there may be
    more.
    """
    params = {"tenant": tenant, "behind": behind, "most": most, "most_looked_at": SEARCHED_EVENTS}
    rows, last = SQL.value("waiting_asides", params)
    return dict(rows), last


def retry_aside(tenant: int, rows: Sequence[int]) -> int:
    """Have these of a tenant's events tried again now, where they are set aside still; gives how many."""
    params = {"tenant": tenant, "rows": list(rows), "now": now_or_none()}
    return SQL.execute("retry_aside", params).rowcount


def empty_outbox(limit: int) -> int:
    """Remove up to so many rows, unless a relay leads; gives how many."""
    return SQL.execute("empty_outbox", {"limit": limit}).rowcount


def outbox_standing(most: int = COUNTED_EVENTS) -> OutboxStanding:
    """How the outbox stands now, with counts up to `most`, and up to `FAILING_EVENTS` of what can't be published."""
    bounds = {"most_failing": FAILING_EVENTS, "most_looked_at": SEARCHED_EVENTS}
    params = {"most": most, "now": now_or_none(), **bounds}
    standing: OutboxStanding = SQL.value("outbox_standing", params)
    return standing
