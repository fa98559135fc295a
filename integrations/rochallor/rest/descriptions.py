"""What the OpenAPI document says of the routes: their bodies, answers and errors.

Requests are read by `Fields` and `service`, not by these: null counts as left out. Unknown fields are ignored, but for
those of a definition.
"""

from typing import Any, Final

from drf_spectacular.plumbing import ResolvedComponent
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

from accounts.api.schema import Schema
from integrations.rochallor import errors
from integrations.rochallor.values import COMPLETED, FAILED, RUNNING, STATUSES
from lib.api import fields

RECORD_STATUSES: Final = (RUNNING, COMPLETED, FAILED)
STEP_TYPES: Final = (
    "SERVICE_TASK",
    "USER_TASK",
    "WAIT",
    "DECISION",
    "TRANSFORMATION",
    "PARALLEL_GATEWAY",
    "JOIN_GATEWAY",
    "END",
)
LOCKED: Final = ("LOCKED",)
TIMER: Final = ("TIMER",)
_TEXT: dict[str, Any] = {"required": False, "allow_null": True}
_WORKER: Final = "Also `workerID` and `worker_id`."
PAGE: Final = (OpenApiParameter("page", int), OpenApiParameter("pageSize", int))
KEYWORD: Final = OpenApiParameter("keyword", str, description="A part of the id or the name.")
INSTANCES: Final = (
    OpenApiParameter("definitionId", str),
    OpenApiParameter("status", str, enum=STATUSES),
    OpenApiParameter("businessKey", str),
)


class RochallorSchema(Schema):
    """Operations have names of their own, errors of the form `{error, reason}`, and take Basic credentials, too."""

    def get_operation_id(self) -> str:
        method, _, words = super().get_operation_id().partition("_")
        return f"{method}_rochallor_{words}"

    def get_auth(self) -> list[dict[str, list[str]]]:
        """A token, as Bearer or as the password of Basic; none where a tenant is open."""
        basic = {"type": "http", "scheme": "basic", "description": "The token is the password."}
        component = ResolvedComponent(
            "basic", ResolvedComponent.SECURITY_SCHEMA, schema=basic, object="basic"
        )
        self.registry.register_on_missing(component)
        return [{"token": []}, {"basic": []}, {}]

    def get_operation(self, *args: Any, **kwargs: Any) -> Any:
        operation = super().get_operation(*args, **kwargs)
        if operation is not None:
            error = self.resolve_serializer(RochallorErrorSerializer(), "response").ref
            content = {"application/json": {"schema": error}}
            operation["responses"]["default"] = {"description": "An error", "content": content}
        return operation


class RochallorErrorSerializer(serializers.Serializer[Any]):
    """An error."""

    error = serializers.ChoiceField(errors.CODES)
    reason = serializers.CharField(
        required=False, help_text="A sentence; each code but `poll path disabled` has one."
    )
    dispatch_mode = serializers.CharField(required=False, help_text="With `poll path disabled` (410).")
    hint = serializers.CharField(required=False, help_text="With `poll path disabled` (410).")


class RochallorTimerSerializer(serializers.Serializer[Any]):
    """A boundary event."""

    type = serializers.ChoiceField(TIMER)
    duration = serializers.CharField(help_text="ISO 8601, such as PT30S.")
    interrupting = serializers.BooleanField()
    targetStepId = serializers.CharField()


class RochallorStepSerializer(serializers.Serializer[Any]):
    """A step of a definition."""

    id = serializers.CharField()
    type = serializers.ChoiceField(STEP_TYPES)
    name = serializers.CharField(required=False)
    description = serializers.CharField(required=False)
    nextStep = serializers.CharField(required=False)
    joinStep = serializers.CharField(required=False)
    jobType = serializers.CharField(required=False)
    delegateClass = serializers.CharField(required=False)
    parallelNextSteps = serializers.ListField(child=serializers.CharField(), required=False)
    conditionalNextSteps = serializers.DictField(child=serializers.CharField(), required=False)
    transformations = fields.JsonObject(required=False)
    retryCount = serializers.IntegerField(required=False, min_value=0)
    boundaryEvents = RochallorTimerSerializer(many=True, required=False)


class RochallorDefinitionSerializer(serializers.Serializer[Any]):
    """A definition; docs/rochallor-definitions.md says what is accepted."""

    id = serializers.CharField()
    version = serializers.IntegerField(required=False, help_text="Given by Handoff.")
    name = serializers.CharField(required=False)
    description = serializers.CharField(required=False)
    autoStartNextWorkflow = serializers.BooleanField(required=False)
    nextWorkflowId = serializers.CharField(required=False)
    steps = RochallorStepSerializer(many=True)
    metadata = fields.JsonObject(
        required=False, help_text="`leaseSeconds`: a number, or numbers by the ids of service tasks."
    )


