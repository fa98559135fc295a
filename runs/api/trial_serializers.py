"""What the routes that try a draft out take and give."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from engine.limits import NODE_ID_CHARACTERS
from lib.api import fields
from lib.api.serializers import Verb
from lib.api.typed_rows import shows
from runs.api.run_ids import RunId
from runs.limits import TRIAL_NODES
from runs.reading.run_view import RunView


@extend_schema_field({"oneOf": [{"type": "array", "items": {"type": "string"}}, {"const": "all"}]})
class LiveSteps(serializers.Field[Any, Any, Any, Any]):
    """The ids of some steps, or `all`."""

    default_error_messages = {"invalid": 'This must be a list of the ids of steps, or "all".'}

    def to_internal_value(self, data: Any) -> Any:
        is_list = isinstance(data, list) and all(isinstance(one, str) for one in data)
        if data != "all" and not (is_list and len(data) <= TRIAL_NODES):
            self.fail("invalid")
        return data

    def to_representation(self, value: Any) -> Any:
        return value


class StartTrial(Verb):
    """A test run to start."""

    input = fields.JsonValue(required=False, help_text="The run's input; `{}` if it is not given.")
    definition = fields.JsonObject(required=False, help_text="Instead of the draft, which stays as it is.")
    until = fields.Text(
        required=False, max_length=NODE_ID_CHARACTERS, help_text="The last step: it and all before it."
    )
    only = fields.Text(required=False, max_length=NODE_ID_CHARACTERS, help_text="This step alone.")
    step_input = fields.JsonValue(required=False, help_text="With `only`: the step's input.")
    live = LiveSteps(
        required=False, help_text="Steps that really run although they have side effects or wait."
    )
    outcomes = serializers.DictField(
        child=fields.Text(max_length=64), required=False, help_text="What people decide, by step."
    )
    pins = fields.JsonObject(required=False, help_text="Outputs of steps, which are then not run.")


class RecordCase(Verb):
    """A run to make a test case from."""

    run_id = RunId()
    name = fields.Text(max_length=200)


class StubbedSerializer(serializers.Serializer[Any]):
    """A step that is not run in a test."""

    node = serializers.CharField()
    why = serializers.ChoiceField(["pinned", "side_effects", "waits", "outside"])
    made_up = serializers.BooleanField(help_text="Nobody set its output: it is a sample.")


@shows(RunView)
class TrialSerializer(serializers.Serializer[Any]):
    """A new test run."""

    stubbed = StubbedSerializer(many=True)
