"""The chain of a tenant's records: continued shortly after they are written, and checked.

Records are written by transactions that know nothing of each other; a duty gives those that have been committed their
places. So no change waits for another one, and a chain has no gaps.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import orjson
from django.conf import settings
from django.db import transaction

from accounts.audit.records import SQL
from accounts.limits import AUDIT_KEPT_DAYS, AUDIT_OUTSIDE_RECORDS
from accounts.models import AuditHead, AuditLink, AuditRecord

CLOSE = "audit.close"
_BATCH = 1_000
_ROWS = 500


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong at this place of a chain (0: at its end, or beside it)."""

    seq: int
    what: str


def link() -> int:
    """Give the records that were committed their places in the chains of their tenants; gives how many there were.

    While another process is at it, it is left to that one.
    """
    with transaction.atomic():
        if not SQL.value("hold_audit_chain", {}):
            return 0
        return int(SQL.value("chain_audit_records", {"limit": _BATCH}))


def close(days: int) -> int:
    """Remove records that are older than so many days, in bounded parts; gives how many went.

    A closing record of each tenant says which they were. 0 days: nothing goes.
    """
    if not days:
        return 0
    with transaction.atomic():
        return int(SQL.value("close_audit_records", {"days": max(days, AUDIT_KEPT_DAYS), "limit": _BATCH}))


def keep() -> int:
    """Remove what is older than `HANDOFF_AUDIT_DAYS`."""
    return close(settings.HANDOFF_AUDIT_DAYS)


def verify(tenant: int) -> Iterator[Fault]:
    """Everything that is wrong with the records of a tenant; in batches, however many there are."""
    while link():
        pass
    head = AuditHead.objects.for_tenant(tenant).first()
    end, last = (head.seq, bytes(head.digest)) if head else (0, None)
    seq, digest = _base(tenant, end)
    if seq is None:
        yield Fault(1, "the first records are missing, and no closing record says so")
        seq = (_first(tenant) or end + 1) - 1
    for place, stored, text in _links(tenant, seq, end):
        if place != seq + 1:
            yield Fault(seq + 1, f"is missing: the next one is {place}")
            digest = None
        elif text is None:
            yield Fault(place, "its record is missing")
        elif (digest is not None or place == 1) and sha256(
            (digest or b"") + text.encode()
        ).digest() != stored:
            yield Fault(
                place, "its record is not what its digest says: it was changed, or is in another's place"
            )
        seq, digest = place, stored
    if (seq, digest) != (end, last):
        yield Fault(0, f"the chain should end at {end}, it ends at {seq}")
    yield from _outside(tenant, end)


def _links(tenant: int, after: int, until: int) -> Iterator[tuple[int, bytes, str | None]]:
    while True:
        params = {"tenant": tenant, "after": after, "until": until, "limit": _ROWS}
        rows = SQL.execute("audit_links", params).fetchall()
        for seq, digest, text in rows:
            yield seq, bytes(digest), text
        if len(rows) < _ROWS:
            return
        after = rows[-1][0]


def _outside(tenant: int, end: int) -> Iterator[Fault]:
    """What stands beside the chain: links behind its end, and records without a place."""
    beyond = AuditLink.objects.for_tenant(tenant).filter(seq__gt=end).order_by("seq").first()
    later = AuditHead.objects.for_tenant(tenant).first()
    if beyond is not None and (later is None or later.seq == end):
        yield Fault(beyond.seq, "stands behind the end of the chain")
    for record in SQL.column("audit_records_outside", {"tenant": tenant, "limit": AUDIT_OUTSIDE_RECORDS}):
        yield Fault(0, f"record {record} is not in the chain")


def _first(tenant: int) -> int | None:
    return AuditLink.objects.for_tenant(tenant).order_by("seq").values_list("seq", flat=True).first()


def _base(tenant: int, end: int) -> tuple[int | None, bytes | None]:
    """The place before the first record that is kept, and its digest; None where nobody knows it."""
    first = _first(tenant) or end + 1
    if first == 1:
        return 0, None
    closing = AuditRecord.objects.for_tenant(tenant).filter(act=CLOSE).order_by("-pk").first()
    closed: dict[str, Any] = orjson.loads(closing.after) if closing else {}
    if closed.get("last") != first - 1:
        return None, None
    return first - 1, bytes.fromhex(closed["digest"])
