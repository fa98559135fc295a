"""The bodies and answers of members and groups."""

from rest_framework import serializers

from accounts.models import MAILS
from accounts.roles import MEMBER_ROLES
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


class CreateMember(Verb):
    """A new member."""

    username = fields.Text(max_length=150, help_text="Of a new user, or of one whom another tenant has.")
    role = fields.OneOf(choices=MEMBER_ROLES)
    name = fields.Text(
        required=False, allow_blank=True, max_length=200, help_text="As it is printed; of a new user."
    )
    email = fields.Text(required=False, allow_blank=True, max_length=254)
    manager = fields.Text(required=False, allow_blank=True, max_length=150, help_text="A member's username.")


class ChangeMember(Verb):
    """What changes: whatever is given."""

    role = fields.OneOf(required=False, choices=MEMBER_ROLES)
    name = fields.Text(required=False, allow_blank=True, max_length=200)
    email = fields.Text(required=False, allow_blank=True, max_length=254)
    manager = fields.Text(
        required=False, allow_blank=True, max_length=150, help_text="A member's username; empty: nobody."
    )


class MemberListQuery(PageQuery):
    """The filters of members."""

    q = serializers.CharField(
        required=False, max_length=150, help_text="In the username, the name or the e-mail."
    )


class MemberSerializer(serializers.Serializer[object]):
    """A member."""

    username = serializers.CharField()
    name = serializers.CharField()
    email = serializers.CharField()
    role = serializers.ChoiceField(choices=MEMBER_ROLES)
    manager = serializers.CharField(allow_null=True)
    groups = serializers.ListField(child=serializers.CharField())
    created_at = serializers.DateTimeField()


class NewMemberSerializer(MemberSerializer):
    """A member who was just added."""

    password = serializers.CharField(allow_null=True, help_text="Of a new user; shown only here.")


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
