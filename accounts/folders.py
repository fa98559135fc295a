"""Folders of workflows: who may read, start, edit, publish and operate what lies in them; whoever is not named may not.

A folder grants to roles and groups, within what their role may do at all. Admins need no grant (R-162).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import ProtectedError, QuerySet

from accounts import audit
from accounts.limits import FOLDER_GRANTS, FOLDER_NAME_CHARACTERS
from accounts.models import Folder, FolderGrant, Group
from accounts.names import key_of
from accounts.principal import Principal
from accounts.roles import (
    ADMIN,
    DECIDE,
    EDIT,
    MEMBER_ROLES,
    MEMBERS_MANAGE,
    OPERATE,
    PUBLISH,
    READ,
    START,
    VERBS,
)
from lib.refusals import Conflict, Invalid, Missing

DEFAULT_NAME = "General"
DEFAULT_GRANTS: Mapping[str, tuple[str, ...]] = {
    # Signals of authors are what operating stands for: more of it their role does not allow.
    "author": (READ, START, EDIT, PUBLISH, OPERATE),
    "operator": (READ, START, OPERATE),
    "requester": (DECIDE,),
    "approver": (DECIDE,),
}
"""What the folder that a tenant begins with grants to which roles. Viewers read what an admin lets them read. Another
folder is offered the same to begin with, but for those who would decide only: an admin says who decides there.
"""


@dataclass(frozen=True, slots=True)
class Grant:
    """What a folder lets a role or a group do: one of `role` and `group` (its name) is given."""

    verbs: tuple[str, ...]
    role: str = ""
    group: str = ""


def standard_grants() -> list[Grant]:
    """What the default folder grants at first."""
    return [Grant(verbs, role) for role, verbs in DEFAULT_GRANTS.items()]


def offered_grants() -> list[Grant]:
    """What is offered for a new folder."""
    return [one for one in standard_grants() if READ in one.verbs]


def grants_of(folder: Folder) -> list[Grant]:
    """What a folder grants."""
    rows = FolderGrant.objects.for_tenant(folder.tenant_id).filter(folder=folder)
    return [
        Grant(tuple(verbs), role, group or "")
        for role, group, verbs in rows.values_list("role", "group__name", "verbs")
    ]


def default_folder(tenant_id: int) -> Folder:
    """The folder in which workflows lie that name none; made, with what it grants at first, where there is none."""
    rows = Folder.objects.for_tenant(tenant_id)
    if (folder := rows.filter(is_default=True).first()) is not None:
        return folder
    try:
        with transaction.atomic():
            folder = Folder.objects.create(
                tenant_id=tenant_id, name=DEFAULT_NAME, key=key_of(DEFAULT_NAME), is_default=True
            )
            _grant(folder, standard_grants())
    except IntegrityError:  # Somebody else has made it meanwhile.
        return rows.get(is_default=True)
    return folder


def folders_of(tenant_id: int) -> QuerySet[Folder]:
    """The tenant's folders."""
    return Folder.objects.for_tenant(tenant_id)


def find_folder(tenant_id: int, folder_id: int) -> Folder:
    """The tenant's folder. Raises Missing."""
    folder = folders_of(tenant_id).filter(pk=folder_id).first()
    if folder is None:
        raise Missing("There is no such folder.")
    return folder


def folder_named(principal: Principal, name: str | None, verb: str) -> Folder:
    """The folder of this name in which they may do this, the default one or else any where none is named.

    Raises Invalid where there is none.
    """
    rows = folders_of(principal.tenant_id)
    if (open_to := principal.reach.folders(verb)) is not None:
        rows = rows.filter(pk__in=open_to)
    if name is None:
        default_folder(principal.tenant_id)
        folder, message = rows.order_by("-is_default", "key").first(), f"No folder lets you {verb} workflows."
    else:
        folder, message = (
            rows.filter(key=key_of(name.replace("\x00", ""))).first(),
            f"There is no folder {name} where you may {verb}.",
        )
    if folder is None:
        raise Invalid(f"{message} An admin can change that.", code="no_folder", field="folder")
    return folder


