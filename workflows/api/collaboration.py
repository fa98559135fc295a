"""The routes of those who work on one draft: who is here, and what they say of its steps."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import ApiView
from accounts.principal import Principal
from accounts.roles import EDIT, MEMBERS_READ, WORKFLOWS_READ, WORKFLOWS_WRITE
from lib.api.pagination import keyset_page
from lib.api.schema import page_schema
from lib.api.serializers import Verb, body, query
from workflows import presence, queries
from workflows.api import together_serializers as s
from workflows.comments import mentions, threads


class PresenceView(ApiView):
    """Who is here."""

    scopes = {"POST": WORKFLOWS_READ}
    takes_idempotency_key = False

    @extend_schema(request=s.Stay, responses=s.PresenceSerializer)
    def post(self, request: Request, name: str) -> Response:
        """Says that the draft is open in a tab; returns who else has it open, and numbers that change with it."""
        payload = body(s.Stay, request)
        news = queries.news_of(self.principal.tenant_id, name)
        tab = _tab(self.principal, news, payload, getattr(request.user, "name", ""))
        if payload.get("left"):
            presence.leave(news.workflow_id, tab)
        people = [] if payload.get("left") else presence.stay(news.workflow_id, tab)
        return Response({"revision": news.revision, "comments": news.comments_number, "people": people})


def _tab(who: Principal, news: queries.News, payload: dict[str, Any], name: str) -> presence.Tab:
    may_edit = WORKFLOWS_WRITE in who.scopes and who.reach.holds(EDIT, news.folder_id)
    return presence.Tab(
        who.user_id,
        payload["tab"],
        who.username,
        name,
        payload.get("step"),
        may_edit and not news.is_archived,
    )


class ReadersView(ApiView):
    """Who may read."""

    scopes = {"GET": MEMBERS_READ}

    @extend_schema(parameters=[s.ReadersQuery], responses=s.ReadersSerializer)
    def get(self, request: Request, name: str) -> Response:
        """The first members, except you, who may read the workflow: a comment may mention them."""
        self.principal.require(WORKFLOWS_READ)
        params = query(s.ReadersQuery, request)
        news = queries.news_of(self.principal.tenant_id, name)
        users = mentions.offered(self.principal, news.folder_id, params.get("q", ""))
        return Response({"results": s.PersonSerializer(users, many=True).data})


class CommentsView(ApiView):
    """Comments on steps."""

    scopes = {"GET": WORKFLOWS_READ, "POST": WORKFLOWS_WRITE}

    @extend_schema(parameters=[s.CommentsQuery], responses=page_schema(s.StepCommentSerializer))
    def get(self, request: Request, name: str) -> Response:
        """Comments on the steps of the draft, newest first, also on deleted steps."""
        params = query(s.CommentsQuery, request)
        rows = threads.comments_of(self.principal.tenant_id, name)
        if "step" in params:
            rows = rows.filter(thread__node=params["step"])
        if params["resolved"] is not None:
            rows = rows.filter(thread__resolved_at__isnull=not params["resolved"])
        page = keyset_page(rows, request, keys=("id",), limit=params["limit"], cursor=params.get("cursor"))
        return Response(page.answer(s.StepCommentSerializer(page.rows, many=True).data))

    @extend_schema(request=s.WriteComment, responses={201: s.StepCommentSerializer})
    def post(self, request: Request, name: str) -> Response:
        """Comments on a step, in its open thread or a new one; people it mentions are mailed."""
        comment = threads.write(self.principal, name, **body(s.WriteComment, request))
        return Response(s.StepCommentSerializer(comment).data, status=201)


class CommentView(ApiView):
    """One comment."""

    scopes = {"DELETE": WORKFLOWS_WRITE}

    @extend_schema(request=Verb, responses={204: None})
    def delete(self, request: Request, name: str, comment_id: int) -> Response:
        """Deletes a comment of your own."""
        threads.delete(self.principal, name, comment_id, **body(Verb, request))
        return Response(status=204)


class ResolveCommentView(ApiView):
    """Resolving."""

    scopes = {"POST": WORKFLOWS_WRITE}

    @extend_schema(request=Verb, responses=s.StepCommentSerializer)
    def post(self, request: Request, name: str, comment_id: int) -> Response:
        """Resolves the thread of a comment."""
        comment = threads.resolve(self.principal, name, comment_id, **body(Verb, request))
        return Response(s.StepCommentSerializer(comment).data)


class ReopenCommentView(ApiView):
    """Reopening."""

    scopes = {"POST": WORKFLOWS_WRITE}

    @extend_schema(request=Verb, responses=s.StepCommentSerializer)
    def post(self, request: Request, name: str, comment_id: int) -> Response:
        """Reopens the thread of a comment."""
        comment = threads.reopen(self.principal, name, comment_id, **body(Verb, request))
        return Response(s.StepCommentSerializer(comment).data)
