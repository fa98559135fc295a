"""Schedules and their history as people and programs are shown them."""

from collections.abc import Iterable
from uuid import UUID

from django.db.models import OuterRef, QuerySet, Subquery

from lib.refusals import Missing
from triggers.schedules.models import Schedule, ScheduleEntry


def schedules_of(tenant_id: int) -> QuerySet[Schedule]:
    """The tenant's schedules with their workflows and calendars."""
    return Schedule.objects.for_tenant(tenant_id).select_related("workflow", "calendar")


def get_schedule(tenant_id: int, name: str) -> Schedule:
    """The tenant's schedule of this name. Raises Missing."""
    schedule = None if "\x00" in name else schedules_of(tenant_id).filter(name=name).first()
    if schedule is None:
        raise Missing("There is no such schedule.")
    return schedule


def find_schedule(tenant_id: int, schedule_id: UUID) -> Schedule:
    """The tenant's schedule. Raises Missing."""
    schedule = schedules_of(tenant_id).filter(pk=schedule_id).first()
    if schedule is None:
        raise Missing("There is no such schedule.")
    return schedule


def entries_of(schedule: Schedule) -> QuerySet[ScheduleEntry]:
    """The history of a schedule."""
    return ScheduleEntry.objects.for_tenant(schedule.tenant_id).filter(schedule=schedule)


def last_entries(tenant_id: int, schedules: Iterable[Schedule]) -> dict[UUID, ScheduleEntry]:
    """What each of these schedules did last, in two statements; those that did nothing yet are left out."""
    entries = ScheduleEntry.objects.for_tenant(tenant_id)
    newest = entries.filter(schedule=OuterRef("pk")).order_by("-id").values("id")[:1]
    rows = Schedule.objects.for_tenant(tenant_id).filter(pk__in=[one.pk for one in schedules])
    ids = rows.annotate(last=Subquery(newest)).values_list("last", flat=True)
    return {one.schedule_id: one for one in entries.filter(pk__in=[each for each in ids if each])}


def count_stopped() -> int:
    """How many schedules of all tenants were stopped because whoever they act for may not start them."""
    return Schedule.unsafe_all_tenants.filter(enabled=False).exclude(off_reason="").count()
