"""Statements that take tasks from people who can't decide them any more (SQL in `sql/tasks.sql`)."""

from collections.abc import Mapping
from uuid import UUID

from accounts.names import key_of
from tasks_inbox.store.statements import SQL


def put_back(tenant: int, assignee: str) -> None:
    """Give the OPEN tasks that somebody has back to all whom they ask."""
    SQL.execute("put_back", {"tenant": tenant, "assignee": assignee})
    SQL.execute("put_votes_back", {"tenant": tenant, "key": key_of(assignee)})


def release_tasks(holders: Mapping[UUID, str]) -> set[UUID]:
    """Give these OPEN tasks back to all whom they ask, each from its holder; gives those that were still theirs."""
    if not holders:
        return set()
    params = {"tasks": list(holders), "holders": list(holders.values())}
    return {UUID(id_) for id_ in SQL.value("release_tasks", params)}
