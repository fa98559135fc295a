"""What the routes take and give that have open runs go on with another version."""

from typing import Any

from rest_framework import serializers

from lib.api import fields
from lib.api.serializers import Verb
from lib.api.typed_rows import serializer_of
from runs.limits import COLUMN_INTEGER
from runs.reading.run_view import PlaceView


class MigrateRun(Verb):
    """The version to move to, or a check whether it fits."""

    version = fields.Whole(min_value=1, max_value=COLUMN_INTEGER)
    dry_run = fields.Flag(required=False, default=False, help_text="Only report the obstacles.")


class MisfitSerializer(serializers.Serializer[Any]):
    """Why a run can't be moved to a version."""

    code = serializers.CharField()
    node = serializers.CharField(allow_null=True, help_text="The step that it is about.")
    message = serializers.CharField()
    place = serializer_of(PlaceView)(
        many=True, help_text="The items that lead down to the step; empty for a step of the run itself."
    )


class NewTimeSerializer(serializers.Serializer[Any]):
    """A moment that would be another one: it counts from when it began, and is due at once where it is past."""

    node = serializers.CharField(allow_null=True, help_text="The step; null for the deadline of the run.")
    kind = serializers.ChoiceField(
        ["wait", "timeout", "boundary", "start", "due", "remind", "escalate", "end", "deadline"]
    )
    target = serializers.CharField(allow_null=True, help_text="Where a timer beside a step leads.")
    old = serializers.DateTimeField(allow_null=True, help_text="Null: there is no such moment so far.")
    new = serializers.DateTimeField(allow_null=True, help_text="Null: there is no such moment any more.")
    place = serializer_of(PlaceView)(many=True)


class CheckedSerializer(serializers.Serializer[Any]):
    """What a dry run found."""

    ok = serializers.BooleanField()
    problems = MisfitSerializer(many=True)
    begins = serializers.ListField(
        child=serializers.CharField(), help_text="Steps of the version that would begin at once."
    )
    times = NewTimeSerializer(many=True)
    parts = serializers.IntegerField(help_text="How many open runs of items would be moved with the run.")
