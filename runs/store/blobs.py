"""The statements of payloads beside the database as typed functions (SQL in `sql/blobs.sql`)."""

from collections.abc import Iterable

import orjson

from runs.store.hot import SQL
from runs.store.references import Reference, key_row


def used_blobs(references: Iterable[Reference]) -> set[str]:
    """The keys of those that rows refer to."""
    rows = orjson.dumps([key_row(one) for one in references]).decode()
    return set(SQL.column("used_blobs", {"blobs": rows}))


def installation() -> str:
    """The number of this database, which a copy of it has, too."""
    [number] = SQL.column("installation", {})
    return str(number) if number else installation()


def newest_blobs(limit: int) -> list[str]:
    """The keys of what rows referred to last."""
    return SQL.column("newest_blobs", {"limit": limit})


def swept_days() -> set[str]:
    """The days that have been looked through."""
    return set(SQL.column("swept_days", {}))


def note_swept(day: str) -> None:
    """A day has been looked through."""
    SQL.execute("note_swept", {"day": day})
