"""What programs are told of dispatch and queues."""

from typing import Any

from rest_framework import serializers

from lib.api import fields
from lib.api.serializers import Query
from operations.dispatch.limits import QUEUE_ITEMS
from runs.store.meters import CONTENDED, EMPTY


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


class DispatchAdviceSerializer(serializers.Serializer[Any]):
    """What to change; `reason` is that of the polls which speak for it (`handoff_claim_empty_total`)."""

    reason = serializers.ChoiceField([EMPTY, CONTENDED])
    message = serializers.CharField()


class DispatchSerializer(serializers.Serializer[Any]):
    """How workers learn of work, with gauges of the last quarter of an hour: null if there is no sample of it."""

    mode = serializers.CharField(help_text="What `HANDOFF_DISPATCH` says.")
    sampled_at = serializers.DateTimeField(allow_null=True, help_text="The time of the newest sample.")
    workers = serializers.IntegerField(
        allow_null=True, help_text="Worker processes of Handoff, and external workers that poll."
    )
    ready = serializers.IntegerField(
        allow_null=True, help_text="Steps that a worker could begin then, counted up to 10,000."
    )
    hidden_sessions = serializers.IntegerField(
        allow_null=True,
        help_text="Sessions of other roles, which Handoff’s database role may not inspect.",
    )
    lock_waits = serializers.IntegerField(
        allow_null=True, help_text="Sessions of the database that wait for a lock, the median of the samples."
    )
    steps_per_second = serializers.FloatField(
        allow_null=True, help_text="Steps that ended; null where the processes share no folder for counts."
    )
    contended_share = serializers.FloatField(
        allow_null=True, help_text="Of the polls that found steps, the share that found all of them locked."
    )
    empty_share = serializers.FloatField(
        allow_null=True, help_text="Of all polls, the share that found nothing to do."
    )
    advice = DispatchAdviceSerializer(many=True, help_text="What to change; empty where nothing is amiss.")
    outbox = DispatchOutboxSerializer(
        allow_null=True,
        help_text="Jobs announced through a broker; null without one.",
    )


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


class QueueItemsQuery(Query):
    """How many items."""

    limit = fields.Digits(required=False, default=50, min_value=1, max_value=QUEUE_ITEMS)


class QueueItemSerializer(serializers.Serializer[Any]):
    """A step that waits in a queue for a worker."""

    queue_id = serializers.UUIDField(help_text="As `step_id`: a step is in one queue, once.")
    step_id = serializers.UUIDField()
    workflow_id = serializers.UUIDField(help_text="The run that the step is of.")
    node = serializers.CharField()
    index = serializers.IntegerField(allow_null=True, help_text="Of an item of a map: its index.")
    priority = serializers.IntegerField()
    queued_at = serializers.DateTimeField()
    available_at = serializers.DateTimeField(help_text="From when on a worker may begin it.")
    retry_count = serializers.IntegerField(help_text="How many attempts have failed.")


class QueueItemsSerializer(serializers.Serializer[Any]):
    """Items of a queue, those that come next first."""

    results = QueueItemSerializer(many=True)
