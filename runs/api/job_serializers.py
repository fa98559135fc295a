"""What the routes of workers take and give."""

from typing import Any

from rest_framework import serializers

from lib.api import fields
from lib.api.serializers import StrictSerializer, Verb
from runs.api.variable_serializers import Variables
from runs.commands.job_events import LONGEST_ID
from steps.attempt_log import LEVELS

MOST_JOBS = 1_000
"""So many jobs one call may speak of."""
MOST_SAID = 1_000
"""So many lines may be said of a job at once: those that are too many are counted."""


class PollJobs(Verb):
    """A worker that asks for jobs."""

    worker_id = fields.Text(max_length=200)
    queues = fields.Items(child=fields.Text(max_length=128), min_length=1, max_length=50)
    max_jobs = fields.Whole(min_value=1, max_value=100)
    wait_seconds = fields.Number(required=False, min_value=0, max_value=20, default=0)
    weights = serializers.DictField(
        child=fields.Whole(min_value=1, max_value=1_000),
        required=False,
        help_text="By queue: in which share of the polls its jobs come before those of others; 1 where it has none. "
        "Without any weights the queues are served in their order.",
    )
    version = fields.Text(required=False, max_length=100, help_text="The worker's, for the list of workers.")
    slots = fields.Whole(
        required=False, min_value=1, max_value=100_000, help_text="How many jobs the worker does at once."
    )


class ClaimJobs(Verb):
    """A consumer of a broker that was told of jobs."""

    worker_id = fields.Text(max_length=200)
    ids = fields.Items(
        child=fields.Text(max_length=LONGEST_ID),
        max_length=100,
        help_text="As the events say them. None: it only tells of itself.",
    )
    queues = fields.Items(
        child=fields.Text(max_length=128),
        required=False,
        max_length=50,
        help_text="Of which it is told, for the list of workers.",
    )
    version = fields.Text(required=False, max_length=100, help_text="The worker's, for the list of workers.")
    slots = fields.Whole(
        required=False, min_value=1, max_value=100_000, help_text="How many jobs the worker does at once."
    )


class StreamJobs(PollJobs):
    """A worker that is sent jobs as they come."""

    max_jobs = fields.Whole(
        min_value=1, max_value=MOST_JOBS, help_text="How many it has in hand at once at most."
    )
    # The framework leaves out what is None.
    wait_seconds = None  # type: ignore[assignment]


class LogLineBody(StrictSerializer):
    """A line that a worker says of a job."""

    text = fields.Text(allow_blank=True, max_length=100_000, help_text="2,000 characters of it are kept.")
    level = fields.OneOf(LEVELS, required=False, default="info")
    at = fields.Moment(required=False, help_text="When it was said; now, where nothing else is.")
    seq = fields.Whole(
        required=False,
        min_value=1,
        max_value=1_000_000,
        help_text="Its number in the attempt, from 1: one that is told again is kept once. The next one, where "
        "nothing is said.",
    )


class Log(fields.Items):
    """Lines that a worker says of a job."""

    def __init__(self, **more: Any) -> None:
        more |= {"child": LogLineBody(), "required": False, "max_length": MOST_SAID}
        more.setdefault(
            "help_text", "Log lines for people who look at the run; 200 lines are kept per attempt."
        )
        super().__init__(**more)


class JobVerb(Verb):
    """What a worker says of a job that it holds."""

    lease_token = fields.Text(max_length=200)


class CompleteJob(JobVerb):
    """The job is done."""

    output = fields.JsonValue()
    variables = Variables(
        required=False,
        help_text="Variables of the run that it sets, by name: at most 50, 64 KiB together.",
    )
    log = Log()


class JobError(StrictSerializer):
    """What went wrong."""

    code = fields.Text(help_text="100 characters of it are kept.")
    message = fields.Text(allow_blank=True, help_text="10,000 characters of it are kept.")
    details = fields.JsonObject(required=False, help_text="More about it; up to 64 KiB are kept.")
    stack = fields.Text(
        required=False, allow_blank=True, help_text="Where it happened; 20,000 characters of it are kept."
    )


