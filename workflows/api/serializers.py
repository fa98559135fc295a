"""What the workflows' routes take and give."""

import re
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from engine.limits import WORKFLOW_NAME_CHARACTERS
from lib.api import fields
from lib.api.serializers import PageQuery, Query, Verb
from workflows.document.change_requests import read_groups
from workflows.document.changes import Group
from workflows.document.texts import EXPORTS, FORMATS
from workflows.limits import DEFINITION_TEXT_BYTES

DIFFERENCE_KINDS = ["added", "removed", "changed", "moved"]


class CreateWorkflow(Verb):
    """A new workflow."""

    name = fields.Text(max_length=WORKFLOW_NAME_CHARACTERS)
    title = fields.Text(required=False, max_length=200, allow_blank=True)
    definition = fields.JsonObject(required=False)
    folder = fields.Text(
        required=False, max_length=150, help_text="The name of its folder, which decides who has access."
    )


class ChangeWorkflow(Verb):
    """What can be changed of a workflow itself."""

    title = fields.Text(required=False, max_length=200, allow_blank=True)
    description = fields.Text(required=False, max_length=10_000, allow_blank=True)
    archived = fields.Flag(required=False)
    folder = fields.Text(required=False, max_length=150, help_text="Moves it; needs `members:manage`.")


class ValidateDefinition(Verb):
    """A definition to check."""

    definition = fields.JsonObject()


@extend_schema_field({"type": ["object", "string"]})
class Document(serializers.Field[Any, Any, Any, Any]):
    """An object, or the text of one."""

    default_error_messages = {"invalid": "This must be a JSON object, or a text that is JSON or YAML."}

    def to_internal_value(self, data: Any) -> dict[str, Any] | str:
        if not isinstance(data, dict | str):
            self.fail("invalid")
        return data


class ImportDefinition(Verb):
    """A definition in any dialect."""

    document = Document(help_text="The definition, or a text that is one as JSON or YAML.")
    dialect = fields.Text(required=False, max_length=40, help_text="Default: recognised by its shape.")


class ReadText(Verb):
    """A text to read: nothing is saved."""

    text = fields.Text(
        max_length=DEFINITION_TEXT_BYTES, help_text="A definition as JSON or YAML, in any dialect."
    )
    name = fields.Text(required=False, max_length=WORKFLOW_NAME_CHARACTERS, help_text="The workflow's.")


class WriteText(Verb):
    """A definition to write as text: nothing is saved."""

    definition = fields.JsonObject()
    format = fields.OneOf(FORMATS)


class SaveDraft(Verb):
    """The draft, whole."""

    definition = fields.JsonObject()
    layout = fields.JsonObject(required=False, help_text="The positions of the nodes on the canvas.")


class ChangeOfDraft(serializers.Serializer[Any]):
    """A compare-and-set at a path; see docs/api.md, "Changing a draft in parts"."""

    path = serializers.ListField(child=serializers.CharField(), min_length=2, max_length=12)
    to = fields.JsonValue(required=False)
    at = serializers.CharField(required=False, allow_null=True)
    was_at = serializers.CharField(required=False, allow_null=True)

    def get_fields(self) -> dict[str, Any]:
        return {**super().get_fields(), "from": fields.JsonValue(required=False)}


class GroupOfChanges(serializers.Serializer[Any]):
    """What a person did in one action."""

    id = serializers.UUIDField()
    label = serializers.CharField(required=False, max_length=200, allow_blank=True)  # type: ignore[assignment]
    changes = ChangeOfDraft(many=True)


@extend_schema_field(GroupOfChanges(many=True))
class Groups(serializers.Field[Any, Any, Any, Any]):
    """Groups of changes; thousands of them are read by hand."""

    def to_internal_value(self, data: Any) -> list[Group]:
        return read_groups(data)


class ChangeDraft(Verb):
    """Groups of changes to the draft; `revision` is the last one that the sender has seen."""

    revision = fields.Whole(min_value=0, max_value=2**31 - 1)
    groups = Groups()


