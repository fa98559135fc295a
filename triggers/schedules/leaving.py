"""The schedules that act for somebody who leaves: handed to another member, or switched off."""

from collections.abc import Iterator
from typing import Final

from django.db.models import Q
from django.urls import reverse

from accounts.principal import Principal
from accounts.roles import RUNS_READ
from runs.access import readable
from tasks_inbox.limits import LEFT_ITEMS
from tasks_inbox.ports import LeftItem, LeftKind
from tasks_inbox.reading.left import HAND, KEEP, STOP
from triggers.schedules.limits import NOTE_CHARACTERS
from triggers.schedules.models import Schedule
from triggers.schedules.service import change_schedule, hand_schedule

SCHEDULE: Final = "schedule"


def _schedules(principal: Principal, username: str) -> Iterator[LeftItem]:
    rows = Schedule.objects.for_tenant(principal.tenant_id).select_related("workflow")
    rows = readable(rows.filter(acts_for__iexact=username), principal)
    for row in rows.order_by("name")[:LEFT_ITEMS]:
        state = "on" if row.enabled else "stopped" if row.off_reason else "off"
        called = row.workflow.title or row.workflow.name
        address = reverse("schedule", args=[row.pk])
        yield LeftItem(
            SCHEDULE, row.name, row.name, f"Starts {called}; it is {state}", (HAND, STOP, KEEP), address
        )


def _stop(principal: Principal, item: LeftItem, _: str, why: str | None) -> None:
    change_schedule(principal, item.id, enabled=False, note=(why or "")[:NOTE_CHARACTERS], reason=why)


LEFT: Final = LeftKind(
    SCHEDULE,
    20,
    "Schedules that act for them",
    RUNS_READ,
    _schedules,
    {
        HAND: lambda who, item, to, why: hand_schedule(who, item.id, to, reason=why),
        STOP: _stop,
    },
    lambda tenant: (
        Schedule.objects.for_tenant(tenant).filter(Q(enabled=True) | ~Q(off_reason="")),
        "acts_for",
    ),
)
