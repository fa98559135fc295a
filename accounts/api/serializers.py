"""The bodies and answers of groups."""

from rest_framework import serializers

from accounts.models import MAILS
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


class ChangeNotifications(Verb):
    """What changes: whatever is given."""

    mail = fields.OneOf(
        choices=MAILS,
        required=False,
        help_text="Mail of everything, of what is `assigned` to you, or nothing.",
    )
    email = fields.Text(
        required=False, allow_blank=True, max_length=254, help_text="Where to; empty: nowhere."
    )


class NotificationsSerializer(serializers.Serializer[object]):
    """Of which tasks somebody gets mail, and where."""

    mail = serializers.ChoiceField(choices=MAILS)
    email = serializers.CharField(help_text="Empty where there is none: no mail is sent then.")
