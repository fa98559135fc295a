"""Who may reach what an address names: the apps above say how what they own is guarded, since accounts is below them.

A page and a view of the API ask the guard of each part of their address before they do anything else. A part that is
neither guarded nor in `UNGUARDED` fails a test. What a body names is guarded by whoever reads it, and noted, so that an
answer that is kept is given again to those alone who would still get it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from accounts.principal import Forbidden, Principal
from accounts.roles import READ, VERB_OF_SCOPE
from lib.refusals import Missing

Guard = Callable[["Principal", str, Any], object]
"""`guard(principal, scope, value)` raises Missing for who may not know of it, Forbidden for who may read it only."""

UNGUARDED = frozenset(
    {
        # What belongs to somebody, to the tenant or to admins: the view says whose.
        "username",
        "request_id",
        "group_id",
        "folder_id",
        "token_id",
        "view_id",
        "rule_id",
        "alert_rule_id",
        "alert_channel_id",
        "job_id",
        "queue",
        # What proves itself, or lies within what another part names.
        "token",
        "number",
        "node",
        "case_id",
        "comment_id",
        "delivery_id",
        "file_id",
        "upload_id",
        "example",
    }
)
Noted = tuple[str, str, str]
"""A part as an address would name it, the scope that it was asked for, and its value."""

_guards: dict[str, Guard] = {}
_noted: ContextVar[list[Noted] | None] = ContextVar("noted", default=None)


def guards(part: str, guard: Guard) -> None:
    """Have `guard` asked wherever an address has this part (the name of its URL parameter)."""
    _guards[part] = guard


def is_guarded(part: str) -> bool:
    """Whether somebody guards what this part of an address names."""
    return part in _guards


def require_parts(principal: Principal, scope: str, parts: Mapping[str, Any]) -> None:
    """Let pass who may reach all that an address names. Raises as the guards do."""
    if principal.reach.is_everywhere:
        return
    for part, value in parts.items():
        if guard := _guards.get(part):
            guard(principal, scope, value)


@contextmanager
def noting() -> Iterator[list[Noted]]:
    """Gives what is noted meanwhile."""
    notes: list[Noted] = []
    token = _noted.set(notes)
    try:
        yield notes
    finally:
        _noted.reset(token)


def note(part: str, scope: str, value: object) -> None:
    """Somebody was let pass for what a part of an address would name so, or is told of it."""
    if (notes := _noted.get()) is not None:
        notes.append((part, scope, str(value)))


def require_noted(principal: Principal, noted: Sequence[Noted]) -> None:
    """Let pass who still may what somebody was let pass for. Raises as the guards do, and Missing for what nobody
    guards any more: another release noted it.
    """
    for part, scope, value in dict.fromkeys(noted):
        if (guard := _guards.get(part)) is None:
            raise Missing("What this was done with is no longer known here.")
        guard(principal, scope, value)


def require_in(principal: Principal, scope: str, folder: int | None, called: str, missing: str) -> None:
    """Let pass whom a folder lets do what a scope is about, with what is `called` so.

    Raises Missing, saying `missing`, where they may not read it either or there is no folder; else Forbidden.
    """
    verb = VERB_OF_SCOPE.get(scope, READ)
    if folder is not None and principal.reach.holds(verb, folder):
        return
    if folder is None or not principal.reach.holds(READ, folder):
        raise Missing(missing)
    raise Forbidden(
        f"You may read {called}, not {verb} it. An admin can grant it: Settings, Folders.",
        details={"verb": verb},
    )
