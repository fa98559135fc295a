"""UUIDs of version 7 as text: they arrive in order in an index, also those of processes that cause one another's."""

import os
import time
from datetime import UTC, datetime, timedelta
from uuid import UUID

NOTHING = timedelta()
_last = 0


def uuid7() -> str:
    """A new UUIDv7 (RFC 9562) in its usual form; later ones of this process compare greater."""
    global _last
    # Milliseconds and twelve bits of fraction; never the same twice here, so the order is strict.
    stamp = (time.time_ns() << 12) // 1_000_000
    _last = stamp = stamp if stamp > _last else _last + 1
    tail = int.from_bytes(os.urandom(8), "big") & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    text = f"{stamp >> 12:012x}7{stamp & 0xFFF:03x}{tail:016x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def least_at(moment: datetime, later: timedelta = NOTHING) -> UUID:
    """The least id that is made at this time, or so much later; whatever the time is, there is one."""
    milliseconds = int((moment.timestamp() + later.total_seconds()) * 1000)
    return UUID(int=min(max(0, milliseconds), 2**48 - 1) << 80)


def moment_of(uuid: UUID) -> datetime:
    """When an id of version 7 was made, to the millisecond."""
    return datetime.fromtimestamp((uuid.int >> 80) / 1000, UTC)
