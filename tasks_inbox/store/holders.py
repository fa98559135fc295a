"""Statements that take tasks from people who can't decide them any more (SQL in `sql/tasks.sql`)."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from accounts.names import key_of
from tasks_inbox.store.statements import SQL


def put_back(tenant: int, assignee: str, kinds: Sequence[str]) -> None:
    """Give the OPEN tasks of these kinds that somebody has back to all whom they ask."""
    SQL.execute("put_back", {"tenant": tenant, "assignee": assignee, "kinds": list(kinds)})


def put_votes_back(tenant: int, name: str) -> None:
    """Give votes of OPEN tasks that somebody has, or has handed over, back to those whose they are."""
    SQL.execute("put_votes_back", {"tenant": tenant, "key": key_of(name)})


def release_tasks(holders: Mapping[UUID, str]) -> set[UUID]:
    """Give these OPEN tasks back to all whom they ask, each from its holder; gives those that were still theirs."""
    if not holders:
        return set()
    params = {"tasks": list(holders), "holders": list(holders.values())}
    return {UUID(id_) for id_ in SQL.value("release_tasks", params)}
