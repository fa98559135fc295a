"""Who may reach which workflow: whom its folder lets (R-162)."""

from django.db.models import QuerySet

from accounts.guards import note, require_in
from accounts.principal import Principal
from accounts.roles import VERB_OF_SCOPE, WORKFLOWS_READ
from workflows.models import Workflow


def guard_workflow(principal: Principal, scope: str, name: str) -> None:
    """Let pass who may do what the scope is about with the workflow. Raises Missing and Forbidden."""
    if not principal.reach.is_everywhere:
        rows = Workflow.objects.for_tenant(principal.tenant_id).filter(name=name)
        folder = rows.values_list("folder_id", flat=True).first()
        require_in(principal, scope, folder, name, f"There is no workflow {name}.")
    note("name", scope, name)


def may(principal: Principal, scope: str, workflow: Workflow) -> bool:
    """Whether they may do what a scope is about with a workflow."""
    return scope in principal.scopes and principal.reach.holds(VERB_OF_SCOPE[scope], workflow.folder_id)


def scopes_for(principal: Principal, name: str) -> frozenset[str]:
    """The scopes that they hold for what a workflow of this name is and does; none where there is no such workflow."""
    if principal.reach.is_everywhere:
        return principal.scopes
    rows = Workflow.objects.for_tenant(principal.tenant_id).filter(name=name)
    folder = rows.values_list("folder_id", flat=True).first()
    if folder is None:
        return frozenset()
    verbs = principal.reach.verbs_of.get(folder, frozenset())
    return frozenset(scope for scope in principal.scopes if VERB_OF_SCOPE.get(scope, "") in verbs)


def may_anywhere(principal: Principal, scope: str) -> bool:
    """Whether there is a folder in which they may do what a scope is about."""
    folders = principal.reach.folders(VERB_OF_SCOPE[scope])
    return scope in principal.scopes and (folders is None or bool(folders))


def sees_nothing(principal: Principal) -> bool:
    """Whether no folder lets them read anything, which an empty page should say."""
    return not may_anywhere(principal, WORKFLOWS_READ)


def open_to(principal: Principal, *verbs: str) -> QuerySet[Workflow]:
    """The tenant's workflows with which somebody may do one of these, archived ones too."""
    rows = Workflow.objects.for_tenant(principal.tenant_id)
    folders = principal.reach.folders(*verbs)
    return rows if folders is None else rows.filter(folder__in=folders)
