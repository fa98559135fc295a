"""The pages of folders: for each role and group, what it may do with the workflows that lie there."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render

from accounts import folders, pages, queries
from accounts.access import PageRequest, page
from accounts.folders import Grant
from accounts.limits import FOLDER_PAGE_GROUPS, TYPED_CHARACTERS
from accounts.models import Folder
from accounts.roles import ADMIN, MEMBER_ROLES, MEMBERS_MANAGE, SCOPES_OF_ROLE, VERB_OF_SCOPE, VERBS
from lib.api.pagination import keyset_page
from lib.refusals import Conflict, Invalid

VERB_WORDS = {
    "read": "See the workflows, their runs and tasks",
    "start": "Start runs",
    "edit": "Change drafts and webhooks",
    "publish": "Publish versions",
    "operate": "Cancel, resume and signal runs",
    "decide": "Decide tasks that name nobody, without seeing workflows and runs",
}


@page(MEMBERS_MANAGE)
def folder_list(request: PageRequest) -> HttpResponse:
    """The folders, with what they grant."""
    tenant = request.principal.tenant_id
    cursor = request.GET.get("cursor") or None
    rows = keyset_page(
        folders.folders_of(tenant), request, keys=("id",), limit=pages.ON_A_PAGE, cursor=cursor
    )
    context = {"folders": folders.folder_rows(tenant, rows.rows)} | pages.neighbours(rows)
    return render(request, "settings/folders.html", context)


@page(MEMBERS_MANAGE, "GET", "POST")
def add_folder(request: PageRequest) -> HttpResponse:
    """Makes a folder; what is wrong is shown at its field."""
    if request.method != "POST":
        return _form(request, None, "", folders.offered_grants())
    name, grants = pages.typed(request, "name"), _grants(request)
    try:
        name = folders.create_folder(request.principal, name, grants).name
    except (Invalid, Conflict) as error:
        return _form(request, None, name, grants, error)
    messages.success(request, f"The folder {name} was added. Move workflows to it on their own pages.")
    return redirect("settings-folders")


@page(MEMBERS_MANAGE, "GET", "POST")
def folder(request: PageRequest, folder_id: int) -> HttpResponse:
    """Changes a folder's name and what it grants."""
    row = folders.find_folder(request.principal.tenant_id, folder_id)
    if request.method != "POST":
        return _form(request, row, row.name, folders.grants_of(row))
    name, grants = pages.typed(request, "name"), _grants(request)
    try:
        folders.change_folder(request.principal, folder_id, name=name, grants=grants)
    except (Invalid, Conflict) as error:
        return _form(request, row, name, grants, error)
    messages.success(request, "The folder is changed, with effect from now.")
    return redirect("settings-folders")


@page(MEMBERS_MANAGE, "POST")
def delete_folder(request: PageRequest, folder_id: int) -> HttpResponse:
    """Deletes an empty folder."""
    row = folders.find_folder(request.principal.tenant_id, folder_id)
    try:
        folders.delete_folder(request.principal, folder_id)
    except Conflict as refusal:
        return _form(request, row, row.name, folders.grants_of(row), refusal)
    messages.success(request, f"The folder {row.name} is deleted.")
    return redirect("settings-folders")


def _grants(request: PageRequest) -> list[Grant]:
    """The boxes that are checked: `role:author` or `group:Finance`, each with verbs."""
    grants = []
    for mark in dict.fromkeys(request.POST.getlist("to")):
        kind, _, name = mark.replace("\x00", "")[:TYPED_CHARACTERS].partition(":")
        verbs = tuple(verb for verb in VERBS if verb in request.POST.getlist(f"may {mark}"))
        if verbs:
            grants.append(Grant(verbs, **{"role" if kind == "role" else "group": name}))
    return grants


def _form(
    request: PageRequest,
    row: Folder | None,
    name: str,
    grants: Sequence[Grant],
    error: Invalid | Conflict | None = None,
) -> HttpResponse:
    groups = queries.groups_of(request.principal.tenant_id).order_by("key")[:FOLDER_PAGE_GROUPS]
    verbs_by_mark = {_mark(one): one.verbs for one in grants}
    whom = [Grant((), role) for role in MEMBER_ROLES if role != ADMIN]
    names = [group.name for group in groups]
    # Those that are granted something are shown however many others there are: what is not shown is taken away.
    names += [one.group for one in grants if one.group and one.group not in names]
    whom += [Grant((), group=name) for name in names]
    context: dict[str, Any] = pages.form_of({"name": name}, error) | {
        "folder": row,
        "verbs": [(verb, VERB_WORDS[verb]) for verb in VERBS],
        "rows": [
            (_mark(one), one.role or one.group, bool(one.role), _boxes(one, verbs_by_mark)) for one in whom
        ],
    }
    return render(request, "settings/folder.html", context, status=pages.status_of(error) if error else 200)


def _boxes(one: Grant, verbs_by_mark: dict[str, tuple[str, ...]]) -> list[tuple[str, bool, bool]]:
    """Each verb, whether it is granted, and whether the role could do it at all; of a group each member's role says."""
    able = {VERB_OF_SCOPE.get(scope) for scope in SCOPES_OF_ROLE.get(one.role, ())} if one.role else {*VERBS}
    return [(verb, verb in verbs_by_mark.get(_mark(one), ()), verb in able) for verb in VERBS]


def _mark(one: Grant) -> str:
    return f"role:{one.role}" if one.role else f"group:{one.group}"
