"""What the routes of who is here and of comments on steps take and give."""

from typing import Any

from rest_framework import serializers

from lib.api import fields
from lib.api.serializers import PageQuery, Query, StrictSerializer, Verb
from workflows.limits import COMMENT_CHARACTERS, PATH_KEY_CHARACTERS
from workflows.models import StepComment


class Stay(StrictSerializer):
    """A tab in which the draft is open."""

    tab = serializers.RegexField(
        r"\A[A-Za-z0-9-]{8,40}\Z", help_text="What distinguishes it from other tabs."
    )
    step = fields.Text(
        required=False, allow_null=True, max_length=PATH_KEY_CHARACTERS, help_text="What is selected."
    )
    left = fields.Flag(required=False, help_text="It is being closed.")


class PersonSerializer(serializers.Serializer[Any]):
    """A person as pages show them."""

    username = serializers.CharField()
    name = serializers.CharField(allow_blank=True)


class HereSerializer(PersonSerializer):
    """Somebody who has the draft open."""

    may_edit = serializers.BooleanField(help_text="False: they read.")
    steps = serializers.ListField(child=serializers.CharField(), help_text="What they have selected.")


class PresenceSerializer(serializers.Serializer[Any]):
    """Who else is here, and whether there is anything new."""

    revision = serializers.IntegerField()
    comments = serializers.IntegerField(help_text="Increases with every change to the comments.")
    people = HereSerializer(many=True)


class ReadersQuery(Query):
    """Whom to mention."""

    q = serializers.CharField(required=False, allow_blank=True, max_length=150, help_text="Part of a name.")


class ReadersSerializer(serializers.Serializer[Any]):
    """Who may read a workflow."""

    results = PersonSerializer(many=True)


class CommentsQuery(PageQuery):
    """Which comments."""

    step = serializers.CharField(required=False, max_length=PATH_KEY_CHARACTERS)
    resolved = serializers.BooleanField(required=False, allow_null=True, default=None)


class WriteComment(Verb):
    """A comment on a step."""

    step = fields.Text(max_length=PATH_KEY_CHARACTERS, help_text="The id of a step of the draft.")
    text = fields.Text(
        max_length=COMMENT_CHARACTERS, help_text="Plain text; `@username` mentions who may read it."
    )


class StepCommentSerializer(serializers.ModelSerializer[StepComment]):
    """A comment; `thread` is the same for comments that are resolved together."""

    thread = serializers.IntegerField(source="thread_id")
    step = serializers.CharField(source="thread.node")
    by = serializers.CharField(source="by.username")
    by_name = serializers.CharField(source="by.name")
    resolved_at = serializers.DateTimeField(source="thread.resolved_at", allow_null=True)
    resolved_by = serializers.CharField(source="thread.resolved_by.username", allow_null=True, default=None)
    resolved_by_name = serializers.CharField(source="thread.resolved_by.name", allow_null=True, default=None)

    class Meta:
        model = StepComment
        fields = (
            "id",
            "thread",
            "step",
            "text",
            "by",
            "by_name",
            "at",
            "resolved_at",
            "resolved_by",
            "resolved_by_name",
        )
