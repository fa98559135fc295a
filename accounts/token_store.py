"""The statements of API tokens; two of them every call of the API may run (SQL in `sql/tokens.sql`)."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

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
    member_role: str | None
    is_valid: bool
    is_expired: bool
    is_use_to_note: bool
    granted: str | None
    """What folders grant to the member as JSON: a list with `folder` and `verbs` of each; not asked of an admin's."""


def find_token(public_id: str) -> FoundToken | None:
    """The token with this id, of whichever tenant."""
    row = _SQL.execute("find_token", {"public_id": public_id}).fetchone()
    return FoundToken(*row[1:]) if row else None


def find_tokens(public_ids: Collection[str]) -> dict[str, FoundToken]:
    """Those of these tokens that there are, by their ids."""
    rows = _SQL.execute("find_tokens", {"public_ids": list(public_ids)}).fetchall()
    return {row[0]: FoundToken(*row[1:]) for row in rows}


def revoke(tenant_id: int, public_id: str) -> None:
    """Ends the token and all that were made with it."""
    _SQL.execute("revoke", {"tenant": tenant_id, "public_id": public_id})


def note_use(public_id: str) -> None:
    """Notes that the token was used, at most once a minute."""
    _SQL.execute("note_use", {"public_id": public_id})
