"""The routes of groups (R-146: candidates by group)."""

from collections.abc import Sequence
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import impacts, queries, services
from accounts.api import serializers as s
from accounts.api.base import ApiView
from accounts.folders import grants_to_groups
from accounts.models import Group
from accounts.roles import MEMBERS_MANAGE, MEMBERS_READ
from lib.api.pagination import keyset_page
from lib.api.schema import page_schema
from lib.api.serializers import Verb, body, query


class _GroupsApiView(ApiView):
    def shown(self, group: Group) -> Any:
        """The group as it is shown."""
        return self.rows([group])[0]

    def rows(self, groups: Sequence[Group]) -> list[dict[str, object]]:
        """Groups as they are shown; who manages members sees what folders grant them."""
        tenant = self.principal.tenant_id
        rows = queries.group_rows(tenant, groups)
        if MEMBERS_MANAGE not in self.principal.scopes:
            return rows
        granted = grants_to_groups(tenant, [group.pk for group in groups])
        return [row | {"granted": granted[group.pk]} for row, group in zip(rows, groups, strict=True)]


class GroupsView(_GroupsApiView):
    """Groups."""

    scopes = {"GET": MEMBERS_READ, "POST": MEMBERS_MANAGE}

    @extend_schema(parameters=[s.GroupListQuery], responses=page_schema(s.GroupSerializer))
    def get(self, request: Request) -> Response:
        """The tenant's groups, newest first."""
        params = query(s.GroupListQuery, request)
        tenant = self.principal.tenant_id
        page = keyset_page(queries.groups_of(tenant), request, keys=("id",), **params)
        return Response(page.answer(self.rows(page.rows)))

    @extend_schema(request=s.CreateGroup, responses={201: s.GroupSerializer})
    def post(self, request: Request) -> Response:
        """Makes a group: 201; 409 if there is one of this name."""
        payload = body(s.CreateGroup, request)
        group = services.create_group(
            self.principal, payload["name"], payload.get("members", ()), reason=payload.get("reason")
        )
        return Response(self.shown(group), status=201, headers={"Location": f"/api/v1/groups/{group.pk}"})


class GroupView(_GroupsApiView):
    """One group."""

    scopes = {"GET": MEMBERS_READ, "PATCH": MEMBERS_MANAGE, "DELETE": MEMBERS_MANAGE}

    @extend_schema(responses=s.GroupSerializer)
    def get(self, request: Request, group_id: int) -> Response:
        """The group with its active members."""
        return Response(self.shown(queries.find_group(self.principal.tenant_id, group_id)))

    @extend_schema(request=s.ChangeGroup, responses=s.GroupSerializer)
    def patch(self, request: Request, group_id: int) -> Response:
        """Changes its name, or replaces its active members."""
        payload = body(s.ChangeGroup, request)
        return Response(self.shown(services.change_group(self.principal, group_id, **payload)))

    @extend_schema(request=Verb, responses={204: None})
    def delete(self, request: Request, group_id: int) -> Response:
        """Deletes it, and what folders grant it; nobody can then decide tasks that ask only this group."""
        services.delete_group(self.principal, group_id, reason=body(Verb, request).get("reason"))
        return Response(status=204)


class GroupImpactView(ApiView):
    """What a change of a group would leave undecidable."""

    scopes = {"GET": MEMBERS_MANAGE}

    @extend_schema(parameters=[s.GroupImpactQuery], responses=s.ImpactSerializer)
    def get(self, request: Request, group_id: int) -> Response:
        """The open tasks that nobody, or not enough, could decide if it had these `members`, or were deleted. Changes
        nothing.
        """
        group = queries.find_group(self.principal.tenant_id, group_id)
        usernames = query(s.GroupImpactQuery, request).get("members", ())
        return Response(impacts.row_of(self.principal, impacts.of_group(self.principal, group, usernames)))
