"""Who sits where: what every page asks of its reader and of those whom it names (SQL in `sql/seats.sql`)."""

from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from lib.named_sql import Statements

_SQL = Statements(Path(__file__).parent / "sql")


class Seat(NamedTuple):
    """A member of a tenant; `granted`: what folders grant them, each with `folder` and `verbs`, but for admins."""

    tenant_id: int
    tenant_slug: str
    role: str
    granted: list[dict[str, Any]]


def seat_of(user: int) -> Seat | None:
    """The first seat of a user who may log in; None where there is none."""
    row = _SQL.execute("seat_of", {"user": user}).fetchone()
    if row is None:
        return None
    *who, granted = row
    return Seat(*who, orjson.loads(granted) if granted else [])


def names_of_people(tenant: int, keys: Collection[str]) -> list[tuple[str, str]]:
    """Usernames and names of those members that these keys stand for (`names.key_of`)."""
    rows = _SQL.execute("names_of_people", {"tenant": tenant, "keys": list(keys)}).fetchall()
    return [(username, name) for username, name in rows]
