"""Who may reach which workflow: whom its folder lets (R-162)."""

from django.db.models import QuerySet

from accounts.guards import note, require_in
from accounts.principal import Principal
from accounts.roles import RUNS_OPERATE, VERB_OF_SCOPE, WORKFLOWS_READ
from workflows.models import Workflow


def guard_workflow(principal: Principal, scope: str, name: str) -> frozenset[str]:
    """Let pass who may do what the scope is about with the workflow; gives all scopes that they hold for it. Raises
    Missing and Forbidden.
    """
    scopes = principal.scopes
    if not principal.reach.is_everywhere:
        folder = _folder_of(principal, name)
        require_in(principal, scope, folder, name, f"There is no workflow {name}.")
        scopes = _scopes_in(principal, folder)
    note("name", scope, name)
    return scopes


def may(principal: Principal, scope: str, workflow: Workflow) -> bool:
    """Whether they may do what a scope is about with a workflow."""
    return principal.may_in(scope, workflow.folder_id)


def scopes_for(principal: Principal, name: str) -> frozenset[str]:
    """The scopes that they hold for what a workflow of this name is and does; none where there is no such workflow."""
    if principal.reach.is_everywhere:
        return principal.scopes
    return _scopes_in(principal, _folder_of(principal, name))


def operates(principal: Principal, name: str) -> bool:
    """Whether they may operate the runs of a workflow of this name, as guards note it."""
    is_so = RUNS_OPERATE in scopes_for(principal, name)
    if is_so:
        note("name", RUNS_OPERATE, name)
    return is_so


def _scopes_in(principal: Principal, folder: int | None) -> frozenset[str]:
    return frozenset(scope for scope in principal.scopes if principal.may_in(scope, folder))


def _folder_of(principal: Principal, name: str) -> int | None:
    rows = Workflow.objects.for_tenant(principal.tenant_id).filter(name=name)
    return rows.values_list("folder_id", flat=True).first()


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
