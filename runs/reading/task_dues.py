"""When open tasks of runs are due, which an app above tells: what people have to do by when is theirs to know."""

from collections.abc import Collection
from datetime import datetime
from typing import Protocol
from uuid import UUID

from django.db.models import DateTimeField, Value
from django.db.models.expressions import Combinable

from runs.store.calendars import DueDate


class DueTasks(Protocol):
    """Who knows when tasks are due."""

    def dues_of(self, tenant: int, runs: Collection[UUID]) -> dict[UUID, datetime]:
        """When the next open task of each of these runs of a tenant is due, of those that have one."""

    def next_due(self, tenant: int) -> Combinable:
        """The same of the run of an outer query (its `pk`), as an expression; NULL where it has none."""

    def counted_by(self, tenant: int, runs: Collection[UUID], calendar: int) -> list[DueDate]:
        """The due dates of open tasks of these runs that a calendar counted."""


_TELLERS: list[DueTasks] = []


def tell_dues(teller: DueTasks) -> None:
    """Registers who knows it."""
    _TELLERS.append(teller)


def dues_of(tenant: int, runs: Collection[UUID]) -> dict[UUID, datetime]:
    """As `DueTasks` says; nothing, and no statement, where there are no runs or nobody knows."""
    return _TELLERS[0].dues_of(tenant, runs) if _TELLERS and runs else {}


def next_due(tenant: int) -> Combinable:
    """As `DueTasks` says."""
    return _TELLERS[0].next_due(tenant) if _TELLERS else Value(None, output_field=DateTimeField())


def counted_by(tenant: int, runs: Collection[UUID], calendar: int) -> list[DueDate]:
    """As `DueTasks` says."""
    return _TELLERS[0].counted_by(tenant, runs, calendar) if _TELLERS and runs else []
