"""Who may reach what an address names: the apps above say how what they own is guarded, since accounts is below them.

A page and a view of the API ask the guard of each part of their address before they do anything else. A part that is
neither guarded nor in `UNGUARDED` fails a test.
"""

from collections.abc import Callable, Mapping
from typing import Any

from accounts.principal import Forbidden, Principal
from accounts.roles import READ, VERB_OF_SCOPE
from lib.refusals import Missing

Guard = Callable[[Principal, str, Any], None]
"""`guard(principal, scope, value)` raises Missing for who may not know of it, Forbidden for who may read it only."""

UNGUARDED = frozenset(
    {
        # What belongs to somebody, or to admins: the view says whose.
        "username",
        "request_id",
        "group_id",
        "folder_id",
        "token_id",
        "view_id",
        "rule_id",
        "job_id",
        # What proves itself, or lies within what another part names.
        "token",
        "number",
        "node",
        "case_id",
        "comment_id",
        "file_id",
        "example",
    }
)
_guards: dict[str, Guard] = {}


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
        f"You may read {called}, not {verb} it. Who manages members can let you: Settings, Folders.",
        details={"verb": verb},
    )
