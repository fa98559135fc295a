"""REST: the attempts at the steps of a run."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.roles import RUNS_READ
from engine.limits import NODE_ID_CHARACTERS
from lib.api import fields
from lib.api.pagination import keyset_page
from lib.api.schema import page_schema
from lib.api.serializers import PageQuery, query
from lib.refusals import Invalid, Missing
from runs.api.base import RunsApiView
from runs.limits import COLUMN_INTEGER
from runs.reading import attempt_rows
from runs.reading.presentation import step_rows


class AttemptsQuery(PageQuery):
    """Which attempts."""

    node = serializers.CharField(required=False, max_length=NODE_ID_CHARACTERS, help_text="Of this step.")
    index = fields.Digits(
        required=False,
        min_value=0,
        max_value=COLUMN_INTEGER,
        help_text="With `node`, for a map or loop: which item or round.",
    )


class AttemptSerializer(serializers.Serializer[Any]):
    """An attempt at a step."""

    node = serializers.CharField()
    index = serializers.IntegerField(allow_null=True, help_text="The item of a map or the round of a loop.")
    attempt = serializers.IntegerField(help_text="Its number, from 1; a step that is retried counts anew.")
    status = serializers.ChoiceField(
        choices=["RUNNING", "WAITING", "COMPLETED", "FAILED", "LOST", "CANCELLED"],
        help_text="`LOST`: its worker was lost with others, which costs no attempt.",
    )
    worker = serializers.CharField(allow_null=True)
    started_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True, help_text="null for one that has not ended.")
    duration_ms = serializers.FloatField(allow_null=True)
    error = fields.JsonValue(help_text="With which it failed.")
    next_attempt_at = serializers.DateTimeField(
        allow_null=True, help_text="When the attempt after it was due."
    )


class RunAttemptsView(RunsApiView):
    """The attempts of a run."""

    scopes = {"GET": RUNS_READ}

    @extend_schema(parameters=[AttemptsQuery], responses=page_schema(AttemptSerializer))
    def get(self, request: Request, run_id: UUID) -> Response:
        """One row for each attempt at a step, oldest first; the last page ends with up to 100 that have not ended."""
        params = query(AttemptsQuery, request)
        node, index = params.pop("node", None), params.pop("index", None)
        if index is not None and node is None:
            raise Invalid("An index is that of an item: name its step, too.", field="node")
        run = self.find_run(run_id)
        if node is not None and not step_rows(run.tenant_id, run_id, node):
            raise Missing(f"The run has no node {node}.", field="node")
        events = attempt_rows.ended_attempts(run, node, index)
        page = keyset_page(events, request, keys=("id",), oldest_first=True, **params)
        rows = attempt_rows.ended_rows(run, page.rows)
        if page.next is None:
            rows += attempt_rows.open_rows(attempt_rows.open_attempts(run, node, index))
        return Response(page.answer(rows))
