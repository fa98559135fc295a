"""Who may reach which schedule."""

from uuid import UUID

from django.db.models import QuerySet

from accounts.principal import Principal
from accounts.roles import READ
from runs.access import require_workflow
from triggers.schedules.models import Schedule
from workflows.access import open_to


def guard_schedule(principal: Principal, scope: str, name: str) -> None:
    """As `guard_run`, of the workflow of a schedule of this name."""
    rows = Schedule.objects.for_tenant(principal.tenant_id).filter(name=name.replace("\x00", ""))
    require_workflow(
        principal, scope, rows.values("workflow_id"), "this schedule", "There is no such schedule."
    )


def guard_schedule_id(principal: Principal, scope: str, schedule_id: UUID) -> None:
    """As `guard_run`, of the workflow of a schedule."""
    rows = Schedule.objects.for_tenant(principal.tenant_id).filter(pk=schedule_id)
    require_workflow(
        principal, scope, rows.values("workflow_id"), "this schedule", "There is no such schedule."
    )


def readable_schedules(schedules: QuerySet[Schedule], principal: Principal) -> QuerySet[Schedule]:
    """Those of the schedules whose workflows they may read."""
    if principal.reach.is_everywhere:
        return schedules
    return schedules.filter(workflow__in=open_to(principal, READ))