class RochallorUploadedSerializer(serializers.Serializer[Any]):
    """A version of a definition, in short."""

    id = serializers.CharField()
    version = serializers.IntegerField()
    name = serializers.CharField()
    uploadedAt = serializers.DateTimeField()


class RochallorUploadedPageSerializer(serializers.Serializer[Any]):
    """Definitions."""

    items = RochallorUploadedSerializer(many=True, allow_null=True, help_text="Null where there are none.")
    total = serializers.IntegerField()


class RochallorStartSerializer(serializers.Serializer[Any]):
    """An instance to start."""

    definitionId = serializers.CharField()
    definitionVersion = serializers.IntegerField(required=False, allow_null=True, help_text="0: the latest.")
    variables = fields.JsonObject(required=False, allow_null=True)
    businessKey = serializers.CharField(**_TEXT)


class RochallorInstanceSerializer(serializers.Serializer[Any]):
    """An instance."""

    id = serializers.CharField()
    definitionId = serializers.CharField()
    definitionVersion = serializers.IntegerField()
    status = serializers.ChoiceField(STATUSES)
    currentStepIds = serializers.ListField(child=serializers.CharField())
    variables = fields.JsonObject(required=False, help_text="Left out in lists.")
    startedAt = serializers.DateTimeField()
    completedAt = serializers.DateTimeField(required=False)
    failureReason = serializers.CharField(required=False)
    businessKey = serializers.CharField(required=False)


class RochallorInstancePageSerializer(serializers.Serializer[Any]):
    """Instances."""

    items = RochallorInstanceSerializer(many=True, allow_null=True, help_text="Null where there are none.")
    total = serializers.IntegerField(help_text="Counted up to 10,000.")


class RochallorRecordSerializer(serializers.Serializer[Any]):
    """An entry into a step."""

    ID = serializers.CharField()
    InstanceID = serializers.CharField()
    StepID = serializers.CharField()
    StepType = serializers.CharField()
    AttemptNumber = serializers.IntegerField()
    Status = serializers.ChoiceField(RECORD_STATUSES)
    StartedAt = serializers.DateTimeField()
    EndedAt = serializers.DateTimeField(allow_null=True)
    InputSnapshot = fields.JsonValue()
    OutputSnapshot = fields.JsonValue()
    FailureReason = serializers.CharField(allow_null=True)


class RochallorHistorySerializer(serializers.Serializer[Any]):
    """The history of an instance."""

    items = RochallorRecordSerializer(
        many=True, allow_null=True, help_text="Null where there is no such instance."
    )


class RochallorCancelSerializer(serializers.Serializer[Any]):
    """Why an instance is cancelled."""

    reason = serializers.CharField(**_TEXT)


class RochallorPollSerializer(serializers.Serializer[Any]):
    """What a worker asks for."""

    workerId = serializers.CharField(help_text=_WORKER)
    jobTypes = serializers.ListField(child=serializers.CharField(), max_length=500)
    maxJobs = serializers.IntegerField(required=False, allow_null=True, min_value=0)


class RochallorJobSerializer(serializers.Serializer[Any]):
    """A job and its lease."""

    id = serializers.CharField()
    instanceId = serializers.CharField()
    stepExecutionId = serializers.CharField()
    jobType = serializers.CharField()
    status = serializers.ChoiceField(LOCKED)
    workerId = serializers.CharField()
    lockedAt = serializers.DateTimeField()
    lockExpiresAt = serializers.DateTimeField()
    retriesRemaining = serializers.IntegerField()
    variables = fields.JsonValue()
    createdAt = serializers.DateTimeField()


class RochallorJobsSerializer(serializers.Serializer[Any]):
    """The jobs that were leased."""

    jobs = RochallorJobSerializer(many=True, allow_null=True, help_text="Null where there are none.")


class RochallorCompleteSerializer(serializers.Serializer[Any]):
    """The result of a job or of a user task."""

    workerId = serializers.CharField(**_TEXT, help_text=_WORKER)
    variables = fields.JsonObject(required=False, allow_null=True)


class RochallorCompleteNamedSerializer(RochallorCompleteSerializer):
    """The result of the job of this id."""

    id = serializers.CharField()


class RochallorFailSerializer(serializers.Serializer[Any]):
    """Why a job failed."""

    workerId = serializers.CharField(**_TEXT, help_text=_WORKER)
    errorMessage = serializers.CharField(**_TEXT)
    retryable = serializers.BooleanField(required=False, allow_null=True)


class RochallorFailNamedSerializer(RochallorFailSerializer):
    """Why the job of this id failed."""

    id = serializers.CharField()


class RochallorTaskResultSerializer(serializers.Serializer[Any]):
    """The result of a user task."""

    result = fields.JsonObject(required=False, allow_null=True)
    completedBy = serializers.CharField(**_TEXT)
