"""Withdrawing versions: no new runs are started with one, and open runs go on, until it is restored."""

from django.db import transaction

from accounts import audit
from accounts.principal import Principal
from accounts.roles import WORKFLOWS_PUBLISH
from lib.refusals import Invalid
from workflows import queries
from workflows.access import guard_workflow
from workflows.models import VersionWithdrawal, WorkflowVersion


def withdraw(principal: Principal, name: str, number: int, *, reason: str) -> WorkflowVersion:
    """Start no new runs with a version; what is withdrawn already keeps its first reason.

    Raises Missing, Forbidden, Invalid without a reason, Conflict for an archived workflow.
    """
    with transaction.atomic():
        version = _locked(principal, name, number, reason)
        if version.withdrawn is None:
            VersionWithdrawal.objects.create(
                tenant_id=principal.tenant_id, version=version, reason=reason, by_id=principal.user_id
            )
            audit.change(principal, "workflow.withdraw", f"{name} v{number}", reason=reason)
        return queries.get_version(principal.tenant_id, name, number)


def restore(principal: Principal, name: str, number: int, *, reason: str) -> WorkflowVersion:
    """Let new runs take a version again; one that is not withdrawn stays as it is. Raises as `withdraw`."""
    with transaction.atomic():
        version = _locked(principal, name, number, reason)
        if version.withdrawn is not None:
            version.withdrawn.delete()
            audit.change(principal, "workflow.restore_version", f"{name} v{number}", reason=reason)
        return queries.get_version(principal.tenant_id, name, number)


def _locked(principal: Principal, name: str, number: int, reason: str) -> WorkflowVersion:
    principal.require(WORKFLOWS_PUBLISH)
    guard_workflow(principal, WORKFLOWS_PUBLISH, name)
    if not reason.strip():
        raise Invalid("Say why.", code="required", field="reason")
    # Publishing compares with the newest version under the same lock.
    queries.lock_workflow(principal.tenant_id, name)
    return queries.get_version(principal.tenant_id, name, number)
