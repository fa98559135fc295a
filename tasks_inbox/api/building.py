"""What the builder asks of people while somebody designs a step for them."""

from dataclasses import asdict

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import ApiView
from accounts.roles import WORKFLOWS_READ
from lib.api import fields
from lib.api.serializers import Verb, body
from tasks_inbox.design.summary import forecast_deciders
from workflows import queries


class AskedParams(Verb):
    """The params of a step for people, as they stand in a draft."""

    params = fields.JsonObject(help_text="Read are candidates, exclude, quorum and the four eyes.")


class ForetoldSerializer(serializers.Serializer[object]):
    """Who may decide a step as members and groups are now."""

    words = serializers.CharField(help_text="In a sentence or two.")
    level = serializers.ChoiceField(
        ["enough", "nobody", "in_run"],
        help_text="nobody: or fewer than must agree; in_run: only a run knows.",
    )
    people = serializers.IntegerField(allow_null=True, help_text="How many; null where only a run knows.")


class DecidersView(ApiView):
    """Who may decide a step for people."""

    scopes = {"POST": WORKFLOWS_READ}
    takes_idempotency_key = False

    @extend_schema(request=AskedParams, responses=ForetoldSerializer)
    def post(self, request: Request, name: str) -> Response:
        """Who may decide a step of this workflow with these params, in words; nothing is saved."""
        workflow = queries.get_workflow(self.principal.tenant_id, name)
        params = body(AskedParams, request)["params"]
        return Response(asdict(forecast_deciders(workflow.tenant_id, params, workflow.folder_id)))
