"""The two statements that every call of the API may run (SQL in `sql/tokens.sql`)."""

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


def find_token(public_id: str) -> FoundToken | None:
    """The token with this id, of whichever tenant."""
    row = _SQL.execute("find_token", {"public_id": public_id}).fetchone()
    return FoundToken(*row) if row else None


def note_use(public_id: str) -> None:
    """Notes that the token was used, at most once a minute."""
    _SQL.execute("note_use", {"public_id": public_id})
