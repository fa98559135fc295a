"""Whether a run may start a workflow whose name came out of an expression (docs/security.md, "Child runs")."""

from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

import orjson

from accounts.queries import reach_of
from accounts.roles import RUNS_OPERATE, RUNS_START, SCOPES_OF_ROLE, VERB_OF_SCOPE
from accounts.seats import SQL_OF_ACCOUNTS
from lib.named_sql import Statements

_SQL = Statements(Path(__file__).parent / "sql", SQL_OF_ACCOUNTS)


class ComputedStart(NamedTuple):
    """A run of the workflow `origin` (its id) that acts for `person` wants to start the workflow `name`."""

    tenant: int
    person: str
    origin: int
    name: str


def allowed_starts(starts: Collection[ComputedStart]) -> set[ComputedStart]:
    """Those that are allowed now, in one statement: a member's run starts what the member may start, the run of
    somebody who is no active member starts workflows in its own folder. An unknown name is not allowed.
    """
    return {
        one.start
        for one in _people(starts)
        if (one.is_own if one.role is None else _may(one, one.role, RUNS_START))
    }


def may_operate(start: ComputedStart) -> bool:
    """Whether the person for whom a run acts may operate the workflow that it wants to start; no member may."""
    return any(one.role is not None and _may(one, one.role, RUNS_OPERATE) for one in _people([start]))


class _Person(NamedTuple):
    """Whoever wants a start: the folder of its workflow, and what the seat of a member says."""

    start: ComputedStart
    folder: int
    is_own: bool
    role: str | None
    granted: str | None


def _people(starts: Collection[ComputedStart]) -> list[_Person]:
    questions = list(dict.fromkeys(starts))
    tenants, people, origins, names = ([one[at] for one in questions] for at in range(4))
    params = {"tenants": tenants, "people": people, "origins": origins, "names": names}
    rows = _SQL.execute("who_may_start", params).fetchall()
    return [_Person(questions[place - 1], *columns) for place, *columns in rows]


def _may(one: _Person, role: str, scope: str) -> bool:
    reach = reach_of(role, orjson.loads(one.granted) if one.granted else [])
    return scope in SCOPES_OF_ROLE[role] and reach.holds(VERB_OF_SCOPE[scope], one.folder)
