"""What is noted of each change: who, what, to which object, from where, why.

`change` is for settings: a record of the audit log, written in the transaction that makes the change, and a line of the
log. `record` is a line of the log alone: for what has a history or a ledger of its own.
"""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

import orjson
from django.db import connection
from django.db.transaction import TransactionManagementError

from accounts.audit import origin
from accounts.audit.values import Values, clean, differences
from accounts.limits import AUDIT_REASON_CHARACTERS, AUDIT_TARGET_CHARACTERS
from accounts.principal import Principal
from lib.clock import now_or_none
from lib.named_sql import Statements

logger = logging.getLogger("handoff.audit")

SERVER = "handoff:server"
SQL = Statements(Path(__file__).parent / "sql")


class Row(TypedDict):
    """A record as it is written."""

    tenant_id: int
    by: str
    via: str
    token: str
    door: str
    address: str
    act: str
    target: str
    before: str
    after: str
    reason: str
    count: int


def change(
    principal: Principal,
    act: str,
    target: str,
    *,
    before: Values | None = None,
    after: Values | None = None,
    reason: str | None = None,
) -> None:
    """Record that `principal` changed a setting, with the fields that differ; in the transaction that does it.

    Where `before` and `after` are given and nothing differs there is no record.
    """
    record(principal, act, target, reason=reason)
    _write(
        principal.tenant_id,
        principal.username,
        principal.via,
        principal.token,
        act,
        target,
        before,
        after,
        reason,
    )


def change_by_server(
    tenant_id: int,
    act: str,
    target: str,
    *,
    before: Values | None = None,
    after: Values | None = None,
    reason: str,
) -> None:
    """As `change`, of what the server does by itself in a tenant."""
    record_unasked(tenant_id, act, target, reason=reason)
    _write(tenant_id, SERVER, "server", None, act, target, before, after, reason)


def change_by_command(
    tenant_id: int, act: str, target: str, *, before: Values | None = None, after: Values | None = None
) -> None:
    """As `change`, of a command for which nobody logs in: whoever runs it on this machine did it."""
    user = origin.os_user()
    logger.info("%s %s by a command of %s in %s", act, target, user, tenant_id)
    _write(tenant_id, user, "command", None, act, target, before, after, None)


def record(principal: Principal, act: str, target: str, *, reason: str | None = None) -> None:
    """Log that `principal` did `act` to `target`; call it in the transaction that does it."""
    logger.info(
        "%s %s by %s via %s in %s: %r",  # %r: a reason with line breaks must not look like more lines
        act,
        target,
        principal.username,
        principal.via,
        principal.tenant_slug,
        reason or "no reason given",
    )


def record_unasked(tenant_id: int, act: str, target: str, *, reason: str) -> None:
    """As `record`, of what the server does by itself in a tenant."""
    logger.info("%s %s by the server in %s: %r", act, target, tenant_id, reason)


def row(
    tenant_id: int,
    by: str,
    via: str,
    token: str | None,
    act: str,
    target: str,
    *,
    place: origin.Origin,
    values: tuple[str, str] = ("", ""),
    reason: str | None = None,
) -> Row:
    """A record as it is written, of which `values` are what was and what is."""
    return {
        "tenant_id": tenant_id,
        "by": by,
        "via": via,
        "token": token or "",
        "door": place.door,
        "address": clean(place.address, 64),
        "act": clean(act, 100),
        "target": clean(target, AUDIT_TARGET_CHARACTERS),
        "before": values[0],
        "after": values[1],
        "reason": clean(reason or "", AUDIT_REASON_CHARACTERS),
        "count": 1,
    }


def add(rows: Sequence[Row]) -> None:
    """Write records, in one statement."""
    SQL.execute("add_audit_records", {"records": orjson.dumps(rows).decode(), "now": now_or_none()})


def _write(
    tenant_id: int,
    by: str,
    via: str,
    token: str | None,
    act: str,
    target: str,
    before: Values | None,
    after: Values | None,
    reason: str | None,
) -> None:
    if not connection.in_atomic_block:
        raise TransactionManagementError("A change is recorded in the transaction that makes it.")
    values = differences(before, after)
    if before is not None and after is not None and not any(values):
        return
    place = origin.current(via)
    add([row(tenant_id, by, via, token, act, target, place=place, values=values, reason=reason)])
