"""The route of timers."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.roles import RUNS_READ
from lib.api.pagination import keyset_page
from lib.api.schema import page_schema
from lib.api.serializers import PageQuery, query
from runs.api.base import RunsApiView
from runs.api.run_ids import RunId
from runs.reading import operations


class TimerSerializer(serializers.Serializer[Any]):
    """A timer that has not fired."""

    id = serializers.UUIDField()
    run_id = serializers.UUIDField()
    workflow = serializers.CharField()
    node = serializers.CharField()
    title = serializers.CharField(help_text="What the step is called.")
    kind = serializers.ChoiceField(
        choices=["wait", "timeout", "boundary"],
        help_text="The step goes on; its wait times out; another path is taken.",
    )
    target = serializers.CharField(allow_null=True, help_text="The step to which a boundary timer leads.")
    target_title = serializers.CharField(allow_null=True, help_text="What that step is called.")
    fire_at = serializers.DateTimeField()
    overdue_seconds = serializers.FloatField(help_text="How late it is; 0 if it is not due.")


class TimersQuery(PageQuery):
    """Which timers."""

    run_id = RunId(required=False, help_text="Those of this run.")
    due = serializers.ChoiceField(
        choices=list(operations.DUE),
        required=False,
        help_text="Those that should have fired, or will within it.",
    )


class TimersView(RunsApiView):
    """Timers."""

    scopes = {"GET": RUNS_READ}

    @extend_schema(parameters=[TimersQuery], responses=page_schema(TimerSerializer))
    def get(self, request: Request) -> Response:
        """The timers that have not fired, the next first."""
        params = query(TimersQuery, request)
        rows = operations.timers_of(self.principal, params.pop("due", None))
        if run := params.pop("run_id", None):
            rows = rows.filter(run_id=run)
        page = keyset_page(rows, request, keys=("fire_at", "id"), oldest_first=True, **params)
        return Response(page.answer(operations.timer_rows(self.principal.tenant_id, page.rows)))
