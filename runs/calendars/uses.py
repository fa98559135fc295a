"""Who uses a working calendar, and what a change of it moves, as far as whoever asks may read it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from accounts.principal import Principal
from accounts.roles import READ
from runs.limits import CALENDAR_RUNS
from runs.models import Calendar
from runs.ports import CALENDAR_USERS, Kept
from runs.reading.task_dues import counted_by
from runs.store import calendars as store
from runs.store.calendars import DueDate, UsingVersion
from workflows.models import Workflow

SHOWN = 100
"""So many workflows, schedules and due dates are named at most; all are counted."""
LISTED = 20
"""So many due dates are listed on a page."""


@dataclass(frozen=True, slots=True)
class Using:
    """A workflow with versions in use that name the calendar: the `newest` one, or those that have open runs."""

    workflow: str
    title: str
    versions: list[int]
    newest: bool
    open_runs: int


@dataclass(frozen=True, slots=True)
class Due:
    """An open due date that was counted by a revision of the calendar, and stays."""

    run_id: UUID
    workflow: str
    node: str | None
    kind: str
    due_at: datetime
    revision: int


@dataclass(frozen=True, slots=True)
class Uses:
    """Who uses a calendar. `others`: how many workflows, schedules and due dates are not named.

    `is_default`: it also counts wherever no calendar is named. `more`: there are more open runs than were looked at.
    `has_other_rules`: the change by which schedules say when they would be due changes more than name and folder.
    """

    is_default: bool
    workflows: list[Using]
    schedules: list[Kept]
    due_dates: list[Due]
    other_workflows: int
    other_schedules: int
    other_due_dates: int
    more: bool
    has_other_rules: bool = False

    @property
    def unlisted_due_dates(self) -> int:
        """How many due dates a page that lists a few of them leaves out."""
        return self.other_due_dates + max(0, len(self.due_dates) - LISTED)

    @property
    def is_in_use(self) -> bool:
        """Whether a version in use or a schedule names it."""
        return bool(self.workflows or self.schedules or self.other_workflows or self.other_schedules)


def uses_of(principal: Principal, calendar: Calendar, changed: Calendar | None = None) -> Uses:
    """Who uses a calendar; `changed`: as it would be, so that schedules say when they would be due."""
    tenant = calendar.tenant_id
    versions = store.using_versions(tenant, calendar.pk, CALENDAR_RUNS)
    is_default = calendar.folder_id is None and calendar.pk == _default(tenant)
    workflow_ids = None if is_default else sorted({one.workflow_id for one in versions})
    runs, dates = store.due_dates(tenant, calendar.pk, workflow_ids, CALENDAR_RUNS)
    dates += counted_by(tenant, runs, calendar.pk)
    workflows = list(_workflows(principal, versions))[:SHOWN]
    schedules: list[Kept] = []
    other_schedules = 0
    for user in CALENDAR_USERS:
        seen, others = user.kept(principal, calendar, changed)
        schedules += seen
        other_schedules += others
    due = _due_dates(principal, dates)
    return Uses(
        is_default=is_default,
        workflows=workflows,
        schedules=schedules,
        due_dates=due,
        other_workflows=len({one.workflow_id for one in versions}) - len(workflows),
        other_schedules=other_schedules,
        other_due_dates=len(dates) - len(due),
        more=len(runs) >= CALENDAR_RUNS,
    )


def used_outside(calendar: Calendar, folder: int) -> bool:
    """Whether a workflow that lies in another folder uses it, or a schedule of one."""
    versions = store.using_versions(calendar.tenant_id, calendar.pk, CALENDAR_RUNS)
    return any(one.folder != folder for one in versions) or any(
        user.is_outside(calendar, folder) for user in CALENDAR_USERS
    )


def _default(tenant: int) -> int | None:
    rows = Calendar.objects.for_tenant(tenant).filter(folder=None)
    by_name = rows.filter(name="default").values_list("pk", flat=True).first()
    return by_name or rows.order_by("pk").values_list("pk", flat=True).first()


def _workflows(principal: Principal, versions: Sequence[UsingVersion]) -> Iterable[Using]:
    by_workflow: dict[int, list[UsingVersion]] = {}
    for one in versions:
        if principal.reach.holds(READ, one.folder):
            by_workflow.setdefault(one.workflow_id, []).append(one)
    for those in by_workflow.values():
        first = those[0]
        yield Using(
            first.workflow,
            first.title,
            [one.number for one in those],
            any(one.is_newest for one in those),
            sum(one.open_runs for one in those),
        )


def _due_dates(principal: Principal, dates: Sequence[DueDate]) -> list[Due]:
    ids = {one.workflow_id for one in dates}
    if not ids:
        return []
    rows = Workflow.objects.for_tenant(principal.tenant_id).filter(pk__in=ids)
    names = {
        pk: name
        for pk, name, folder in rows.values_list("pk", "name", "folder_id")
        if principal.reach.holds(READ, folder)
    }
    visible = sorted(
        (one for one in dates if one.workflow_id in names),
        key=lambda one: (one.due_at, one.run_id, one.node or ""),
    )
    return [
        Due(one.run_id, names[one.workflow_id], one.node, one.kind, one.due_at, one.revision)
        for one in visible[:SHOWN]
    ]
