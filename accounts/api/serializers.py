"""The bodies and answers of groups."""

from rest_framework import serializers

from lib.api import fields
from lib.api.serializers import PageQuery, Verb

MOST_MEMBERS = 1_000


def _members() -> fields.Items:
    return fields.Items(
        child=fields.Text(max_length=150),
        max_length=MOST_MEMBERS,
        required=False,
        help_text="The usernames of its members.",
    )


class CreateGroup(Verb):
    """A new group."""

    name = fields.Text(max_length=150, help_text="Its name; case makes no difference.")
    members = _members()


class ChangeGroup(Verb):
    """What changes: whatever is given."""

    name = fields.Text(required=False, max_length=150)
    members = _members()


class GroupListQuery(PageQuery):
    """Groups take no filters."""


class GroupSerializer(serializers.Serializer[object]):
    """A group."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    members = serializers.ListField(child=serializers.CharField())
    created_at = serializers.DateTimeField()
