"""The route of how workers hear of work, and whether it is time for a broker."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.roles import RUNS_OPERATE
from lib.api.serializers import Verb, body
from runs.api.base import RunsApiView
from runs.commands import asides
from runs.reading import dispatch


class DispatchSignalSerializer(serializers.Serializer[Any]):
    """A signal, judged by the last quarter of an hour that has five samples."""

    name = serializers.CharField(help_text="`lock_waits`, `plateau` or `contended`.")
    holds = serializers.BooleanField(allow_null=True, help_text="Null if it can’t be computed.")
    since = serializers.DateTimeField(allow_null=True, help_text="Since when it holds without interruption.")
    value = serializers.FloatField(
        allow_null=True, help_text="Waiting sessions, steps per second, or the share of polls, by `name`."
    )
    limit = serializers.FloatField(
        allow_null=True,
        help_text="The signal holds above it (`lock_waits`, `contended`) or below it (`plateau`).",
    )
    reason = serializers.CharField(help_text="The same in words.")


class DispatchSampleSerializer(serializers.Serializer[Any]):
    """The figures of one minute."""

    at = serializers.DateTimeField()
    workers = serializers.IntegerField(
        help_text="Worker processes of Handoff, and external workers that poll."
    )
    lock_waits = serializers.IntegerField(help_text="Sessions of the database that waited for a lock.")
    ready = serializers.IntegerField(help_text="Steps that a worker could begin then, counted up to 10,000.")
    steps_per_second = serializers.FloatField(
        allow_null=True, help_text="Steps that ended per second since the previous sample."
    )
    contended_share = serializers.FloatField(
        allow_null=True, help_text="Of the polls that found steps, the share that found all of them locked."
    )


class DispatchOutboxSerializer(serializers.Serializer[Any]):
    """The state of the outbox; counts go up to 10,000, for what can't be published to 1,000."""

    waiting = serializers.IntegerField(help_text="Jobs to be published.")
    oldest_seconds = serializers.FloatField(
        allow_null=True, help_text="How long the oldest of them has waited."
    )
    told = serializers.IntegerField(help_text="Jobs that were published and that nobody has taken yet.")
    failing = serializers.IntegerField(help_text="The waiting ones that the broker did not accept.")
    aside = serializers.IntegerField(
        help_text="Of these, those set aside: nothing waits for them, and polling workers get their jobs."
    )
    led = serializers.BooleanField(help_text="Whether a relay publishes.")
    complaint = serializers.CharField(allow_null=True, help_text="What is wrong, in a sentence.")


class DispatchSerializer(serializers.Serializer[Any]):
    """How workers learn of work, and whether it is time for a broker."""

    mode = serializers.CharField(help_text="What `HANDOFF_DISPATCH` says.")
    advice = serializers.CharField(help_text="`stay`, or `broker` where one may help.")
    reason = serializers.CharField(help_text="Why.")
    since = serializers.DateTimeField(
        allow_null=True, help_text="Since when all three signals hold together."
    )
    sampled_at = serializers.DateTimeField(
        allow_null=True, help_text="The time of the figures; null if there is no sample."
    )
    workers = serializers.IntegerField(allow_null=True)
    ready = serializers.IntegerField(allow_null=True)
    steps_per_second = serializers.FloatField(allow_null=True)
    hidden_sessions = serializers.IntegerField(
        allow_null=True,
        help_text="Sessions of other roles, which Handoff’s database role may not inspect.",
    )
    signals = DispatchSignalSerializer(many=True, help_text="None before there are five samples.")
    samples = DispatchSampleSerializer(many=True, help_text="One a minute, of the last 24 hours.")
    outbox = DispatchOutboxSerializer(
        allow_null=True,
        help_text="Jobs announced through a broker; null without one.",
    )


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
        retried = asides.retry(self.principal, reason=reason)
        return Response({"retried": retried.count, "more": retried.more})


class DispatchView(RunsApiView):
    """Dispatch."""

    scopes = {"GET": RUNS_OPERATE}

    @extend_schema(responses=DispatchSerializer)
    def get(self, request: Request) -> Response:
        """How workers learn of work here, and whether three signals say that it is time for a broker."""
        return Response(dispatch.row(dispatch.facts()))
