"""The statements of webhooks that go out as typed functions (SQL in `sql/webhooks_out.sql`)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypedDict
from uuid import UUID

import orjson

from engine.catalogue import Json
from lib.clock import now_or_none
from lib.named_sql import Statements
from runs.store.hot import SQL_FOLDER as SQL_OF_RUNS

SQL = Statements(Path(__file__).parent / "sql", SQL_OF_RUNS)

LEASE_SECONDS = 60.0
"""How long a webhook is left to who serves it: more than a batch of attempts may take."""
KEPT_DAYS = 14
REPLAY_ROOM = 10_000
"""A replay goes on while less than this waits for its webhook."""


@dataclass(frozen=True, slots=True)
class Leased:
    """A webhook that the caller serves now; `failures`: how many attempts in a row have failed."""

    webhook: UUID
    tenant: int
    url: str
    failures: int


@dataclass(frozen=True, slots=True)
class Due:
    """An event that is to be sent now, as history has it; without `run` and `event` it is a test."""

    id: int
    webhook: UUID
    message: UUID
    run: UUID | None
    event: int | None
    type: str
    attempts: int
    at: str
    node: str | None
    attempt: int | None
    payload: Mapping[str, Json]
    workflow: str | None
    version: int | None
    business_key: str | None
    traceparent: str | None = None
    tracestate: str | None = None


class OutcomeRow(TypedDict):
    """What came of an attempt; `pause`: seconds until the next one, where it is still pending."""

    id: int
    state: str
    status: int | None
    error: str
    took_ms: int
    pause: float


@dataclass(frozen=True, slots=True)
class Standing:
    """How a webhook stands: attempts that failed in a row, and for how many seconds none has succeeded."""

    failures: int
    seconds: float


@dataclass(frozen=True, slots=True)
class SwitchedOff:
    """A webhook that was switched off just now."""

    tenant: int
    url: str
    description: str


def lease(worker: str, *, failing: bool) -> Leased | None:
    """A webhook that has something to be sent now, leased to this worker; `failing`: it may be one that fails."""
    params = {"worker": worker, "failing": failing, "seconds": LEASE_SECONDS, "now": now_or_none()}
    row: dict[str, Any] | None = SQL.value("lease_outgoing", params)
    return Leased(**{**row, "webhook": UUID(row["webhook"])}) if row else None


def due(webhook: UUID, limit: int) -> list[Due]:
    """What is to be sent to a webhook now, of each run the oldest alone."""
    rows = SQL.value("due_outgoing", {"webhook": webhook, "limit": limit, "now": now_or_none()})
    return [_due(webhook, row) for row in rows]


def _due(webhook: UUID, row: dict[str, Any]) -> Due:
    run = row["run"] and UUID(row["run"])
    return Due(**{**row, "webhook": webhook, "message": UUID(row["message"]), "run": run})


def secrets_of(webhook: UUID) -> list[tuple[int, bytes]]:
    """Number and sealed value of the secrets that count, the newest first."""
    rows = SQL.column("outgoing_secrets", {"webhook": webhook, "now": now_or_none()})
    return [(number, bytes.fromhex(sealed)) for number, sealed in map(orjson.loads, rows)]


def note(outcomes: Sequence[OutcomeRow]) -> None:
    """Write down what came of some attempts."""
    SQL.execute("note_outgoing", {"outcomes": orjson.dumps(outcomes).decode(), "now": now_or_none()})


def note_unsent(webhook: UUID, deliveries: Iterable[int], error: str, seconds: float) -> None:
    """Write down that something on our side kept these from being sent; they are tried again in so many seconds."""
    params = {
        "webhook": webhook,
        "deliveries": list(deliveries),
        "error": error,
        "seconds": seconds,
        "now": now_or_none(),
    }
    SQL.execute("note_unsent", params)


def note_served(webhook: UUID, worker: str, *, delivered: bool, pause: float, error: str) -> Standing | None:
    """Write down how a webhook did; None where somebody else serves it by now."""
    params = {
        "webhook": webhook,
        "worker": worker,
        "delivered": delivered,
        "pause": pause,
        "error": error,
        "seconds": LEASE_SECONDS,
        "now": now_or_none(),
    }
    row = SQL.value("note_served", params)
    return Standing(**row) if row else None


def release(webhook: UUID, worker: str) -> None:
    """Leave a webhook to whoever comes next."""
    SQL.execute("release_outgoing", {"webhook": webhook, "worker": worker})


def switch_off(webhook: UUID, reason: str, error: str = "") -> SwitchedOff | None:
    """Switch a webhook off for one of `integrations.webhooks_out.models.SWITCHED_OFF`; None where it was off."""
    params = {"webhook": webhook, "reason": reason, "error": error, "now": now_or_none()}
    row = SQL.value("switch_outgoing_off", params)
    return SwitchedOff(**row) if row else None


def wake(webhook: UUID) -> None:
    """Have what waits for a webhook tried at once."""
    SQL.execute("wake_outgoing", {"webhook": webhook})


def discard(webhook: UUID, error: str, limit: int) -> int:
    """Give up what waits for a webhook, up to so much; gives how much. `error` says whose decision it was."""
    return SQL.execute("discard_outgoing", {"webhook": webhook, "error": error, "limit": limit}).rowcount


def ask_replay(tenant: int, webhook: UUID, since: datetime, by: str) -> bool:
    """Have the events since a time sent again; False where a replay of the webhook is under way."""
    return bool(
        SQL.value("ask_outgoing_replay", {"tenant": tenant, "webhook": webhook, "since": since, "by": by})
    )


def page_replay(limit: int) -> int:
    """Have up to so many next events of a replay sent; gives how many were looked at."""
    return int(SQL.value("page_outgoing_replay", {"limit": limit, "room": REPLAY_ROOM}) or 0)


def drop(limit: int) -> int:
    """Give up what waits for webhooks that were deleted, up to so much; gives how much."""
    return SQL.execute("drop_outgoing", {"limit": limit}).rowcount


def overfull() -> list[UUID]:
    """The webhooks for which more waits than may."""
    return [UUID(one) for one in SQL.column("overfull_outgoing", {})]


def pending(webhooks: Iterable[UUID], most: int = 1_000) -> dict[UUID, int]:
    """How much waits for each of these webhooks, counted up to `most`."""
    rows = SQL.execute("outgoing_pending", {"webhooks": list(webhooks), "most": most}).fetchall()
    return {UUID(webhook): count for webhook, count in rows}


def replay(tenant: int, webhook: UUID, delivery: int) -> bool:
    """Have an event sent once more, with the id that it had; False where there is no such delivery."""
    params = {"tenant": tenant, "webhook": webhook, "delivery": delivery}
    return bool(SQL.value("replay_outgoing", params))


def retire_secrets(tenant: int, webhook: UUID, seconds: int) -> None:
    """Let the present secrets of a webhook count for `seconds` more, and remove those that count no more."""
    params = {"tenant": tenant, "webhook": webhook, "seconds": seconds, "now": now_or_none()}
    SQL.execute("retire_outgoing_secrets", params)


def forget(limit: int) -> int:
    """Delete up to `limit` deliveries that were done with long ago; gives how many."""
    return int(SQL.value("forget_outgoing", {"limit": limit, "days": KEPT_DAYS, "now": now_or_none()}))