class ConflictSerializer(serializers.Serializer[Any]):
    """A change that was refused with its group."""

    group = serializers.UUIDField()
    path = serializers.ListField(child=serializers.CharField())
    yours = fields.JsonValue(required=False)
    theirs = fields.JsonValue(required=False)
    by = serializers.CharField()
    at = serializers.DateTimeField()


class DraftChangeSerializer(serializers.Serializer[Any]):
    """An entry of the log of a draft."""

    group = serializers.UUIDField(source="group_id")
    revision = serializers.IntegerField()
    label = serializers.CharField()  # type: ignore[assignment]
    changes = fields.JsonValue()
    by = serializers.CharField(source="by.username")
    by_name = serializers.CharField(source="by.name")
    at = serializers.DateTimeField()


class Publish(Verb):
    """Publishing the draft."""

    note = fields.Text(required=False, max_length=2000, allow_blank=True, default="")
    despite_failing_cases = fields.Flag(
        required=False, default=False, help_text="Publish it although test cases fail."
    )
    revision = fields.Whole(
        required=False, min_value=1, help_text="The draft's revision that you saw: 412 if it has changed."
    )


class WithdrawVersion(Verb):
    """Withdrawing or restoring a version."""

    reason = fields.Text(
        max_length=2000, help_text="Why you do this; shown with the version, kept in the log."
    )


class WorkflowListQuery(PageQuery):
    """Which workflows."""

    q = serializers.CharField(required=False, max_length=200, help_text="Part of the name or title.")
    archived = serializers.BooleanField(required=False, default=False)


class ExportQuery(Query):
    """Which version, or the draft, and how it is written."""

    version = fields.Digits(required=False, min_value=1, max_value=2**31 - 1)
    draft = serializers.BooleanField(required=False, default=False)
    dialect = serializers.CharField(required=False, max_length=40)
    format = serializers.ChoiceField(EXPORTS, required=False, default="json")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs.get("draft") and "version" in attrs:
            raise serializers.ValidationError({"draft": "Ask for a version or for the draft."})
        if attrs["format"] == "python" and attrs.get("dialect", "native") != "native":
            raise serializers.ValidationError({"dialect": "Python says what Handoff's own dialect says."})
        return attrs


SEVERITIES = ("error", "warning")


class FixSerializer(serializers.Serializer[Any]):
    """A one-click fix: changes to the draft, as `PATCH …/draft` takes them in a group."""

    title = serializers.CharField()
    changes = serializers.ListField(child=fields.JsonObject())


class ProblemSerializer(serializers.Serializer[Any]):
    """One finding of `validate`."""

    code = serializers.CharField()
    severity = serializers.ChoiceField(SEVERITIES)
    node = serializers.CharField(allow_null=True)
    field = serializers.CharField()
    pointer = serializers.CharField(help_text="The field as a JSON pointer (RFC 6901).")
    message = serializers.CharField()
    fix = FixSerializer(allow_null=True, help_text="The safe fix, if there is one.")


class ProblemsSerializer(serializers.Serializer[Any]):
    """All findings."""

    problems = ProblemSerializer(many=True)


class ReadTextSerializer(ProblemsSerializer):
    """The definition in a text; `definition` is null if it can't be translated."""

    definition = fields.JsonObject(allow_null=True)
    dialect = serializers.CharField(allow_null=True)
    format = serializers.ChoiceField(FORMATS)


class WorkflowSerializer(serializers.Serializer[Any]):
    """A workflow; `version` is the one published last."""

    name = serializers.CharField()
    title = serializers.CharField()
    description = serializers.CharField()
    folder = serializers.CharField(source="folder.name")
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


class ChangedDraftSerializer(ProblemsSerializer):
    """What became of the groups; `definition` and `layout` only if the draft differs from the sender's."""

    revision = serializers.IntegerField()
    applied = serializers.ListField(child=serializers.UUIDField())
    conflicts = ConflictSerializer(many=True)
    definition = fields.JsonObject(required=False)
    layout = fields.JsonObject(required=False)


class WithdrawalSerializer(serializers.Serializer[Any]):
    """Why no new runs are started with a version."""

    reason = serializers.CharField()
    by = serializers.CharField(source="by.username")
    at = serializers.DateTimeField()


