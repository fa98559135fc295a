"""The routes of folders of workflows, which say who may do what with what lies in them."""

from collections.abc import Iterable, Mapping
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import folders
from accounts.api import serializers as s
from accounts.api.base import ApiView
from accounts.folders import Grant
from accounts.models import Folder
from accounts.roles import MEMBERS_MANAGE
from lib.api.pagination import keyset_page
from lib.api.schema import page_schema
from lib.api.serializers import Verb, body, query


def _grants(rows: Iterable[Mapping[str, Any]]) -> list[Grant]:
    return [Grant(tuple(row["may"]), row.get("role", ""), row.get("group", "")) for row in rows]


class _FoldersApiView(ApiView):
    def shown(self, folder: Folder) -> Any:
        """The folder as it is shown."""
        return folders.folder_rows(self.principal.tenant_id, [folder])[0]


class FoldersView(_FoldersApiView):
    """Folders."""

    scopes = {"GET": MEMBERS_MANAGE, "POST": MEMBERS_MANAGE}

    @extend_schema(parameters=[s.FolderListQuery], responses=page_schema(s.FolderSerializer))
    def get(self, request: Request) -> Response:
        """The tenant's folders, newest first."""
        params = query(s.FolderListQuery, request)
        tenant = self.principal.tenant_id
        page = keyset_page(folders.folders_of(tenant), request, keys=("id",), **params)
        return Response(page.answer(folders.folder_rows(tenant, page.rows)))

    @extend_schema(request=s.CreateFolder, responses={201: s.FolderSerializer})
    def post(self, request: Request) -> Response:
        """Makes a folder: 201; 409 if there is one of this name."""
        payload = body(s.CreateFolder, request)
        grants = _grants(payload.get("grants", ()))
        folder = folders.create_folder(self.principal, payload["name"], grants, reason=payload.get("reason"))
        return Response(self.shown(folder), status=201, headers={"Location": f"/api/v1/folders/{folder.pk}"})


class FolderView(_FoldersApiView):
    """One folder."""

    scopes = {"GET": MEMBERS_MANAGE, "PATCH": MEMBERS_MANAGE, "DELETE": MEMBERS_MANAGE}

    @extend_schema(responses=s.FolderSerializer)
    def get(self, request: Request, folder_id: int) -> Response:
        """The folder with what it grants."""
        return Response(self.shown(folders.find_folder(self.principal.tenant_id, folder_id)))

    @extend_schema(request=s.ChangeFolder, responses=s.FolderSerializer)
    def patch(self, request: Request, folder_id: int) -> Response:
        """Changes its name, replaces its grants, or adds one `grant` to them."""
        payload = body(s.ChangeFolder, request)
        if "grants" in payload:
            payload["grants"] = _grants(payload["grants"])
        if "grant" in payload:
            (payload["grant"],) = _grants([payload["grant"]])
        return Response(self.shown(folders.change_folder(self.principal, folder_id, **payload)))

    @extend_schema(request=Verb, responses={204: None})
    def delete(self, request: Request, folder_id: int) -> Response:
        """Deletes an empty folder; 409 while it contains workflows."""
        folders.delete_folder(self.principal, folder_id, reason=body(Verb, request).get("reason"))
        return Response(status=204)
