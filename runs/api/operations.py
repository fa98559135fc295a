"""The routes of what operators look at: queues and timers."""

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
from runs.reading import operations


class QueueSerializer(serializers.Serializer[Any]):
    """A queue, and your steps in it."""

    queue = serializers.CharField()
    ready = serializers.IntegerField(help_text="Steps that a worker could begin now, counted up to 100,000.")
    running = serializers.IntegerField(help_text="Steps in progress.")
    waiting = serializers.IntegerField(
        help_text="Steps that wait for their next attempt, a time, a signal or a person, counted up to 100,000."
    )
    oldest_seconds = serializers.FloatField(
        allow_null=True, help_text="How long the oldest ready step has waited; null if nothing is ready."
    )
    in_per_minute = serializers.FloatField(help_text="Steps that came to it a minute, over the last minute.")
    out_per_minute = serializers.FloatField(help_text="Steps that ended a minute, over the last minute.")
    workers = serializers.IntegerField(help_text="Workers of the queue that were seen in the last minutes.")
    last_polled_at = serializers.DateTimeField(
        allow_null=True, help_text="When a worker of yours last polled for its jobs; null on built-in queues."
    )
    built_in = serializers.BooleanField(help_text="Whether Handoff’s own workers serve it.")
    unserved = serializers.BooleanField(help_text="Whether steps are ready and no worker serves the queue.")


class QueuesSerializer(serializers.Serializer[Any]):
    """All queues."""

    results = QueueSerializer(many=True)


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
    fire_at = serializers.DateTimeField()
    overdue_seconds = serializers.FloatField(help_text="How late it is; 0 if it is not due.")


class TimersQuery(PageQuery):
    """Which timers."""

    due = serializers.ChoiceField(
        choices=list(operations.DUE),
        required=False,
        help_text="Those that should have fired, or will within it.",
    )


class QueuesView(RunsApiView):
    """Queues."""

    scopes = {"GET": RUNS_READ}

    @extend_schema(responses=QueuesSerializer)
    def get(self, request: Request) -> Response:
        """The queues of workflows that you may read, with steps and workers; those that nobody serves come first."""
        return Response({"results": operations.queue_rows(self.principal)})


class TimersView(RunsApiView):
    """Timers."""

    scopes = {"GET": RUNS_READ}

    @extend_schema(parameters=[TimersQuery], responses=page_schema(TimerSerializer))
    def get(self, request: Request) -> Response:
        """The timers that have not fired, the next first."""
        params = query(TimersQuery, request)
        rows = operations.timers_of(self.principal, params.pop("due", None))
        page = keyset_page(rows, request, keys=("fire_at", "id"), oldest_first=True, **params)
        return Response(page.answer(operations.timer_rows(self.principal.tenant_id, page.rows)))
