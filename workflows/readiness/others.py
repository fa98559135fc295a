"""Other workflows that a draft names and that have to be published or restored first."""

from collections.abc import Collection

from django.db.models import Max
from django.urls import reverse

from accounts.principal import Principal
from accounts.queries import members_of_roles, reach_of, with_grants
from accounts.roles import PUBLISH, WORKFLOWS_PUBLISH, roles_with
from workflows.access import may
from workflows.limits import NAMED_HOLDERS
from workflows.models import Workflow
from workflows.readiness.findings import Mend


def openings(reader: Principal, names: Collection[str]) -> dict[str, Mend]:
    """The press that opens each of these workflows where it is published; two statements at most."""
    if not names:
        return {}
    rows = Workflow.objects.for_tenant(reader.tenant_id).filter(name__in=names)
    others = list(rows.annotate(latest=Max("versions__number")))
    closed = {one.folder_id for one in others if not may(reader, WORKFLOWS_PUBLISH, one)}
    people = _publishers(reader.tenant_id, closed) if closed else {}
    return {
        one.name: Mend(
            kind="page",
            title=f"Open {one.name}",
            path=reverse("workflow-versions" if one.latest else "workflow-edit", args=[one.name]),
            allowed=one.folder_id not in closed,
            people=people.get(one.folder_id, ()),
        )
        for one in others
    }


def _publishers(tenant: int, folders: Collection[int]) -> dict[int, tuple[str, ...]]:
    """Some who may publish in each of these folders."""
    people: dict[int, list[str]] = {folder: [] for folder in folders}
    members = members_of_roles(tenant, roles_with(WORKFLOWS_PUBLISH)).select_related("user")
    for member in with_grants(members):
        reach = reach_of(member.role, member.granted)
        for folder, names in people.items():
            if len(names) < NAMED_HOLDERS and reach.holds(PUBLISH, folder):
                names.append(member.user.username)
    return {folder: tuple(names) for folder, names in people.items()}