def folder_names(principal: Principal, verb: str) -> list[str]:
    """The names of the folders in which they may do this, in their order."""
    rows, open_to = folders_of(principal.tenant_id), principal.reach.folders(verb)
    rows = rows if open_to is None else rows.filter(pk__in=open_to)
    return list(rows.order_by("key").values_list("name", flat=True))


def folder_rows(tenant_id: int, folders: Iterable[Folder]) -> list[dict[str, object]]:
    """Folders as the API shows them, with their grants, in one statement more."""
    all_folders = list(folders)
    grants: dict[int, list[dict[str, object]]] = {}
    rows = FolderGrant.objects.for_tenant(tenant_id).filter(folder__in=all_folders)
    for folder, role, group, verbs in rows.order_by("role", "group__key").values_list(
        "folder_id", "role", "group__name", "verbs"
    ):
        to = {"role": role} if role else {"group": group}
        grants.setdefault(folder, []).append({**to, "may": [verb for verb in VERBS if verb in verbs]})
    return [
        {
            "id": folder.pk,
            "name": folder.name,
            "default": folder.is_default,
            "grants": grants.get(folder.pk, []),
            "created_at": folder.created_at,
        }
        for folder in all_folders
    ]


def grants_to_groups(tenant_id: int, groups: Iterable[int]) -> dict[int, list[dict[str, Any]]]:
    """What folders grant each of these groups, by its key: names of folders with the verbs; in one statement."""
    grants: dict[int, list[dict[str, Any]]] = {group: [] for group in groups}
    rows = FolderGrant.objects.for_tenant(tenant_id).filter(group__in=grants).order_by("folder__key")
    for group, folder, verbs in rows.values_list("group_id", "folder__name", "verbs"):
        grants[group].append({"folder": folder, "may": [verb for verb in VERBS if verb in verbs]})
    return grants


@transaction.atomic
def create_folder(
    principal: Principal, name: str, grants: Sequence[Grant], *, reason: str | None = None
) -> Folder:
    """A new folder that grants this. Raises Invalid at the field that is wrong, Conflict for a taken name."""
    principal.require(MEMBERS_MANAGE)
    folder = Folder(tenant_id=principal.tenant_id)
    _rename(folder, name)
    _grant(folder, grants)
    audit.change(principal, "folder.create", folder.name, after=_facts_of(folder), reason=reason)
    return folder


@transaction.atomic
def change_folder(
    principal: Principal,
    folder_id: int,
    *,
    name: str | None = None,
    grants: Sequence[Grant] | None = None,
    grant: Grant | None = None,
    reason: str | None = None,
) -> Folder:
    """Another name, other grants as a whole, or one `grant` added to those there are; what is None stays.

    Raises Missing, and as `create_folder`.
    """
    principal.require(MEMBERS_MANAGE)
    # One after another: what two set at once must not add up.
    Folder.objects.for_tenant(principal.tenant_id).select_for_update().filter(pk=folder_id).first()
    folder = find_folder(principal.tenant_id, folder_id)
    before = _facts_of(folder)
    if name is not None:
        _rename(folder, name)
    if grants is not None:
        FolderGrant.objects.for_tenant(principal.tenant_id).filter(folder=folder).delete()
        _grant(folder, grants)
    if grant is not None:
        _add(folder, grant)
    after = _facts_of(folder)
    if after == before and grant is not None:
        return folder
    audit.change(principal, "folder.change", folder.name, before=before, after=after, reason=reason)
    return folder


@transaction.atomic
def delete_folder(principal: Principal, folder_id: int, *, reason: str | None = None) -> None:
    """No such folder any more. Raises Missing; Conflict for the default one, and while anything lies in it."""
    principal.require(MEMBERS_MANAGE)
    folder = find_folder(principal.tenant_id, folder_id)
    if folder.is_default:
        message = f"{folder.name} is where new workflows go: it can be renamed, but not deleted."
        raise Conflict(message, code="default_folder")
    before = _facts_of(folder)
    try:
        with transaction.atomic():
            folder.delete()
    except ProtectedError as error:
        counts = Counter(str(one._meta.verbose_name) for one in error.protected_objects)
        what = " and ".join(
            f"{count} {kind}{'s'[: count != 1]}" for kind, count in sorted(counts.items(), reverse=True)
        )
        lie = "lies" if counts.total() == 1 else "lie"
        message = f"{what} {lie} in {folder.name}, archived ones included: move them first."
        raise Conflict(message, code="folder_in_use") from None
    audit.change(principal, "folder.delete", folder.name, before=before, reason=reason)


