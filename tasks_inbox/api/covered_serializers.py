"""What the decision of a task covers, in answers."""

from typing import Any

from rest_framework import serializers

from lib.api import fields


class CoveredValueSerializer(serializers.Serializer[Any]):
    """A value of a step."""

    path = serializers.CharField(help_text="Where it stands: in the step's `input`, or in a param.")
    value = fields.JsonValue(help_text="What is known of it; null where it comes from elsewhere.")
    sources = serializers.ListField(child=serializers.CharField(), help_text="The steps that it comes from.")


class CoveredStepSerializer(serializers.Serializer[Any]):
    """A step that a decision covers."""

    node = serializers.CharField()
    title = serializers.CharField()
    type = serializers.CharField()
    digest = serializers.CharField(help_text="SHA-256 of what the step does, as far as it is known.")
    values = CoveredValueSerializer(many=True)
    more = serializers.IntegerField(help_text="How many more values there are.")


class CoveredOutcomeSerializer(serializers.Serializer[Any]):
    """What an outcome covers."""

    outcome = serializers.CharField(allow_null=True, help_text="Null: whatever the outcome is.")
    digest = serializers.CharField(help_text="SHA-256 of all of its steps.")
    steps = CoveredStepSerializer(many=True)


class CoveredChangeSerializer(serializers.Serializer[Any]):
    """A value that is not as it was approved."""

    path = serializers.CharField()
    before = CoveredValueSerializer(allow_null=True)
    after = CoveredValueSerializer(allow_null=True)


class WithheldSerializer(serializers.Serializer[Any]):
    """A step that would do something else than was approved."""

    node = serializers.CharField()
    title = serializers.CharField()
    why = serializers.CharField()
    by = serializers.CharField(allow_null=True, help_text="Who was the last to change what it does.")
    reason = serializers.CharField(allow_blank=True, help_text="Why they did, in their words.")
    changed_by = serializers.ListField(
        child=serializers.CharField(), help_text="All who have changed it since, the last one last."
    )
    changes = CoveredChangeSerializer(many=True)


class ApprovesSerializer(serializers.Serializer[Any]):
    """What the decision of a task covers."""

    digest = serializers.CharField()
    outcomes = CoveredOutcomeSerializer(many=True)
    withheld = WithheldSerializer(
        allow_null=True, help_text="Where it asks once more: the step that waits, and what has changed."
    )