class FailJob(JobVerb):
    """The attempt failed."""

    error = JobError()
    retryable = fields.Flag()
    log = Log()


class Heartbeat(JobVerb):
    """The worker is still at it."""

    progress = fields.JsonValue(
        required=False, help_text="How far it is: up to 64 KiB, for whoever watches and for the next attempt."
    )
    log = Log()


class CompletedJob(CompleteJob):
    """One of several jobs that are done."""

    id = serializers.UUIDField()


class FailedJob(FailJob):
    """One of several attempts that failed."""

    id = serializers.UUIDField()
    retryable = fields.Flag(required=False, default=True)


class BeatingJob(Heartbeat):
    """One of several jobs that a worker is still at."""

    id = serializers.UUIDField()


class CompleteJobs(Verb):
    """Jobs that are done, each by itself."""

    items = fields.Items(child=CompletedJob(), min_length=1, max_length=MOST_JOBS)


class FailJobs(Verb):
    """Attempts that failed."""

    items = fields.Items(child=FailedJob(), min_length=1, max_length=MOST_JOBS)


class HeartbeatJobs(Verb):
    """Jobs that a worker is still at."""

    items = fields.Items(child=BeatingJob(), min_length=1, max_length=MOST_JOBS)


class JobSerializer(serializers.Serializer[Any]):
    """A job with the lease on it."""

    id = serializers.UUIDField()
    run_id = serializers.UUIDField()
    workflow = serializers.CharField()
    node = serializers.CharField()
    type = serializers.CharField()
    params = fields.JsonValue()
    input = fields.JsonValue()
    attempt = serializers.IntegerField()
    max_attempts = serializers.IntegerField()
    retries_remaining = serializers.IntegerField(help_text="How many attempts there may be after this one.")
    progress = fields.JsonValue(help_text="How far the attempt before it came, as its worker said; or null.")
    lease_token = serializers.CharField()
    lease_expires_at = serializers.DateTimeField()
    idempotency_key = serializers.CharField()
    traceparent = serializers.CharField(
        allow_null=True,
        help_text="The trace that its run is of, with this attempt as its parent: send it with what you call.",
    )
    tracestate = serializers.CharField(allow_null=True, help_text="What belongs beside it.")


class JobsSerializer(serializers.Serializer[Any]):
    """The jobs that were leased; none, where there is no work."""

    jobs = JobSerializer(many=True)


class RefusedJobSerializer(serializers.Serializer[Any]):
    """A job that can't be had."""

    id = serializers.CharField(help_text="As the event said it.")
    reason = serializers.CharField(
        help_text="`gone`: it is over, or was queued anew; `leased` by another; `held`: its run is paused; `later`: it "
        "is not due yet. Of one that comes to be free again consumers are told anew."
    )


class ClaimedJobsSerializer(JobsSerializer):
    """The jobs that were leased, and those that were not."""

    refused = RefusedJobSerializer(many=True)


class JobAnswerSerializer(serializers.Serializer[Any]):
    """What became of a worker's word."""

    applied = serializers.BooleanField()
    reason = serializers.CharField(required=False, help_text="Why it was not applied.")
    duplicate = serializers.BooleanField(required=False)
    lease_expires_at = serializers.DateTimeField(required=False)
    cancel_requested = serializers.BooleanField(required=False)
    cut = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="What was too long: fields of an error that are kept in part, or progress that is not kept.",
    )


class JobResultSerializer(JobAnswerSerializer):
    """What became of a word on one of several jobs."""

    id = serializers.UUIDField()
    message = serializers.CharField(required=False, help_text="Why it was refused, in a sentence.")
    field = serializers.CharField(required=False, help_text="What of it was refused.")


class JobResultsSerializer(serializers.Serializer[Any]):
    """What became of each, in the order asked."""

    results = JobResultSerializer(many=True)
