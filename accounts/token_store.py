"""The statements of API tokens; two of them every call of the API may run (SQL in `sql/tokens.sql`)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from lib.clock import now_or_none
from lib.gathering import Gathered
from lib.named_sql import Statements

_SQL = Statements(Path(__file__).parent / "sql")


@dataclass(frozen=True, slots=True)
class FoundToken:
    """A token and what decides on it; `member_role` is its user's role in its tenant at this moment."""

    tenant_id: int
    tenant_slug: str
    user_id: int
    username: str
    secret_sha256: bytes
    role: str
    scopes: list[str] | None
    allowed_ips: list[str] | None
    queues: list[str] | None
    folders: list[int] | None
    member_role: str | None
    is_valid: bool
    is_expired: bool
    is_use_to_note: bool
    granted: str | None
    """What folders grant to the member as JSON: a list with `folder` and `verbs` of each; not asked of an admin's."""


def find_token(public_id: str) -> FoundToken | None:
    """The token with this id, of whichever tenant, as it is now: calls that come together ask in one statement.

    Nothing is kept of what was found, so one that was revoked, or a role that was changed, counts at the next call.
    """
    return _found_together(None, public_id)


def _find_each(_: None, public_ids: Sequence[str]) -> list[FoundToken | None]:
    tokens = find_tokens({*public_ids})
    return [tokens.get(public_id) for public_id in public_ids]


_found_together = Gathered(_find_each, reads=True)


def find_tokens(public_ids: Collection[str]) -> dict[str, FoundToken]:
    """Those of these tokens that there are, by their ids."""
    if len(public_ids) == 1:
        [public_id] = public_ids
        rows = _SQL.execute("find_token", {"public_id": public_id}).fetchall()
    else:
        rows = _SQL.execute("find_tokens", {"public_ids": list(public_ids)}).fetchall()
    return {row[0]: FoundToken(*row[1:]) for row in rows}


def revoke(tenant_id: int, public_id: str) -> None:
    """Ends the token and all that were made with it."""
    _SQL.execute("revoke", {"tenant": tenant_id, "public_id": public_id})


def warn_of_ends(days: Sequence[int], limit: int) -> list[tuple[int, int, str]]:
    """Note that users are told, so many days ahead, that tokens of theirs end: tenant, user and name of each that was
    not noted so far.
    """
    params = {"days": list(days), "limit": limit, "now": now_or_none()}
    return [tuple(orjson.loads(row)) for row in _SQL.column("warn_of_ends", params)]


def note_use(public_id: str) -> None:
    """Notes that the token was used, at most once a minute."""
    _SQL.execute("note_use", {"public_id": public_id})
