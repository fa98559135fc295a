"""The routes of saved views of the inbox."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import ApiView
from accounts.roles import TASKS_READ
from lib.api import fields
from lib.api.pagination import keyset_page
from lib.api.schema import page_schema
from lib.api.serializers import PageQuery, Verb, body, query
from tasks_inbox.eligibility import identity
from tasks_inbox.limits import SEARCH_CHARACTERS, VIEW_NAME_CHARACTERS
from tasks_inbox.models import InboxView
from tasks_inbox.reading import saved, sources


class ChangeInboxView(Verb):
    """What changes; fields left out stay."""

    name = fields.Text(required=False, max_length=VIEW_NAME_CHARACTERS)
    view = serializers.ChoiceField(choices=sources.VIEWS, required=False, help_text="As in `GET /tasks`.")
    filter = fields.Text(
        required=False, allow_blank=True, max_length=SEARCH_CHARACTERS, help_text="As in `GET /tasks`."
    )
    sort = fields.Text(required=False, max_length=120, help_text="As in `GET /tasks`.")
    group = fields.Text(
        required=False,
        allow_blank=True,
        max_length=150,
        help_text="A group of yours that sees it, too; empty: nobody.",
    )


class AddInboxView(ChangeInboxView):
    """A search to save; `view` defaults to `teams` and `sort` to `sla`."""

    name = fields.Text(max_length=VIEW_NAME_CHARACTERS)


class InboxViewQuery(PageQuery):
    """Views take no filters."""


class InboxViewSerializer(serializers.Serializer[object]):
    """A saved view."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    view = serializers.ChoiceField(choices=sources.VIEWS)
    filter = serializers.CharField(allow_blank=True)
    sort = serializers.CharField()
    group = serializers.CharField(allow_null=True, help_text="The group that sees it, too.")
    owner = serializers.CharField(help_text="Its owner, who alone may change it.")
    is_own = serializers.BooleanField(help_text="Whether it is yours.")
    count = serializers.IntegerField(
        help_text="How many tasks it finds for you; 10,000 means as many or more."
    )
    fault = serializers.CharField(allow_null=True, help_text="Why the search can no longer be read.")
    created_at = serializers.DateTimeField()


class _InboxViewsApi(ApiView):
    def row(self, view: InboxView) -> dict[str, object]:
        """The view with what it finds for who asks."""
        counts = saved.counts_of(identity.who_is(self.principal), [view])
        return saved.view_row(view, self.principal, counts[view.pk])


class InboxViewsView(_InboxViewsApi):
    """Saved views."""

    scopes = {"GET": TASKS_READ, "POST": TASKS_READ}

    @extend_schema(parameters=[InboxViewQuery], responses=page_schema(InboxViewSerializer))
    def get(self, request: Request) -> Response:
        """Your saved views and those shared with your groups, newest first, each with how many tasks it finds."""
        rows = saved.views_for(self.principal)
        page = keyset_page(rows, request, keys=("id",), **query(InboxViewQuery, request))
        counts = saved.counts_of(identity.who_is(self.principal), page.rows)
        return Response(
            page.answer([saved.view_row(one, self.principal, counts[one.pk]) for one in page.rows])
        )

    @extend_schema(request=AddInboxView, responses={201: InboxViewSerializer})
    def post(self, request: Request) -> Response:
        """Saves a search under a name: 201; 409 `name_taken` if you already have one of that name."""
        view = saved.add_view(self.principal, **body(AddInboxView, request))
        location = f"/api/v1/inbox-views/{view.pk}"
        return Response(self.row(view), status=201, headers={"Location": location})


class InboxViewView(_InboxViewsApi):
    """One saved view."""

    scopes = {"GET": TASKS_READ, "PATCH": TASKS_READ, "DELETE": TASKS_READ}

    @extend_schema(responses=InboxViewSerializer)
    def get(self, request: Request, view_id: int) -> Response:
        """A saved view, and how many tasks it finds for you."""
        return Response(self.row(saved.view_of(self.principal, view_id)))

    @extend_schema(request=ChangeInboxView, responses=InboxViewSerializer)
    def patch(self, request: Request, view_id: int) -> Response:
        """Changes your view: its name, its search, or with whom it is shared."""
        return Response(
            self.row(saved.change_view(self.principal, view_id, **body(ChangeInboxView, request)))
        )

    @extend_schema(request=Verb, responses={204: None})
    def delete(self, request: Request, view_id: int) -> Response:
        """Deletes your view, or with `members:manage` a shared one of others."""
        saved.delete_view(self.principal, view_id, **body(Verb, request))
        return Response(status=204)
