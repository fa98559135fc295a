"""What the runs' routes take; and what they give, for the OpenAPI document: rows come ready from `queries`."""

from typing import Any, Final

from rest_framework import serializers

from engine.limits import NODE_ID_CHARACTERS, WORKFLOW_NAME_CHARACTERS
from engine.statuses import RunStatus
from lib.api import fields
from lib.api.serializers import PageQuery, Query, StrictSerializer, Verb
from lib.api.typed_rows import serializer_of, shows
from runs.api.run_ids import RunId
from runs.api.signal_serializers import SignalFields, StartedSignalSerializer
from runs.limits import BUSINESS_KEY_CHARACTERS, FILTER_CHARACTERS, START_ITEMS
from runs.reading.run_view import STEP_STATUSES, RunView, StepView

RunSerializer: Final = serializer_of(RunView)
StepSerializer: Final = serializer_of(StepView)
_TEN_YEARS = 3_650 * 86_400


class StartRun(Verb):
    """A run to start."""

    workflow = fields.Text(max_length=WORKFLOW_NAME_CHARACTERS)
    version = fields.Whole(required=False, min_value=1, max_value=2**31 - 1, help_text="Default: the latest.")
    business_key = fields.Text(required=False, max_length=BUSINESS_KEY_CHARACTERS)
    input = fields.JsonValue()
    sla_seconds = fields.Whole(required=False, min_value=1, max_value=_TEN_YEARS)
    priority = fields.Whole(required=False, min_value=-1000, max_value=1000, default=0)
    if_exists = fields.OneOf(["return", "new_if_ended", "error"], required=False, default="return")
    signal = SignalFields(required=False, help_text="Sent to the run, whether it is new or exists already.")
    on_behalf_of = fields.Text(
        required=False,
        max_length=150,
        help_text="The username of a member who may start it, too: it becomes their request, filed by you.",
    )


class BatchItem(StrictSerializer):
    """One run of a batch."""

    business_key = fields.Text(required=False, max_length=BUSINESS_KEY_CHARACTERS)
    input = fields.JsonValue()


class StartBatch(Verb):
    """Runs of one workflow to start in one transaction."""

    workflow = fields.Text(max_length=WORKFLOW_NAME_CHARACTERS)
    version = fields.Whole(required=False, min_value=1, max_value=2**31 - 1)
    items = fields.Items(child=BatchItem(), min_length=1, max_length=START_ITEMS)


class CancelRun(Verb):
    """Cancelling."""

    compensate = fields.Flag(
        required=False, default=False, help_text="Undo what was done, by the compensations of its steps."
    )


class ResumeRun(Verb):
    """Resuming."""

    version = fields.Whole(
        required=False, min_value=1, max_value=2**31 - 1, help_text="Default: the one that it started with."
    )


class RerunRun(ResumeRun):
    """Running again from a step."""

    from_node = fields.Text(max_length=NODE_ID_CHARACTERS)
    input = fields.JsonValue(
        required=False, help_text="The step's input; for a step at the start it is the new run's input."
    )


class ChangeItem(Verb):
    """Changing an item of a container, or the run that a step waits for."""

    index = fields.Whole(
        required=False,
        min_value=0,
        max_value=2**31 - 1,
        help_text="The item of a map, or the round of a loop. Without it: the step, or the run that it waits for.",
    )


class RetryStep(ChangeItem):
    """Retrying a step or an item."""

    input = fields.JsonValue(
        required=False, help_text="Instead of the step's own input. An item takes no other one."
    )
    despite_unknown = fields.Flag(
        default=False,
        help_text="With another input, where nobody knows what the last attempt did: it was found out.",
    )


class SkipStep(ChangeItem):
    """Skipping a step or an item."""

    output = fields.JsonValue(help_text="The output that the step gets.")


class StepListQuery(Query):
    """Which steps."""

    node = serializers.CharField(required=False, max_length=NODE_ID_CHARACTERS)
    status = serializers.ChoiceField(STEP_STATUSES, required=False)


class HistoryQuery(PageQuery):
    """How to list the history."""

    order = serializers.ChoiceField(["desc", "asc"], required=False, default="desc")


class ChildrenQuery(PageQuery):
    """Which of the runs that a run began."""

    status = serializers.ChoiceField([str(status.value) for status in RunStatus], required=False)


