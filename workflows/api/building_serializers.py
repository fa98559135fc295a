"""What the builder's routes take and give."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from engine.limits import NODE_ID_CHARACTERS
from lib.api import fields
from lib.api.serializers import StrictSerializer
from workflows.api.serializers import ProblemSerializer


class StepTypeSerializer(serializers.Serializer[Any]):
    """A step type; `x-widget` in its schemas says what a form shows for a property."""

    name = serializers.CharField()
    title = serializers.CharField()
    help = serializers.CharField()
    icon = serializers.CharField()
    keywords = serializers.ListField(
        child=serializers.CharField(), help_text="Other words by which people search for it."
    )
    group = serializers.CharField()
    group_title = serializers.CharField()
    kind = serializers.CharField(help_text="inline, blocking, external, engine or wait: who does the work.")
    example = fields.JsonObject(help_text="`params` and `input` that work.")
    params_schema = fields.JsonObject()
    input_schema = fields.JsonObject(allow_null=True)
    output_schema = fields.JsonObject(allow_null=True, help_text="As far as it is known without the params.")
    default_queue = serializers.CharField(allow_null=True)
    lease_seconds = serializers.IntegerField()
    timeout_seconds = serializers.IntegerField(allow_null=True)
    retry = serializers.CharField()
    on_error = serializers.ChoiceField(["fail", "continue", "branch"])
    has_side_effects = serializers.BooleanField()
    read_only_params = fields.JsonObject(
        help_text="The choices, by param, with which a step has no side effects, where they decide whether it has any."
    )
    waits = serializers.BooleanField()
    decides = serializers.BooleanField(help_text="The first edge after it that holds is taken, and no other.")
    asks_people = serializers.BooleanField(help_text="It waits until people have decided.")
    has_rounds = serializers.BooleanField(help_text="It repeats its body until a condition ends it.")


class StepTypesSerializer(serializers.Serializer[Any]):
    """The catalogue, in its order."""

    results = StepTypeSerializer(many=True)


class DefinitionSchemaSerializer(serializers.Serializer[Any]):
    """One JSON Schema each; `retry_presets` has the values of the presets."""

    node = fields.JsonObject()
    edge = fields.JsonObject()
    settings = fields.JsonObject()
    retry = fields.JsonObject()
    compensation = fields.JsonObject()
    boundary_timer = fields.JsonObject()
    retry_presets = fields.JsonObject()


PLACES = [
    "params",
    "input",
    "set_vars",
    "when",
    "output",
    "business_key",
    "compensate",
    "body",
    "round",
]


class Ends(StrictSerializer):
    """An edge, by the nodes that it leads from and to; it needn't exist yet."""

    to = fields.Text(max_length=NODE_ID_CHARACTERS)

    def get_fields(self) -> dict[str, Any]:
        # `from` is the field's name, and a word of Python.
        return {"from": fields.Text(max_length=NODE_ID_CHARACTERS), **super().get_fields()}


@extend_schema_field({"type": ["string", "integer"]})
class Key(serializers.Field[Any, Any, Any, Any]):
    """A key of an object, or the place of an item in a list."""

    default_error_messages = {"invalid": "This must be a text or a whole number from 0 on."}

    def to_internal_value(self, data: Any) -> str | int:
        if isinstance(data, str) or (isinstance(data, int) and not isinstance(data, bool) and data >= 0):
            return data
        return self.fail("invalid")

    def to_representation(self, value: Any) -> Any:
        return value


class AskedPlace(StrictSerializer):
    """A place of a draft: `edge` for when, nothing for output and business_key, else `node`, in whatever body it is."""

    definition = fields.JsonObject()
    node = fields.Text(required=False, max_length=NODE_ID_CHARACTERS)
    edge = Ends(required=False)
    place = fields.OneOf(PLACES)
    pins = fields.JsonObject(
        required=False, help_text="Outputs by node; they take precedence over the last run's."
    )
    keys = fields.Items(
        child=Key(),
        required=False,
        max_length=32,
        help_text="The path in the params: some texts can read more than other params.",
    )


class AskedValue(AskedPlace):
    """A value with `{{ }}` to be shown, or a condition (when)."""

    text = fields.JsonValue()
    input = fields.JsonValue(required=False, help_text="The input of the run, instead of the last one's.")


class RenameStep(StrictSerializer):
    """Another id for a step."""

    definition = fields.JsonObject()
    to = fields.Text(max_length=NODE_ID_CHARACTERS)

    def get_fields(self) -> dict[str, Any]:
        return {"from": fields.Text(max_length=NODE_ID_CHARACTERS), **super().get_fields()}


class RenameFact(RenameStep):
    """Another label for a fact of a step."""

    step = fields.Text(max_length=200)


class SampleSerializer(serializers.Serializer[Any]):
    """Where samples come from: `from` is run, given, sample_input, schema or pins."""

    run_id = serializers.CharField(allow_null=True)
    at = serializers.DateTimeField(allow_null=True)
    pins = serializers.ListField(child=serializers.CharField())

    def get_fields(self) -> dict[str, Any]:
        return {"from": serializers.CharField(), **super().get_fields()}


class EntrySerializer(serializers.Serializer[Any]):
    """A path that can be read. `from`: where the value comes from; `cut`: the sample is incomplete."""

    path = serializers.CharField()
    type = serializers.CharField()
    title = serializers.CharField(required=False)
    always = serializers.BooleanField(help_text="Whether it is available on every path to this place.")
    sample = fields.JsonValue(required=False)
    cut = serializers.BooleanField(required=False)

    def get_fields(self) -> dict[str, Any]:
        return {"from": serializers.CharField(), **super().get_fields()}


class FunctionSerializer(serializers.Serializer[Any]):
    """A function or operator of expressions."""

    name = serializers.CharField()
    signature = serializers.CharField()
    help = serializers.CharField()
    example = serializers.CharField()


class ScopeSerializer(serializers.Serializer[Any]):
    """What an expression can read and call."""

    entries = EntrySerializer(many=True)
    functions = FunctionSerializer(many=True)
    sample = SampleSerializer(allow_null=True)


class FaultSerializer(serializers.Serializer[Any]):
    """Why there is no value: bad_expression, no_sample, failed or too_much_work; `at`: its place."""

    code = serializers.CharField()
    message = serializers.CharField()
    at = serializers.IntegerField(required=False)


class ShownSerializer(serializers.Serializer[Any]):
    """`value` and `type`, or `error` instead; `mismatch`: why the value does not fit there."""

    value = fields.JsonValue(required=False)
    type = serializers.CharField(required=False)
    cut = serializers.BooleanField(required=False)
    mismatch = serializers.CharField(required=False, allow_null=True)
    error = FaultSerializer(required=False)
    reads = serializers.ListField(child=serializers.CharField())
    problems = ProblemSerializer(many=True)
    sample = SampleSerializer(allow_null=True)


class RenamedSerializer(serializers.Serializer[Any]):
    """The definition afterwards; `unread`: fields with expressions that can't be compiled, left as they are."""

    definition = fields.JsonObject()
    changed = serializers.ListField(child=serializers.CharField())
    unread = serializers.ListField(child=serializers.CharField())
