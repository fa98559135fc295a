"""The route of external workers as they are listed."""

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
from runs.reading.workers import contacts_of, worker_rows


class WorkerSerializer(serializers.Serializer[Any]):
    """An external worker that polled in the last day."""

    id = serializers.CharField(help_text="The id that it gives itself.")
    queues = serializers.ListField(child=serializers.CharField(), help_text="The queues of its last poll.")
    last_seen_at = serializers.DateTimeField(help_text="A few seconds old at most.")
    holds = serializers.IntegerField(help_text="How many jobs it holds.")
    version = serializers.CharField(allow_null=True, help_text="As it reports.")
    slots = serializers.IntegerField(
        allow_null=True, help_text="How many jobs it does at once, as it reports."
    )
    stale = serializers.BooleanField(help_text="Whether nothing was heard of it for two minutes.")


class WorkersView(RunsApiView):
    """External workers."""

    scopes = {"GET": RUNS_READ}

    @extend_schema(parameters=[PageQuery], responses=page_schema(WorkerSerializer))
    def get(self, request: Request) -> Response:
        """The workers of yours that polled for jobs in the last day, by id."""
        page = keyset_page(
            contacts_of(self.principal),
            request,
            keys=("worker",),
            oldest_first=True,
            **query(PageQuery, request),
        )
        return Response(page.answer(worker_rows(self.principal, page.rows)))
