"""The statements of tasks over the runs of a tree as typed functions (SQL in `sql/trees.sql`)."""

from collections.abc import Sequence
from typing import NamedTuple

from engine.catalogue import Json
from tasks_inbox.store.statements import SQL


class LastDecision(NamedTuple):
    """The last decision at a step of a run, or below it in the round or `item`; `total`: how many items there are."""

    run: str
    version_id: int
    node: str
    item: int | None
    is_below: bool
    outcomes: list[Json]
    outcome: str
    decided_at: str
    total: int | None


def last_decisions(tenant: int, runs: Sequence[str], for_operators: Sequence[str]) -> list[LastDecision]:
    """The last decision at each step of these runs, which no step started; tasks `for_operators` don't count."""
    params = {"tenant": tenant, "runs": list(runs), "for_operators": list(for_operators)}
    return [LastDecision(*row) for row in SQL.value("last_decisions", params)]
