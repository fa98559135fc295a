"""What every page asks of its session, its reader and those whom it names (SQL in `sql/seats.sql`).

As statements that are kept: to put one together by Django's queries took longer than to execute it.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from accounts.models import User
from lib.named_sql import Statements

SQL_OF_ACCOUNTS = Path(__file__).parent / "sql"
"""Where the columns of a user are kept, for statements of others that give one."""
_SQL = Statements(SQL_OF_ACCOUNTS)
_USER_FIELDS = [field.attname for field in User._meta.concrete_fields]


class Seat(NamedTuple):
    """A member of a tenant; `granted`: what folders grant them, each with `folder` and `verbs`, but for admins."""

    tenant_id: int
    tenant_slug: str
    role: str
    granted: list[dict[str, Any]]


class FoundSession(NamedTuple):
    """What is in a session, as it is stored; its user, if they may log in; and their seat."""

    data: str
    user: User | None
    seat: Seat | None


def session_of(key: str, now: datetime) -> FoundSession | None:
    """A session; None where it is over, or there is none."""
    row = _SQL.execute("session_of", {"key": key, "now": now}).fetchone()
    if row is None:
        return None
    data, seat, user = row[0], row[1:5], row[5:]
    return FoundSession(data, None if user[0] is None else user_of(user), _seat(seat))


def user_of(columns: Sequence[Any]) -> User:
    """A user of what the fragment `columns_of_user` gives."""
    return User.from_db("default", _USER_FIELDS, columns)


def seat_of(user: int) -> Seat | None:
    """The first seat of a user who may log in; None where there is none."""
    return _seat(_SQL.execute("seat_of", {"user": user}).fetchone())


def _seat(row: tuple[Any, ...] | None) -> Seat | None:
    if row is None or row[0] is None:
        return None
    tenant, slug, role, granted = row
    return Seat(tenant, slug, role, orjson.loads(granted) if granted else [])


def names_of_people(tenant: int, keys: Collection[str]) -> list[tuple[str, str]]:
    """Usernames and names of those members that these keys stand for (`names.key_of`)."""
    rows = _SQL.execute("names_of_people", {"tenant": tenant, "keys": list(keys)}).fetchall()
    return [(username, name) for username, name in rows]


def members_offered(tenant: int, limit: int) -> list[tuple[str, str]]:
    """Usernames and names of the first active members, by username."""
    rows = _SQL.execute("members_offered", {"tenant": tenant, "limit": limit}).fetchall()
    return [(username, name) for username, name in rows]


def members_meant(tenant: int, keys: Collection[str], name: str, limit: int) -> list[tuple[str, str]]:
    """Usernames and names of active members with one of these usernames or of this name, all as `names.key_of`."""
    params = {"tenant": tenant, "keys": sorted(keys), "name": name, "limit": limit}
    return [(username, name) for username, name in _SQL.execute("members_meant", params).fetchall()]
