"""Variables of runs: what a worker may set, and what is told of them."""

import re
from typing import Any

from rest_framework import serializers

from engine.definition import MOST_VARIABLES, VARIABLE_NAME
from lib.api import fields


class Variables(fields.JsonObject):
    """Variables of a run, by name."""

    default_error_messages = {
        "bad_name": "A variable is called by letters, digits and _, not a digit first, 64 at most: {name} is not.",
        "too_many": "At most {most} variables are set at once.",
    }

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        values = super().to_internal_value(data)
        if len(values) > MOST_VARIABLES:
            self.fail("too_many", most=MOST_VARIABLES)
        for name in values:
            if not re.fullmatch(VARIABLE_NAME.strip("^$"), name):
                self.fail("bad_name", name=name[:100])
        return values


class VariableSerializer(serializers.Serializer[Any]):
    """A variable of a run."""

    value = fields.JsonValue(help_text="null if it is left out for its size.")
    set_by = serializers.CharField(help_text="The step that set it last.")
    index = serializers.IntegerField(allow_null=True, help_text="For a container: which of its items set it.")
    set_at = serializers.DateTimeField()
    overlaps = serializers.ListField(
        child=serializers.CharField(), help_text="Steps that had set it and don't come before that one."
    )
    truncated = serializers.IntegerField(required=False, help_text="Its size in bytes, if it is left out.")