def _facts_of(folder: Folder) -> dict[str, object]:
    """What the audit log says of a folder."""
    (row,) = folder_rows(folder.tenant_id, [folder])
    return {"name": row["name"], "grants": row["grants"]}


def hold_folder(folder: Folder) -> None:
    """Keep a folder from being deleted until the transaction ends. Raises Invalid where it was deleted meanwhile."""
    rows = Folder.objects.for_tenant(folder.tenant_id).select_for_update(no_key=True)
    if not rows.filter(pk=folder.pk).exists():
        raise Invalid(f"The folder {folder.name} was deleted meanwhile.", code="no_folder", field="folder")


def _rename(folder: Folder, name: str) -> None:
    folder.name, folder.key = name.strip(), key_of(name)
    if not 0 < len(folder.name) <= FOLDER_NAME_CHARACTERS:
        raise Invalid(f"A folder's name has 1 to {FOLDER_NAME_CHARACTERS} characters.", field="name")
    try:
        with transaction.atomic():
            folder.save()
    except IntegrityError:
        message = f"A folder {folder.name} already exists."
        raise Conflict(message, code="name_taken", field="name") from None


def _grant(folder: Folder, grants: Sequence[Grant]) -> None:
    """Write its grants. Raises Invalid for one that can't be, and for whom there are two."""
    if len(grants) > FOLDER_GRANTS:
        raise Invalid(f"A folder has at most {FOLDER_GRANTS} grants.", field="grants")
    keys = {key_of(one.group) for one in grants if one.group}
    groups = {row.key: row for row in Group.objects.for_tenant(folder.tenant_id).filter(key__in=keys)}
    seen: set[tuple[str, str]] = set()
    rows = []
    for place, one in enumerate(grants):
        field, group = f"grants[{place}]", groups.get(key_of(one.group)) if one.group else None
        _check(one, group, field)
        if (mark := (one.role, key_of(one.group))) in seen:
            raise Invalid(f"{one.role or one.group} is listed twice.", field=field)
        seen.add(mark)
        verbs = [verb for verb in VERBS if verb in one.verbs]
        rows.append(
            FolderGrant(tenant_id=folder.tenant_id, folder=folder, role=one.role, group=group, verbs=verbs)
        )
    FolderGrant.objects.bulk_create(rows)


def _add(folder: Folder, grant: Grant) -> None:
    """Grant this, too. Raises Invalid as `_grant`."""
    mark = (grant.role, key_of(grant.group))
    own = [one for one in grants_of(folder) if (one.role, key_of(one.group)) == mark]
    others = [one for one in grants_of(folder) if one not in own]
    verbs = (*(verb for one in own for verb in one.verbs), *grant.verbs)
    FolderGrant.objects.for_tenant(folder.tenant_id).filter(folder=folder).delete()
    _grant(folder, [*others, Grant(verbs, grant.role, grant.group)])


def _check(one: Grant, group: Group | None, field: str) -> None:
    if bool(one.role) == bool(one.group):
        raise Invalid("Name a role or a group, one of the two.", field=field)
    if one.role and (one.role not in MEMBER_ROLES or one.role == ADMIN):
        roles = ", ".join(role for role in MEMBER_ROLES if role != ADMIN)
        raise Invalid(f"There is no role {one.role} to grant to; there are {roles}.", field=f"{field}.role")
    if one.group and group is None:
        raise Invalid(f"There is no group {one.group}.", field=f"{field}.group")
    if not one.verbs or (unknown := sorted({*one.verbs} - {*VERBS})):
        wrong = f"There is no verb {unknown[0]}" if one.verbs else "Name what they may do"
        raise Invalid(f"{wrong}; there are {', '.join(VERBS)}.", field=f"{field}.may")
