"""Who may reach which schedule."""

from uuid import UUID

from accounts.principal import Principal
from runs.access import require_workflow
from triggers.schedules.models import Schedule


def guard_schedule(principal: Principal, scope: str, name: str) -> None:
    """As `guard_run`, of the workflow of a schedule of this name."""
    rows = Schedule.objects.for_tenant(principal.tenant_id).filter(name=name.replace("\x00", ""))
    require_workflow(principal, scope, rows, "schedule")


def guard_schedule_id(principal: Principal, scope: str, schedule_id: UUID) -> None:
    """As `guard_run`, of the workflow of a schedule."""
    rows = Schedule.objects.for_tenant(principal.tenant_id).filter(pk=schedule_id)
    require_workflow(principal, scope, rows, "schedule")