class DeadLetterQuery(PageQuery):
    """Which dead letters."""

    resolution = serializers.ChoiceField(["open", "resolved"], required=False)
    run_id = RunId(required=False, help_text="Those of this run.")
    query = serializers.CharField(
        required=False,
        max_length=FILTER_CHARACTERS,
        help_text="`workflow:claims -step:pay code:timeout or code:gone key:INV-7`",
    )
    q = serializers.CharField(required=False, max_length=FILTER_CHARACTERS, help_text="The same as `query`.")
    filter = serializers.CharField(
        required=False, max_length=FILTER_CHARACTERS, help_text="The same as `query`."
    )


class LetterFilter(StrictSerializer):
    """Which open dead letters."""

    workflow = fields.Text(required=False, max_length=WORKFLOW_NAME_CHARACTERS)
    node = fields.Text(required=False, max_length=NODE_ID_CHARACTERS)
    code = fields.Text(required=False, max_length=100)
    query = fields.Text(required=False, max_length=FILTER_CHARACTERS, help_text="As in `GET /dead-letters`.")


class ManyLetters(Verb):
    """Letters to redrive or discard: by id, or by filter."""

    ids = fields.Items(required=False, child=serializers.UUIDField(), min_length=1, max_length=1000)
    filter = LetterFilter(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("ids" in attrs) == ("filter" in attrs):
            raise serializers.ValidationError({"ids": "Give either ids or filter."}, code="required")
        return attrs


class DiscardLetters(ManyLetters):
    """Letters to discard, with the reason."""

    reason = fields.Text(max_length=2000, help_text="Why you do this; kept with each of them.")


class RefusedLetter(serializers.Serializer[Any]):
    """A letter with which it was not done, and why."""

    id = serializers.UUIDField()
    code = serializers.CharField()
    message = serializers.CharField()


class RedrivenSerializer(serializers.Serializer[Any]):
    """The result for the letters."""

    redriven = serializers.ListField(child=serializers.UUIDField())
    refused = RefusedLetter(many=True)
    left = serializers.IntegerField(
        help_text="How many match and are not done: 0 up to 100,000, which `bulk_job` does beyond 1,000."
    )
    bulk_job = serializers.UUIDField(
        allow_null=True, help_text="Has the result for each; null: there was none."
    )


class DiscardedLettersSerializer(serializers.Serializer[Any]):
    """The result for the letters."""

    discarded = serializers.ListField(child=serializers.UUIDField())
    refused = RefusedLetter(many=True)
    left = serializers.IntegerField(
        help_text="How many match and are not done: 0 up to 100,000, which `bulk_job` does beyond 1,000."
    )
    bulk_job = serializers.UUIDField(
        allow_null=True, help_text="Has the result for each; null: there was none."
    )


@shows(RunView)
class StartedRunSerializer(serializers.Serializer[Any]):
    """A run that was started or found."""

    input_mismatch = serializers.BooleanField(
        required=False, help_text="With 200: the existing run was started with another input."
    )
    warnings = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="For a new run: the steps that nobody may decide, with its input and the present members.",
    )
    signal = StartedSignalSerializer(
        required=False, help_text="What became of the signal, if one was sent with it."
    )


class BatchStartedSerializer(serializers.Serializer[Any]):
    """One run of a batch."""

    id = serializers.UUIDField()
    business_key = serializers.CharField(allow_null=True)
    created = serializers.BooleanField()
    input_mismatch = serializers.BooleanField(
        required=False, help_text="The run already existed, with another input."
    )
    warnings = serializers.ListField(child=serializers.CharField(), required=False)


class BatchSerializer(serializers.Serializer[Any]):
    """The result of a batch, in the order of its items."""

    runs = BatchStartedSerializer(many=True)


class EventSerializer(serializers.Serializer[Any]):
    """Something that happened to a run."""

    id = serializers.IntegerField()
    type = serializers.CharField()
    node = serializers.CharField(allow_null=True)
    attempt = serializers.IntegerField(allow_null=True)
    payload = fields.JsonValue()
    created_at = serializers.DateTimeField()


class DeadLetterSerializer(serializers.Serializer[Any]):
    """A step that failed its run for good."""

    id = serializers.UUIDField()
    run_id = serializers.UUIDField()
    step_id = serializers.UUIDField()
    node = serializers.CharField()
    error = fields.JsonValue(help_text="The error of the last attempt.")
    error_message = serializers.CharField(help_text="As its step says it: `Moved to DLQ after N retries`.")
    attempts = serializers.IntegerField()
    retry_count = serializers.IntegerField(help_text="How many of the attempts were retries.")
    created_at = serializers.DateTimeField()
    moved_at = serializers.DateTimeField(help_text="As `created_at`.")
    resolution = serializers.CharField(allow_null=True)
