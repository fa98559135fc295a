"""REST: what the attempts at a step have said."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.roles import RUNS_READ
from lib.api import fields
from lib.api.pagination import keyset_page
from lib.api.schema import page_schema
from lib.api.serializers import PageQuery, query
from lib.refusals import Missing
from runs.api.base import RunsApiView
from runs.reading.presentation import step_rows
from runs.reading.step_logs import lines_of, log_row


class StepLogsQuery(PageQuery):
    """Which lines."""

    index = fields.Digits(
        required=False, min_value=0, max_value=2**31 - 1, help_text="For a map or loop: which item or round."
    )
    attempt = fields.Digits(required=False, min_value=1, max_value=2**31 - 1)


class LogLineSerializer(serializers.Serializer[Any]):
    """A line that an attempt has logged."""

    id = serializers.IntegerField()
    attempt = serializers.IntegerField()
    seq = serializers.IntegerField(help_text="Its place among the lines of the attempt, from 1.")
    at = serializers.DateTimeField()
    level = serializers.CharField(help_text="`info`, `warning` or `error`.")
    text = serializers.CharField()
    left_out = serializers.IntegerField(
        help_text="How many more lines the attempt logged than are kept; this line has no text."
    )


class StepLogsView(RunsApiView):
    """The log of a step."""

    scopes = {"GET": RUNS_READ}

    @extend_schema(parameters=[StepLogsQuery], responses=page_schema(LogLineSerializer))
    def get(self, request: Request, run_id: UUID, node: str) -> Response:
        """What the attempts at a step have logged, oldest first."""
        params = query(StepLogsQuery, request)
        self.find_run(run_id)
        lines = lines_of(self.principal.tenant_id, run_id, node, params.pop("index", None))
        if (attempt := params.pop("attempt", None)) is not None:
            lines = lines.filter(attempt=attempt)
        page = keyset_page(lines, request, keys=("id",), oldest_first=True, **params)
        if not page.rows and not step_rows(self.principal.tenant_id, run_id, node):
            raise Missing(f"The run has no node {node}.")
        return Response(page.answer([log_row(line) for line in page.rows]))
