"""Who may say whom a task asks: `tasks:assign`, where the folder of its workflow lets them operate (R-162).

To give somebody's work to somebody else is to step into runs, as resuming and skipping are. Who starts, edits or reads
them has no say in who decides (four eyes).
"""

from accounts.principal import Forbidden, Principal
from accounts.roles import OPERATE, TASKS_ASSIGN
from runs.models import Run
from tasks_inbox.models import ManualTask
from workflows.models import Workflow


def may_assign(principal: Principal, task: ManualTask | Run) -> bool:
    """Whether they may say whom a task asks."""
    if TASKS_ASSIGN not in principal.scopes or principal.reach.is_everywhere:
        return TASKS_ASSIGN in principal.scopes
    rows = Workflow.objects.for_tenant(task.tenant_id).filter(pk=task.workflow_id)
    folder = rows.values_list("folder_id", flat=True).first()
    return principal.may_in(TASKS_ASSIGN, folder)


def require_assign(principal: Principal, task: ManualTask | Run) -> None:
    """Let pass who may say whom a task asks, or those of a run. Raises Forbidden."""
    principal.require(TASKS_ASSIGN)
    if not may_assign(principal, task):
        message = "This needs the right to operate the workflow. An admin can grant it: Settings, Folders."
        raise Forbidden(message, details={"verb": OPERATE})
