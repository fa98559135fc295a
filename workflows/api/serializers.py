"""What the workflows' routes take and give."""

from typing import Any

from rest_framework import serializers

from lib.api import fields
from lib.api.serializers import PageQuery, Query, Verb


class CreateWorkflow(Verb):
    """A new workflow."""

    name = fields.Text(max_length=128)
    title = fields.Text(required=False, max_length=200, allow_blank=True)
    definition = fields.JsonObject(required=False)


class ChangeWorkflow(Verb):
    """What can be changed of a workflow itself."""

    title = fields.Text(required=False, max_length=200, allow_blank=True)
    description = fields.Text(required=False, max_length=10_000, allow_blank=True)
    archived = fields.Flag(required=False)


class ValidateDefinition(Verb):
    """A definition to look at."""

    definition = fields.JsonObject()


class ImportDefinition(Verb):
    """A definition in any dialect."""

    document = fields.JsonObject()
    dialect = fields.Text(required=False, max_length=40, help_text="Recognised by its shape if not given.")


class SaveDraft(Verb):
    """The draft, whole."""

    definition = fields.JsonObject()
    layout = fields.JsonObject(required=False, help_text="Where the nodes stand on the canvas.")


class Publish(Verb):
    """Publishing the draft."""

    note = fields.Text(required=False, max_length=2000, allow_blank=True, default="")


class WorkflowListQuery(PageQuery):
    """Which workflows."""

    q = serializers.CharField(required=False, max_length=200, help_text="Part of the name or title.")
    archived = serializers.BooleanField(required=False, default=False)


class ExportQuery(Query):
    """Which version."""

    version = fields.Digits(required=False, min_value=1, max_value=2**31 - 1)


class ProblemSerializer(serializers.Serializer[Any]):
    """One finding of `validate`."""

    code = serializers.CharField()
    severity = serializers.ChoiceField(["error", "warning"])
    node = serializers.CharField(allow_null=True)
    field = serializers.CharField()
    message = serializers.CharField()


class ProblemsSerializer(serializers.Serializer[Any]):
    """All findings."""

    problems = ProblemSerializer(many=True)


class WorkflowSerializer(serializers.Serializer[Any]):
    """A workflow; `version` is the one published last."""

    name = serializers.CharField()
    title = serializers.CharField()
    description = serializers.CharField()
    version = serializers.IntegerField(source="latest", allow_null=True)
    draft_revision = serializers.IntegerField()
    draft_updated_at = serializers.DateTimeField()
    created_at = serializers.DateTimeField()
    archived_at = serializers.DateTimeField(allow_null=True)


class DraftedWorkflowSerializer(WorkflowSerializer):
    """A workflow with the findings in its draft."""

    problems = ProblemSerializer(many=True)


class DraftSerializer(serializers.Serializer[Any]):
    """A draft."""

    workflow = serializers.CharField(source="name")
    revision = serializers.IntegerField(source="draft_revision")
    definition = fields.JsonObject(source="draft_definition")
    layout = fields.JsonObject(source="draft_layout")
    updated_at = serializers.DateTimeField(source="draft_updated_at")
    updated_by = serializers.CharField(source="draft_updated_by.username")


class SavedDraftSerializer(DraftSerializer):
    """A draft with its findings."""

    problems = ProblemSerializer(many=True)


class VersionSummarySerializer(serializers.Serializer[Any]):
    """A published version without its definition."""

    workflow = serializers.CharField(source="workflow.name")
    version = serializers.IntegerField(source="number")
    content_hash = serializers.CharField()
    note = serializers.CharField()
    published_at = serializers.DateTimeField()
    published_by = serializers.CharField(source="published_by.username")


class VersionSerializer(VersionSummarySerializer):
    """A published version."""

    definition = fields.JsonObject()
    layout = fields.JsonObject()


class PublishedSerializer(VersionSummarySerializer):
    """What publishing gave, with the warnings."""

    problems = ProblemSerializer(many=True)
