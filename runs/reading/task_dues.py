"""When open tasks of runs are due; an app above registers it in its `AppConfig.ready`."""

from collections.abc import Collection
from datetime import datetime
from typing import Final, Protocol
from uuid import UUID

from django.db.models import DateTimeField, Value
from django.db.models.expressions import Combinable

from lib.ports import Port
from runs.store.calendars import DueDate


class DueTasks(Protocol):
    """The due dates of tasks."""

    def dues_of(self, tenant: int, runs: Collection[UUID]) -> dict[UUID, datetime]:
        """When the next open task of each of these runs of a tenant is due, of those that have one."""

    def next_due(self, tenant: int) -> Combinable:
        """The same of the run of an outer query (its `pk`), as an expression; NULL where it has none."""

    def counted_by(self, tenant: int, runs: Collection[UUID], calendar: int) -> list[DueDate]:
        """The due dates of open tasks of these runs that a calendar counted."""


TASK_DUES: Final = Port[DueTasks]()


def dues_of(tenant: int, runs: Collection[UUID]) -> dict[UUID, datetime]:
    """As `DueTasks` says; nothing, and no statement, where there are no runs or nobody knows."""
    tasks = TASK_DUES.first
    return tasks.dues_of(tenant, runs) if tasks and runs else {}


def next_due(tenant: int) -> Combinable:
    """As `DueTasks` says."""
    tasks = TASK_DUES.first
    return tasks.next_due(tenant) if tasks else Value(None, output_field=DateTimeField())


def counted_by(tenant: int, runs: Collection[UUID], calendar: int) -> list[DueDate]:
    """As `DueTasks` says."""
    tasks = TASK_DUES.first
    return tasks.counted_by(tenant, runs, calendar) if tasks and runs else []
