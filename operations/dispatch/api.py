"""The routes of how workers hear of work and whether that is enough, and of queues."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.roles import RUNS_OPERATE, RUNS_READ
from lib.api.serializers import query
from operations.dispatch import gauges, queues
from operations.dispatch.serializers import (
    DispatchSerializer,
    QueueItemsQuery,
    QueueItemsSerializer,
    QueuesSerializer,
)
from runs.api.base import RunsApiView


class DispatchView(RunsApiView):
    """Dispatch."""

    scopes = {"GET": RUNS_OPERATE}

    @extend_schema(responses=DispatchSerializer)
    def get(self, request: Request) -> Response:
        """How workers learn of work here, and three gauges of whether that is enough."""
        return Response(gauges.row(gauges.facts()))


class QueuesView(RunsApiView):
    """Queues."""

    scopes = {"GET": RUNS_READ}

    @extend_schema(responses=QueuesSerializer)
    def get(self, request: Request) -> Response:
        """The queues of workflows that you may read, with steps and workers; those that nobody serves come first."""
        return Response({"results": queues.queue_rows(self.principal)})


class QueueItemsView(RunsApiView):
    """The items of a queue."""

    scopes = {"GET": RUNS_READ}

    @extend_schema(parameters=[QueueItemsQuery], responses=QueueItemsSerializer)
    def get(self, request: Request, queue: str) -> Response:
        """The steps of workflows that you may read that wait in the queue for a worker, those that come next first."""
        most = query(QueueItemsQuery, request)["limit"]
        return Response({"results": queues.queue_items(self.principal, queue, most)})
