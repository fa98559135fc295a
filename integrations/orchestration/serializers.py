"""What these routes take and give. Their names are those of the clients that were written for them."""

from typing import Any

from rest_framework import serializers

from accounts.limits import QUEUE_CHARACTERS
from engine.limits import WORKFLOW_NAME_CHARACTERS
from integrations.orchestration.words import STATUSES
from lib.api import fields
from lib.api.serializers import StrictSerializer
from runs.limits import BUSINESS_KEY_CHARACTERS
from steps.limits import SIGNAL_NAME_CHARACTERS

TASK_ID_CHARACTERS = 300
_TENANT = "The token's tenant, by its short name; default: that one."


class StartWorkflow(StrictSerializer):
    """An execution to start."""

    workflowType = fields.Text(max_length=WORKFLOW_NAME_CHARACTERS)
    tenantId = fields.Text(required=False, max_length=64, help_text=_TENANT)
    businessKey = fields.Text(required=False, max_length=BUSINESS_KEY_CHARACTERS)
    input = fields.JsonValue()


class StartedWorkflowSerializer(serializers.Serializer[Any]):
    """The execution that was started, or that already exists."""

    workflowId = serializers.CharField()
    status = serializers.ChoiceField(STATUSES, required=False)
    currentState = serializers.CharField(required=False)
    createdAt = serializers.DateTimeField(required=False)
    inputMismatch = serializers.BooleanField(required=False, help_text="It was started with another input.")


class WorkflowExecutionSerializer(serializers.Serializer[Any]):
    """An execution."""

    workflowId = serializers.CharField()
    workflowType = serializers.CharField()
    tenantId = serializers.CharField()
    businessKey = serializers.CharField(allow_null=True)
    status = serializers.ChoiceField(STATUSES)
    currentState = serializers.CharField()
    input = fields.JsonValue()
    context = fields.JsonObject(  # type: ignore[assignment]  # DRF takes fields out of the class.
        help_text="The outputs of its steps so far, by their names."
    )
    output = fields.JsonValue()
    error = fields.JsonValue()
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField(help_text="When anything last happened to it.")
    startedAt = serializers.DateTimeField(allow_null=True)
    completedAt = serializers.DateTimeField(allow_null=True)
    continuedTo = serializers.CharField(allow_null=True, help_text="The execution that continues it.")


class SignalWorkflow(StrictSerializer):
    """A signal."""

    signalName = fields.Text(max_length=SIGNAL_NAME_CHARACTERS)
    signalId = fields.Text(max_length=200, help_text="The same again is dropped.")
    payload = fields.JsonValue(required=False)


class SignalledWorkflowSerializer(serializers.Serializer[Any]):
    """The result of a signal."""

    workflowId = serializers.CharField()
    signalProcessed = serializers.BooleanField(
        help_text="A step took it, or it is being carried to one that waits; otherwise it is kept."
    )
    duplicate = serializers.BooleanField(required=False, help_text="It already existed.")


class PollActivity(StrictSerializer):
    """A worker that asks for a task."""

    workerId = fields.Text(max_length=200)
    taskQueue = fields.Text(max_length=QUEUE_CHARACTERS)


class ActivityTaskSerializer(serializers.Serializer[Any]):
    """A task with the lease on it."""

    taskId = serializers.CharField(help_text="Belongs to this lease: the next attempt has another one.")
    workflowId = serializers.CharField()
    workflowType = serializers.CharField()
    activityType = serializers.CharField(
        help_text="The name of the step; of one that undoes another the `name` in its `compensate`, if it has one."
    )
    taskQueue = serializers.CharField()
    input = fields.JsonValue(help_text="The step's `params`, if it has any, else its input.")
    attempt = serializers.IntegerField()
    attemptLimit = serializers.IntegerField()
    leaseDurationSeconds = serializers.IntegerField()
    idempotencyKey = serializers.CharField(help_text="The same for every attempt.")


class ActivityWord(StrictSerializer):
    """What a worker says of a task that it holds."""

    taskId = fields.Text(max_length=TASK_ID_CHARACTERS)
    workerId = fields.Text(required=False, max_length=200)


class CompleteActivity(ActivityWord):
    """The task is done."""

    result = fields.JsonValue(required=False)


class FailActivity(ActivityWord):
    """The attempt failed."""

    errorMessage = fields.Text(allow_blank=True)
    errorCode = fields.Text(required=False, default="ActivityFailed")
    retryable = fields.Flag(required=False, default=True)


class HeartbeatActivity(ActivityWord):
    """The worker is still working on it."""

    progress = fields.JsonValue(required=False)


class ActivityAnswerSerializer(serializers.Serializer[Any]):
    """The result of a worker's report."""

    taskId = serializers.CharField()
    applied = serializers.BooleanField()
    reason = serializers.CharField(required=False, help_text="Why it was not applied.")
    duplicate = serializers.BooleanField(required=False)
    leaseExpiresAt = serializers.DateTimeField(required=False)
    cancelRequested = serializers.BooleanField(required=False)
