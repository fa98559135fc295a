"""The routes of members."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import impacts, members, passwords, queries, sessions
from accounts.api import serializers as s
from accounts.api.base import ApiView
from accounts.models import Membership
from accounts.roles import MEMBERS_MANAGE, MEMBERS_READ
from lib.api.pagination import keyset_page
from lib.api.schema import page_schema
from lib.api.serializers import Verb, body, query
from lib.refusals import Invalid


class _MembersApiView(ApiView):
    def shown(self, member: Membership) -> Any:
        """The member as they are shown."""
        return queries.member_rows(self.principal, [member])[0]


class MembersView(_MembersApiView):
    """Members."""

    scopes = {"GET": MEMBERS_READ, "POST": MEMBERS_MANAGE}

    @extend_schema(parameters=[s.MemberListQuery], responses=page_schema(s.MemberSerializer))
    def get(self, request: Request) -> Response:
        """The tenant's members, newest first."""
        params = query(s.MemberListQuery, request)
        tenant = self.principal.tenant_id
        active = params.pop("active", True)
        manages = MEMBERS_MANAGE in self.principal.scopes
        members_of_tenant = queries.members_of(tenant, params.pop("q", ""), active=active, by_address=manages)
        page = keyset_page(members_of_tenant, request, keys=("id",), **params)
        return Response(page.answer(queries.member_rows(self.principal, page.rows)))

    @extend_schema(request=s.CreateMember, responses={201: s.NewMemberSerializer})
    def post(self, request: Request) -> Response:
        """Adds a member: 201, for a new user with their first password, which is shown only here, unless they are
        `invited` by mail to set one.
        """
        member, password = members.add_member(self.principal, **body(s.CreateMember, request))
        first_login = {"password": password, "invited": members.is_invited(member, password)}
        where = f"/api/v1/members/{member.user.username}"
        headers = {"Location": where, "Cache-Control": "no-store"}
        return Response(self.shown(member) | first_login, status=201, headers=headers)


class MemberView(_MembersApiView):
    """One member."""

    scopes = {"GET": MEMBERS_READ, "PATCH": MEMBERS_MANAGE, "DELETE": MEMBERS_MANAGE}

    @extend_schema(responses=s.MemberSerializer)
    def get(self, request: Request, username: str) -> Response:
        """The member with their groups."""
        return Response(self.shown(members.find_any(self.principal.tenant_id, username)))

    @extend_schema(request=s.ChangeMember, responses=s.MemberSerializer)
    def patch(self, request: Request, username: str) -> Response:
        """Changes their role, manager, name or e-mail, or whether they may log in; 409 for the last admin."""
        payload = body(s.ChangeMember, request)
        return Response(self.shown(members.change_or_end(self.principal, username, **payload)))

    @extend_schema(request=Verb, responses={204: None})
    def delete(self, request: Request, username: str) -> Response:
        """Ends the membership; the user and all that they did stay. Tasks they had claimed are open again."""
        members.remove_member(self.principal, username, reason=body(Verb, request).get("reason"))
        return Response(status=204)


class MemberImpactView(ApiView):
    """What a change of a member would leave undecidable."""

    scopes = {"GET": MEMBERS_MANAGE}

    @extend_schema(parameters=[s.MemberImpactQuery], responses=s.ImpactSerializer)
    def get(self, request: Request, username: str) -> Response:
        """The open tasks that nobody, or not enough, could decide if they left, had this `role`, or were in these
        `groups` alone. Changes nothing.
        """
        params = query(s.MemberImpactQuery, request)
        if len(params) > 1:
            raise Invalid("Give a role or groups, not both.", field="groups")
        if "role" in params:
            impact = impacts.of_role(self.principal, username, params["role"])
        elif "groups" in params:
            impact = impacts.of_groups(self.principal, username, params["groups"])
        else:
            impact = impacts.of_leaving(self.principal, username)
        return Response(impacts.row_of(self.principal, impact))


class MemberSessionsView(ApiView):
    """Where a member is logged in."""

    scopes = {"GET": MEMBERS_MANAGE, "DELETE": MEMBERS_MANAGE}

    @extend_schema(responses=s.SessionsSerializer)
    def get(self, request: Request, username: str) -> Response:
        """How many sessions they have, and when they were last active."""
        seen = sessions.seen_of(members.find_any(self.principal.tenant_id, username).user)
        return Response({"sessions": len(seen), "last_seen_at": seen[0] if seen else None})

    @extend_schema(request=Verb, responses={204: None})
    def delete(self, request: Request, username: str) -> Response:
        """Logs them out everywhere."""
        members.end_sessions(self.principal, username, reason=body(Verb, request).get("reason"))
        return Response(status=204)


class MemberPasswordLinkView(ApiView):
    """Links by which a member sets their password."""

    scopes = {"POST": MEMBERS_MANAGE}

    @extend_schema(request=s.SetPasswordLink, responses={201: s.SetPasswordLinkSerializer})
    def post(self, request: Request, username: str) -> Response:
        """Mails them a link; with `hand_over` returns one if they can't be reached by mail."""
        payload = body(s.SetPasswordLink, request)
        link = None
        if payload.pop("hand_over", False):
            link = passwords.make_link(self.principal, username, **payload).address
        else:
            passwords.send_link(self.principal, username, **payload)
        answer = {"mailed": link is None, "link": link}
        return Response(answer, status=201, headers={"Cache-Control": "no-store"})
