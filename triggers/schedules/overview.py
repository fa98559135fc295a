"""The schedules of a workflow, shown on its page."""

from django.urls import reverse

from accounts.principal import Principal
from accounts.roles import RUNS_READ
from triggers.schedules.limits import OVERVIEW_ROWS
from triggers.schedules.reading import schedules_of
from triggers.schedules.words import words_of
from workflows.access import may
from workflows.models import Workflow
from workflows.ports import Trigger


def schedule_triggers(who: Principal, workflow: Workflow) -> list[Trigger]:
    """The schedules of a workflow by name, for who may read its runs."""
    if not may(who, RUNS_READ, workflow):
        return []
    rows = schedules_of(who.tenant_id).filter(workflow=workflow.pk).order_by("name")[:OVERVIEW_ROWS]
    return [
        Trigger(
            row.name,
            words_of(row) + (f", on working days of {row.calendar.name}" if row.calendar else ""),
            row.enabled,
            row.paused_at if row.off_reason else None,
            row.off_reason,
            path=reverse("schedule", args=[row.pk]),
            kind="Schedule",
        )
        for row in rows
    ]
