"""What the routes of workers take and give."""

from typing import Any

from rest_framework import serializers

from accounts.limits import QUEUE_CHARACTERS
from lib.api import fields
from lib.api.serializers import StrictSerializer, Verb
from runs.api.variable_serializers import Variables
from runs.limits import CALL_JOBS, JOB_EVENT_ID_CHARACTERS, JOB_LOG_LINES
from steps.attempt_log import LEVELS


class PollJobs(Verb):
    """A worker that asks for jobs."""

    worker_id = fields.Text(max_length=200)
    queues = fields.Items(child=fields.Text(max_length=QUEUE_CHARACTERS), min_length=1, max_length=50)
    max_jobs = fields.Whole(min_value=1, max_value=100)
    wait_seconds = fields.Number(required=False, min_value=0, max_value=20, default=0)
    weights = serializers.DictField(
        child=fields.Whole(min_value=1, max_value=1_000),
        required=False,
        help_text="By queue: the share of the polls in which its jobs come first; default: 1. "
        "Without any weights the queues are served in their order.",
    )
    version = fields.Text(required=False, max_length=100, help_text="The worker's, for the list of workers.")
    slots = fields.Whole(
        required=False, min_value=1, max_value=100_000, help_text="How many jobs the worker does at once."
    )


class ClaimJobs(Verb):
    """A consumer of a broker that received events of jobs."""

    worker_id = fields.Text(max_length=200)
    ids = fields.Items(
        child=fields.Text(max_length=JOB_EVENT_ID_CHARACTERS),
        max_length=100,
        help_text="As in the events. None: it only reports itself.",
    )
    queues = fields.Items(
        child=fields.Text(max_length=QUEUE_CHARACTERS),
        required=False,
        max_length=50,
        help_text="The queues it consumes, for the list of workers.",
    )
    version = fields.Text(required=False, max_length=100, help_text="The worker's, for the list of workers.")
    slots = fields.Whole(
        required=False, min_value=1, max_value=100_000, help_text="How many jobs the worker does at once."
    )


class StreamJobs(PollJobs):
    """A worker that is sent jobs as they come."""

    max_jobs = fields.Whole(
        min_value=1, max_value=CALL_JOBS, help_text="How many it has in hand at once at most."
    )
    # The framework leaves out what is None.
    wait_seconds = None  # type: ignore[assignment]


class LogLineBody(StrictSerializer):
    """A log line by a worker."""

    text = fields.Text(allow_blank=True, max_length=100_000, help_text="2,000 characters of it are kept.")
    level = fields.OneOf(LEVELS, required=False, default="info")
    at = fields.Moment(required=False, help_text="When it was logged; default: now.")
    seq = fields.Whole(
        required=False,
        min_value=1,
        max_value=1_000_000,
        help_text="Its number in the attempt, from 1: a line sent again is kept once. Default: the "
        "next number.",
    )


class Log(fields.Items):
    """Lines that a worker says of a job."""

    def __init__(self, **more: Any) -> None:
        more |= {"child": LogLineBody(), "required": False, "max_length": JOB_LOG_LINES}
        more.setdefault(
            "help_text", "Log lines for people who look at the run; 200 lines are kept per attempt."
        )
        super().__init__(**more)


class JobVerb(Verb):
    """A report by a worker on a job that it holds."""

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
    """The worker is still working on it."""

    progress = fields.JsonValue(
        required=False,
        help_text="Its progress: up to 64 KiB, for people who look at the run and for the next attempt.",
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
    """One of several jobs that a worker is still working on."""

    id = serializers.UUIDField()


class CompleteJobs(Verb):
    """Jobs that are done, each by itself."""

    items = fields.Items(child=CompletedJob(), min_length=1, max_length=CALL_JOBS)


class FailJobs(Verb):
    """Attempts that failed."""

    items = fields.Items(child=FailedJob(), min_length=1, max_length=CALL_JOBS)


class HeartbeatJobs(Verb):
    """Jobs that a worker is still working on."""

    items = fields.Items(child=BeatingJob(), min_length=1, max_length=CALL_JOBS)


class JobApprovalSerializer(serializers.Serializer[Any]):
    """What people have approved of a job."""

    id = serializers.UUIDField()
    digest = serializers.CharField(help_text="SHA-256 of what the decision covers, in hexadecimal.")


class JobFileSerializer(serializers.Serializer[Any]):
    """A file that a job names."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    media_type = serializers.CharField(help_text="Detected from its bytes.")
    size = serializers.IntegerField()
    sha256 = serializers.CharField()
    url = serializers.CharField(
        help_text="A path below the address of the server; it works for an hour, without a token."
    )


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
    retries_remaining = serializers.IntegerField(help_text="How many attempts are left after this one.")
    progress = fields.JsonValue(help_text="The progress that the previous attempt reported; or null.")
    lease_token = serializers.CharField()
    lease_expires_at = serializers.DateTimeField()
    idempotency_key = serializers.CharField(
        help_text="The same for every attempt with the same input; another one where a person has changed the input."
    )
    approval = JobApprovalSerializer(
        allow_null=True, help_text="The newest decision of people that covers the job; or null."
    )
    files = JobFileSerializer(many=True, help_text="The files of the run that its input or params name.")
    traceparent = serializers.CharField(
        allow_null=True,
        help_text="The trace of its run, with this attempt as the parent: send it with your calls.",
    )
    tracestate = serializers.CharField(allow_null=True, help_text="Send it along with `traceparent`.")


class JobsSerializer(serializers.Serializer[Any]):
    """The jobs that were leased; empty if there is no work."""

    jobs = JobSerializer(many=True)


class RefusedJobSerializer(serializers.Serializer[Any]):
    """A job that can't be leased."""

    id = serializers.CharField(help_text="As in the event.")
    reason = serializers.CharField(
        help_text="`gone`: ended, or queued again; `leased` by another; `held`: its run is paused; `later`: it "
        "is not due yet. A job that becomes free is announced again."
    )


class ClaimedJobsSerializer(JobsSerializer):
    """The jobs that were leased, and those that were not."""

    refused = RefusedJobSerializer(many=True)


class JobAnswerSerializer(serializers.Serializer[Any]):
    """The result of a worker's report."""

    applied = serializers.BooleanField()
    reason = serializers.CharField(required=False, help_text="Why it was not applied.")
    duplicate = serializers.BooleanField(required=False)
    lease_expires_at = serializers.DateTimeField(required=False)
    cancel_requested = serializers.BooleanField(required=False)
    cut = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="What was too long: fields of an error that were shortened, or progress that was not kept.",
    )


class JobResultSerializer(JobAnswerSerializer):
    """The result of a report on one of several jobs."""

    id = serializers.UUIDField()
    message = serializers.CharField(required=False, help_text="Why it was refused, in a sentence.")
    field = serializers.CharField(required=False, help_text="The field that was refused.")


class JobResultsSerializer(serializers.Serializer[Any]):
    """The results, in the order of the request."""

    results = JobResultSerializer(many=True)
