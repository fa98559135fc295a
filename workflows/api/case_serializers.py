"""What the routes of test cases take and give."""

from typing import Any

from rest_framework import serializers

from engine.limits import NODE_ID_CHARACTERS, WORKFLOW_NODES
from lib.api import fields
from lib.api.serializers import Parsed, StrictSerializer, Verb
from workflows.limits import WORKFLOW_CASES

STATUSES = ("COMPLETED", "FAILED")
WHAT_DIFFERS = ["status", "path", "output", "input", "stubs", "problems", "time", "size"]


class StubErrorFields(StrictSerializer):
    """What a step fails with."""

    code = fields.Text(max_length=100)
    message = fields.Text(max_length=2_000, allow_blank=True)


class StubFields(StrictSerializer):
    """What stands in for a step."""

    output = fields.JsonValue(required=False)
    error = StubErrorFields(required=False)

    def validate(self, attrs: Parsed) -> Parsed:
        if len(attrs) != 1:
            raise serializers.ValidationError("Give `output` or `error`, one of them.")
        return attrs


class ExpectFields(StrictSerializer):
    """What is expected."""

    status = fields.OneOf(STATUSES, required=False)
    path = fields.Items(
        child=fields.Text(max_length=NODE_ID_CHARACTERS),
        required=False,
        allow_null=True,
        max_length=WORKFLOW_NODES,
        help_text="The ids of the steps that complete, in any order; null: not checked.",
    )
    output = fields.JsonValue(required=False, help_text="Default: not checked.")


class _CaseFields(Verb):
    stubs = serializers.DictField(
        child=StubFields(), required=False, help_text="By step: `{output}`, or `{error: {code, message}}`."
    )
    expect = ExpectFields(required=False)


class CreateCase(_CaseFields):
    """A new test case."""

    name = fields.Text(max_length=200)
    input = fields.JsonValue()


class ChangeCase(_CaseFields):
    """What can be changed of a test case."""

    name = fields.Text(required=False, max_length=200)
    input = fields.JsonValue(required=False)
    revision = fields.Whole(required=False, min_value=1, help_text="412 if it is no longer at this revision.")


class RunCases(Verb):
    """Running test cases."""

    definition = fields.JsonObject(required=False, help_text="Instead of the draft.")
    ids = fields.Items(child=fields.Whole(min_value=1), required=False, max_length=WORKFLOW_CASES)


class CaseSerializer(serializers.Serializer[Any]):
    """A test case."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    input = fields.JsonValue()
    stubs = fields.JsonObject()
    expect = fields.JsonObject()
    revision = serializers.IntegerField()
    created_by = serializers.CharField(source="created_by.username")
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()


class CaseDifferenceSerializer(serializers.Serializer[Any]):
    """What is not as expected."""

    what = serializers.ChoiceField(WHAT_DIFFERS)
    expected = fields.JsonValue()
    got = fields.JsonValue()


class CaseStubSerializer(serializers.Serializer[Any]):
    """A step that was not done."""

    node = serializers.CharField()
    why = serializers.ChoiceField(["pinned", "side_effects", "waits", "outside"])
    made_up = serializers.BooleanField()


class ResultSerializer(serializers.Serializer[Any]):
    """The result of a test case."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    passed = serializers.BooleanField()
    status = serializers.CharField(allow_null=True, help_text="COMPLETED or FAILED.")
    path = serializers.ListField(child=serializers.CharField())
    output = fields.JsonValue()
    error = fields.JsonValue()
    differences = CaseDifferenceSerializer(many=True)
    stubbed = CaseStubSerializer(many=True)


class ResultsSerializer(serializers.Serializer[Any]):
    """The results of test cases."""

    results = ResultSerializer(many=True)
