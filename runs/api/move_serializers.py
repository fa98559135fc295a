"""What the routes take and give that have open runs go on with another version."""

from typing import Any

from rest_framework import serializers

from lib.api import fields
from lib.api.serializers import PageQuery, Verb
from runs.models import BULK_RESULTS

_HIGHEST = 2**31 - 1


class MigrateRun(Verb):
    """To which version, or whether it would fit."""

    version = fields.Whole(min_value=1, max_value=_HIGHEST)
    dry_run = fields.Flag(required=False, default=False, help_text="Only tell what stands against it.")


class MisfitSerializer(serializers.Serializer[Any]):
    """Why a run can't go on with a version."""

    code = serializers.CharField()
    node = serializers.CharField(allow_null=True, help_text="The step that it is about.")
    message = serializers.CharField()


class CheckedSerializer(serializers.Serializer[Any]):
    """What a dry run found."""

    ok = serializers.BooleanField()
    problems = MisfitSerializer(many=True)
    begins = serializers.ListField(
        child=serializers.CharField(), help_text="Steps of the version that would begin at once."
    )


class MigrateRuns(Verb):
    """From which version to which."""

    to = fields.Whole(min_value=1, max_value=_HIGHEST)
    dry_run = fields.Flag(required=False, default=False, help_text="Only tell what would become of each.")

    def get_fields(self) -> dict[str, Any]:
        """With `from`, which is no name in Python."""
        return {"from": fields.Whole(min_value=1, max_value=_HIGHEST), **super().get_fields()}


class ItemQuery(PageQuery):
    """Which of the results."""

    result = serializers.ChoiceField(BULK_RESULTS, required=False)


class ItemSerializer(serializers.Serializer[Any]):
    """What became of one run."""

    run = serializers.UUIDField(source="run_id")
    result = serializers.ChoiceField(BULK_RESULTS, help_text="able: it would be moved (`dry_run`).")
    code = serializers.CharField(allow_blank=True, help_text="Why it was refused.")
    node = serializers.CharField(allow_null=True, help_text="The step that it is about.")
    message = serializers.CharField(allow_blank=True)
    done_at = serializers.DateTimeField(allow_null=True)


class BulkJobsQuery(PageQuery):
    """Which of the bulk jobs."""

    workflow = serializers.CharField(required=False, max_length=128)


class BulkJobRow(serializers.Serializer[Any]):
    """A bulk job as it is listed."""

    id = serializers.UUIDField()
    workflow = serializers.CharField()
    to = serializers.IntegerField()
    dry_run = serializers.BooleanField()
    reason = serializers.CharField(allow_blank=True)
    created_by = serializers.CharField()
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    stopped_by = serializers.CharField(allow_blank=True)
    total = serializers.IntegerField(help_text="How many runs were open on the version when it began.")

    def get_fields(self) -> dict[str, Any]:
        """With `from`, which is no name in Python."""
        return {"from": serializers.IntegerField(), **super().get_fields()}


class CountedBulkJob(BulkJobRow):
    """A bulk job: `total` is the sum of the six counts, always."""

    pending = serializers.IntegerField()
    able = serializers.IntegerField()
    moved = serializers.IntegerField()
    refused = serializers.IntegerField()
    ended = serializers.IntegerField(help_text="Those that ended before their turn came.")
    stopped = serializers.IntegerField(help_text="Those that were left when somebody stopped the job.")


class BulkJobSerializer(CountedBulkJob):
    """A bulk job with a page of its results."""

    results = ItemSerializer(many=True)
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
