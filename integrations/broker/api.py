"""The route by which events that were set aside are tried again."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.roles import RUNS_OPERATE
from integrations.broker.service import retry
from lib.api.serializers import Verb, body
from runs.api.base import RunsApiView


class DispatchRetriedSerializer(serializers.Serializer[Any]):
    """What is tried again."""

    retried = serializers.IntegerField(help_text="How many events are retried at once.")
    more = serializers.BooleanField(
        help_text="Whether there may be more: call again once these were tried, or later if there were none."
    )


class DispatchRetryView(RunsApiView):
    """Events that were set aside."""

    scopes = {"POST": RUNS_OPERATE}

    @extend_schema(request=Verb, responses=DispatchRetriedSerializer)
    def post(self, request: Request) -> Response:
        """Has events tried again that the broker would not take and that were set aside, of jobs that wait, in runs
        that you may operate; up to 10,000.
        """
        reason = body(Verb, request).get("reason")
        retried = retry(self.principal, reason=reason)
        return Response({"retried": retried.count, "more": retried.more})
