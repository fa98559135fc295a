"""Whether a run may start a workflow whose name came out of an expression (docs/security.md, "Child runs")."""

from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

import orjson

from accounts.queries import reach_of
from accounts.roles import RUNS_START, SCOPES_OF_ROLE, START
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
    questions = list(dict.fromkeys(starts))
    tenants, people, origins, names = ([one[at] for one in questions] for at in range(4))
    params = {"tenants": tenants, "people": people, "origins": origins, "names": names}
    rows = _SQL.execute("who_may_start", params).fetchall()
    return {
        questions[place - 1]
        for place, folder, is_own, role, granted in rows
        if (is_own if role is None else _may_start(role, granted, folder))
    }


def _may_start(role: str, granted: str | None, folder: int) -> bool:
    reach = reach_of(role, orjson.loads(granted) if granted else [])
    return RUNS_START in SCOPES_OF_ROLE[role] and reach.holds(START, folder)
