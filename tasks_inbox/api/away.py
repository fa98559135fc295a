"""The routes of away rules."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import ApiView
from accounts.roles import TASKS_DECIDE, TASKS_READ
from engine.limits import WORKFLOW_NAME_CHARACTERS
from lib.api import fields
from lib.api.pagination import keyset_page
from lib.api.schema import page_schema
from lib.api.serializers import PageQuery, Verb, body, query
from tasks_inbox.actions import absences
from tasks_inbox.limits import ABSENCE_NOTE_CHARACTERS, ABSENCE_WORKFLOWS


class AddAway(Verb):
    """Who is away, from when to when, and who decides in their place."""

    username = fields.Text(required=False, max_length=150, help_text="Who is away; you, if nobody is named.")
    substitute = fields.Text(max_length=150)
    until = fields.Moment()
    workflows = fields.Items(
        child=fields.Text(max_length=WORKFLOW_NAME_CHARACTERS),
        required=False,
        max_length=ABSENCE_WORKFLOWS,
        help_text="Names; none: all.",
    )
    note = fields.Text(required=False, allow_blank=True, max_length=ABSENCE_NOTE_CHARACTERS)

    def get_fields(self) -> dict[str, serializers.Field]:  # type: ignore[type-arg]
        """`from` is no name that Python has."""
        return super().get_fields() | {"from": fields.Moment()}


class AwayListQuery(PageQuery):
    """Away rules take no filters."""


class AwaySerializer(serializers.Serializer[object]):
    """An away rule."""

    id = serializers.IntegerField()
    username = serializers.CharField()
    substitute = serializers.CharField()
    until = serializers.DateTimeField()
    workflows = serializers.ListField(child=serializers.CharField(), help_text="None: all.")
    note = serializers.CharField()
    created_by = serializers.CharField()
    created_at = serializers.DateTimeField()

    def get_fields(self) -> dict[str, serializers.Field]:  # type: ignore[type-arg]
        """`from` is no name that Python has."""
        return super().get_fields() | {"from": serializers.DateTimeField()}


class AwayRulesView(ApiView):
    """Away rules."""

    scopes = {"GET": TASKS_READ, "POST": TASKS_DECIDE}

    @extend_schema(parameters=[AwayListQuery], responses=page_schema(AwaySerializer))
    def get(self, request: Request) -> Response:
        """Your rules and those in which you stand in, also past ones, newest first; with `members:manage` all."""
        params = query(AwayListQuery, request)
        page = keyset_page(absences.rules_for(self.principal), request, keys=("id",), **params)
        return Response(page.answer([absences.rule_row(rule) for rule in page.rows]))

    @extend_schema(request=AddAway, responses={201: AwaySerializer})
    def post(self, request: Request) -> Response:
        """Says who is away and who stands in: 201; for others with `members:manage`; 409 if rules overlap."""
        payload = body(AddAway, request)
        starts_at, ends_at = payload.pop("from"), payload.pop("until")
        rule = absences.add_rule(self.principal, starts_at=starts_at, ends_at=ends_at, **payload)
        return Response(absences.rule_row(rule), status=201, headers={"Location": f"/api/v1/away/{rule.pk}"})


class AwayRuleView(ApiView):
    """One away rule."""

    scopes = {"DELETE": TASKS_DECIDE}

    @extend_schema(request=Verb, responses={204: None})
    def delete(self, request: Request, rule_id: int) -> Response:
        """Ends the rule: nobody stands in any more. Others' with `members:manage`."""
        absences.end_rule(self.principal, rule_id, reason=body(Verb, request).get("reason"))
        return Response(status=204)
