"""Whether anybody but admins may start the workflow, and the grant that lets them."""

from django.db.models import Q
from django.urls import reverse

from accounts.models import Group
from accounts.queries import holders_of, members_of_roles
from accounts.roles import ADMIN, MEMBERS_MANAGE, RUNS_START, START, roles_with
from workflows.limits import GRANT_GROUPS
from workflows.readiness.findings import Choice, Finding
from workflows.readiness.rights import Rights

ROLES = {"requester": "requesters", "author": "authors", "operator": "operators"}
"""Roles that can be granted the right to start, in the order in which they are offered, in words."""


def nobody_may_start(rights: Rights) -> Finding | None:
    """A finding where nobody but admins may start runs though others could be let; three statements at most.

    A tenant in which only admins could start anything has nobody to grant it to.
    """
    workflow = rights.workflow
    if holders_of(workflow.tenant_id, RUNS_START, workflow.folder_id).exclude(role=ADMIN).exists():
        return None
    choices = _choices(workflow.tenant_id)
    if not choices:
        return None
    folder = workflow.folder
    mend = rights.mend(
        "request",
        "Grant it",
        MEMBERS_MANAGE,
        method="PATCH",
        path=reverse("api-folder", args=[folder.pk]),
        choices=choices,
    )
    message = (
        f"Nobody but admins may start this: the folder {folder.name} lets nobody else start its workflows."
    )
    return Finding(code="nobody_may_start", message=message, mend=mend)


def _choices(tenant: int) -> tuple[Choice, ...]:
    roles = [role for role in roles_with(RUNS_START) if role != ADMIN]
    members = members_of_roles(tenant, roles)
    held = {*members.order_by().values_list("role", flat=True).distinct()}
    if not held:
        return ()
    startable = Q(members__role__in=roles, members__user__is_active=True)
    groups = Group.objects.for_tenant(tenant).filter(startable).order_by("key").distinct()
    offered = [("role", role, f"All {words}") for role, words in ROLES.items() if role in held]
    offered += [
        ("group", name, f"The group {name}") for name in groups.values_list("name", flat=True)[:GRANT_GROUPS]
    ]
    return tuple(
        Choice(title, {"grant": {kind: name, "may": [START]}, "reason": "Granted before publishing."})
        for kind, name, title in offered
    )
