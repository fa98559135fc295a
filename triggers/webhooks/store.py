"""The statements of inbound webhooks as typed functions (SQL in `sql/webhooks.sql`)."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from uuid import UUID

from engine.catalogue import Json
from lib.clock import now_or_none
from lib.named_sql import Statements
from runs.store.hot import SQL_FOLDER as SQL_OF_RUNS

SQL = Statements(Path(__file__).parent / "sql", SQL_OF_RUNS)

NEWEST_LOOKED_AT, FEW = 2_000, 1_000
"""Among so many of the newest messages the last one of a webhook is looked for, then among so many of its own."""


@dataclass(frozen=True, slots=True)
class FoundWebhook:
    """A webhook with all that decides on a message; `secrets`: number and sealed value of those that count, in hex.

    `now`: the database's time, in seconds since 1970. `folder`: that of its workflow. `acts_for`: a username, if it is
    known. `has_refused`: whether it is known of a message that it was refused for what they may not do.
    """

    id: str
    tenant_id: int
    name: str
    workflow: str
    action: str
    mapping: dict[str, Json]
    preset: str | None
    settings: dict[str, str]
    allow_unsigned: bool
    enabled: bool
    folder: int
    acts_for: str | None
    has_refused: bool
    now: float
    secrets: list[tuple[int, str]]


def digest(token: str) -> bytes:
    """By what a webhook is found; 128 random bits need no slow hash."""
    return sha256(token.encode()).digest()


def find_webhook(token: str) -> FoundWebhook | None:
    """The webhook with this token, of whichever tenant."""
    row = SQL.value("find_webhook", {"token_sha256": digest(token), "now": now_or_none()})
    return None if row is None else FoundWebhook(**row)


def delivered(webhook: str, message_id: str, body: bytes) -> bool | None:
    """Whether the message that the webhook took by this id had this body (its SHA-256); None where it took none."""
    is_same: bool | None = SQL.value(
        "delivered", {"webhook": webhook, "message_id": message_id, "body_sha256": body}
    )
    return is_same


def insert_delivery(tenant: int, webhook: str, message_id: str, body: bytes) -> bool:
    """Note that the webhook takes this message, in the transaction of what it does; False for a repetition.

    `body`: the SHA-256 of what it says.
    """
    params = {
        "tenant": tenant,
        "webhook": webhook,
        "message_id": message_id,
        "body_sha256": body,
        "now": now_or_none(),
    }
    return bool(SQL.value("insert_delivery", params))


def last_deliveries(tenant: int, hooks: Iterable[UUID]) -> dict[str, datetime]:
    """When each of these webhooks of a tenant took a message that was signed, of those of the last days."""
    params = {
        "tenant": tenant,
        "webhooks": [str(hook) for hook in hooks],
        "window": NEWEST_LOOKED_AT,
        "few": FEW,
    }
    rows = SQL.execute("last_deliveries", params).fetchall()
    return {hook: at for hook, at in rows if at is not None}


def refuse_delivery(tenant: int, webhook: str, message_id: str, body: bytes, reason: str) -> None:
    """Note that a message was refused and why; an empty id stands for the last one that had none."""
    params = {
        "tenant": tenant,
        "webhook": webhook,
        "message_id": message_id,
        "body_sha256": body,
        "reason": reason,
        "now": now_or_none(),
    }
    SQL.execute("refuse_delivery", params)


def clear_refusals(webhook: str) -> None:
    """Forget why messages of a webhook were refused: that is mended, and those messages are looked at anew anyway."""
    SQL.execute("clear_refusals", {"webhook": webhook})


def forget_deliveries(limit: int, days: int) -> int:
    """Remove up to `limit` notes of messages that are older than this; gives how many."""
    params = {"limit": limit, "days": days, "now": now_or_none()}
    return int(SQL.value("forget_deliveries", params))


def retire_secrets(tenant: int, webhook: str, seconds: int) -> None:
    """Let the present secrets of a webhook count for `seconds` more, and remove those that count no more."""
    params = {"tenant": tenant, "webhook": webhook, "seconds": seconds, "now": now_or_none()}
    SQL.execute("retire_secrets", params)