class VersionSummarySerializer(serializers.Serializer[Any]):
    """A published version without its definition; `withdrawn` is null where new runs may take it."""

    workflow = serializers.CharField(source="workflow.name")
    version = serializers.IntegerField(source="number")
    content_hash = serializers.CharField()
    note = serializers.CharField()
    published_at = serializers.DateTimeField()
    published_by = serializers.CharField(source="published_by.username")
    published_by_name = serializers.CharField(source="published_by.name")
    withdrawn = WithdrawalSerializer(allow_null=True)


class ListedVersionSerializer(VersionSummarySerializer):
    """A published version in the list."""

    open_runs = serializers.IntegerField(
        help_text="How many open runs use it; 10,000 of a workflow are counted."
    )


class Side(fields.Text):
    """The number of a version, or `draft`."""

    default_error_messages = {"side": "This must be the number of a version, or draft."}

    def to_internal_value(self, data: Any) -> Any:
        text = super().to_internal_value(data)
        if text == "draft":
            return text
        if not re.fullmatch("[1-9][0-9]{0,8}", text):
            self.fail("side")
        return int(text)


class DiffQuery(Query):
    """Which two."""

    to = Side(required=False, default="draft", help_text="A version's number, or draft.")

    def get_fields(self) -> dict[str, Any]:
        return {"from": Side(help_text="A version's number, or draft."), **super().get_fields()}


class FieldDifferenceSerializer(serializers.Serializer[Any]):
    """One field that differs; an empty `field` is the whole step or connection."""

    where = serializers.ChoiceField(["nodes", "edges", "settings"])
    node = serializers.CharField(allow_null=True)
    field = serializers.CharField(allow_blank=True)
    kind = serializers.ChoiceField(DIFFERENCE_KINDS)
    to = fields.JsonValue(required=False)

    def get_fields(self) -> dict[str, Any]:
        return {**super().get_fields(), "from": fields.JsonValue(required=False)}


class DiffSerializer(serializers.Serializer[Any]):
    """What is different."""

    changes = ChangeOfDraft(many=True)
    summary = fields.JsonObject()

    def get_fields(self) -> dict[str, Any]:
        return {**super().get_fields(), "fields": FieldDifferenceSerializer(many=True)}


class VersionSerializer(VersionSummarySerializer):
    """A published version."""

    definition = fields.JsonObject()
    layout = fields.JsonObject()


class MendChoiceSerializer(serializers.Serializer[Any]):
    """One way to mend a finding by a request."""

    title = serializers.CharField()
    body = fields.JsonObject()


class MendSerializer(serializers.Serializer[Any]):
    """What mends a finding."""

    kind = serializers.ChoiceField(
        ["fix", "field", "page", "request"],
        help_text="`fix`: apply the finding's fix. `field`: change its field. `page`: open `path`. `request`: send the "
        "body of one of `choices` to `path` with `method`.",
    )
    title = serializers.CharField()
    path = serializers.CharField(allow_null=True)
    method = serializers.CharField(allow_null=True)
    choices = MendChoiceSerializer(many=True)
    after_publish = serializers.BooleanField(help_text="Whether it works only once the draft is published.")
    allowed = serializers.BooleanField(help_text="Whether you may do it.")
    people = serializers.ListField(
        child=serializers.CharField(), help_text="Usernames of some who may, if you may not."
    )


class FindingSerializer(ProblemSerializer):
    """One finding of the check before publishing; an `error` blocks publishing."""

    validates = serializers.BooleanField(help_text="Whether `validate` reports it, too.")
    mend = MendSerializer()


class ReadinessSerializer(serializers.Serializer[Any]):
    """The check before publishing."""

    revision = serializers.IntegerField(help_text="The revision of the draft that was checked.")
    version = serializers.IntegerField(help_text="The version that the draft is, or will be.")
    ready = serializers.BooleanField(source="is_ready", help_text="Whether nothing blocks publishing.")
    findings = FindingSerializer(many=True)


class PublishedSerializer(VersionSummarySerializer):
    """The result of publishing, with the warnings."""

    problems = ProblemSerializer(many=True)
    readiness = ReadinessSerializer()
