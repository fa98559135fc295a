"""The bodies and answers of members, groups and folders."""

from rest_framework import serializers

from accounts.limits import FOLDER_GRANTS, GROUP_MEMBERS
from accounts.models import DENSITIES, MAILS
from accounts.roles import MEMBER_ROLES, VERBS
from lib.api import fields
from lib.api.serializers import PageQuery, Query, StrictSerializer, Verb
from lib.locales import LOCALES


def _members() -> fields.Items:
    return fields.Items(
        child=fields.Text(max_length=150),
        max_length=GROUP_MEMBERS,
        required=False,
        help_text="The usernames of its members.",
    )


class CreateGroup(Verb):
    """A new group."""

    name = fields.Text(max_length=150, help_text="Its name; case makes no difference.")
    members = _members()


class ChangeGroup(Verb):
    """What changes; fields left out stay."""

    name = fields.Text(required=False, max_length=150)
    members = _members()


class FolderListQuery(PageQuery):
    """Folders take no filters."""


class GroupListQuery(PageQuery):
    """Groups take no filters."""


class GroupGrantSerializer(serializers.Serializer[object]):
    """What a folder lets the members of a group do."""

    folder = serializers.CharField()
    may = serializers.ListField(child=serializers.ChoiceField(VERBS))


class GroupSerializer(serializers.Serializer[object]):
    """A group."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    members = serializers.ListField(
        child=serializers.CharField(), help_text="The usernames of its active members."
    )
    granted = GroupGrantSerializer(
        many=True, required=False, help_text="What folders grant it, deleted with it; for `members:manage`."
    )
    created_at = serializers.DateTimeField()


class GrantSerializer(StrictSerializer):
    """What a folder lets a role, or a group, do with its workflows."""

    role = fields.Text(required=False, max_length=16, help_text="viewer, author, operator or approver.")
    group = fields.Text(required=False, max_length=150, help_text="The name of a group, in place of a role.")
    may = fields.Items(
        child=fields.OneOf(choices=VERBS),
        max_length=len(VERBS),
        help_text="Whoever may edit, publish or operate may also read.",
    )


def _grants() -> fields.Items:
    return fields.Items(
        child=GrantSerializer(),
        max_length=FOLDER_GRANTS,
        required=False,
        help_text="All of its grants; anybody not named may do nothing there. Admins may do everything.",
    )


class CreateFolder(Verb):
    """A new folder."""

    name = fields.Text(max_length=150, help_text="Its name; case makes no difference.")
    grants = _grants()


class ChangeFolder(Verb):
    """What changes; fields left out stay."""

    name = fields.Text(required=False, max_length=150)
    grants = _grants()
    grant = GrantSerializer(required=False, help_text="One grant that is added to those that it has.")


class FolderSerializer(serializers.Serializer[object]):
    """A folder of workflows."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    default = serializers.BooleanField(help_text="Whether it takes the workflows that name no folder.")
    grants = GrantSerializer(many=True)
    created_at = serializers.DateTimeField()


class CreateMember(Verb):
    """A new member."""

    username = fields.Text(max_length=150, help_text="A new user's, or that of a user of another tenant.")
    role = fields.OneOf(choices=MEMBER_ROLES)
    name = fields.Text(
        required=False,
        allow_blank=True,
        max_length=200,
        help_text="The name shown to others, for a new user.",
    )
    email = fields.Text(required=False, allow_blank=True, max_length=254)
    manager = fields.Text(required=False, allow_blank=True, max_length=150, help_text="A member's username.")


class ChangeMember(Verb):
    """What changes; fields left out stay."""

    role = fields.OneOf(required=False, choices=MEMBER_ROLES)
    name = fields.Text(required=False, allow_blank=True, max_length=200)
    email = fields.Text(required=False, allow_blank=True, max_length=254)
    manager = fields.Text(
        required=False, allow_blank=True, max_length=150, help_text="A member's username; empty: nobody."
    )
    active = fields.Flag(required=False, help_text="Whether they may log in.")


class SetPasswordLink(Verb):
    """Sends a link to set a password."""

    hand_over = fields.Flag(required=False, help_text="Return the link if they can't be reached by mail.")


class SetPasswordLinkSerializer(serializers.Serializer[object]):
    """What became of it."""

    mailed = serializers.BooleanField()
    link = serializers.CharField(allow_null=True, help_text="To hand over; shown only here.")


class SessionsSerializer(serializers.Serializer[object]):
    """Where a member is logged in."""

    sessions = serializers.IntegerField(help_text="How many, up to 100.")
    last_seen_at = serializers.DateTimeField(allow_null=True)


class MemberListQuery(PageQuery):
    """The filters of members."""

    q = serializers.CharField(
        required=False,
        max_length=150,
        help_text="In the username or the name; for who manages members also in the e-mail.",
    )
    active = serializers.BooleanField(required=False, help_text="false: those who are deactivated.")


class MemberSerializer(serializers.Serializer[object]):
    """A member."""

    username = serializers.CharField()
    name = serializers.CharField()
    email = serializers.CharField(
        allow_null=True, help_text="Empty if there is none; null unless you may manage members."
    )
    role = serializers.ChoiceField(choices=MEMBER_ROLES)
    active = serializers.BooleanField(help_text="Whether they may log in.")
    manager = serializers.CharField(allow_null=True)
    groups = serializers.ListField(child=serializers.CharField())
    created_at = serializers.DateTimeField()


class NewMemberSerializer(MemberSerializer):
    """A new member."""

    password = serializers.CharField(allow_null=True, help_text="A new user's; shown only here.")
    invited = serializers.BooleanField(help_text="Whether they are mailed a link to set a password.")


class MemberImpactQuery(Query):
    """The change: another role, or other groups; neither: the member leaves."""

    role = serializers.ChoiceField(MEMBER_ROLES, required=False)
    groups = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=10_000,
        help_text="Ids, separated by commas; none: in no group.",
    )

    def validate_groups(self, value: str) -> list[int]:
        """The ids."""
        ids = [one.strip() for one in value.split(",") if one.strip()]
        if not all(one.isascii() and one.isdigit() and len(one) < 19 for one in ids):
            raise serializers.ValidationError("These must be ids, separated by commas.")
        return [int(one) for one in ids]


class GroupImpactQuery(Query):
    """The change: other members; none: the group is deleted."""

    members = serializers.CharField(
        required=False, allow_blank=True, max_length=200_000, help_text="Usernames, separated by commas."
    )

    def validate_members(self, value: str) -> list[str]:
        """The usernames."""
        return [one.strip() for one in value.split(",") if one.strip()]


class StuckTaskSerializer(serializers.Serializer[object]):
    """An open task that nobody could decide."""

    id = serializers.UUIDField()
    title = serializers.CharField()


class ImpactSerializer(serializers.Serializer[object]):
    """What a change would leave undecidable, the oldest first."""

    count = serializers.IntegerField()
    undecidable = StuckTaskSerializer(many=True, help_text="For who may read tasks.")
    complete = serializers.BooleanField(help_text="Whether all open tasks that it touches were looked at.")


class ChangeMe(Verb):
    """What changes; fields left out stay."""

    name = fields.Text(
        required=False, allow_blank=True, max_length=200, help_text="The name shown to others."
    )
    time_zone = fields.Text(
        required=False,
        allow_blank=True,
        max_length=64,
        help_text="The IANA name of a time zone, such as `Europe/Berlin`; empty: that of the browser.",
    )
    locale = fields.OneOf(
        choices=("", *LOCALES),
        required=False,
        help_text="How dates and numbers are written on pages; empty: as the browser says.",
    )
    density = fields.OneOf(choices=DENSITIES, required=False, help_text="How dense lists are.")


class MeSerializer(serializers.Serializer[object]):
    """The caller."""

    username = serializers.CharField()
    name = serializers.CharField(help_text="Empty if they have none.")
    time_zone = serializers.CharField(help_text="Empty: that of the browser.")
    locale = serializers.CharField(help_text="Empty: as the browser says.")
    density = serializers.ChoiceField(choices=DENSITIES)


class ChangeNotifications(Verb):
    """What changes; fields left out stay."""

    mail = fields.OneOf(
        choices=MAILS,
        required=False,
        help_text="Mail about everything, about what is `assigned` to you, or about nothing.",
    )
    email = fields.Text(
        required=False, allow_blank=True, max_length=254, help_text="Where to; empty: nowhere."
    )
    digest_hour = fields.Whole(
        required=False,
        allow_null=True,
        min_value=0,
        max_value=23,
        help_text="The hour of your day at which you get the daily digest; null: never.",
    )


class NotificationsSerializer(serializers.Serializer[object]):
    """Which tasks somebody gets mail about, and where."""

    mail = serializers.ChoiceField(choices=MAILS)
    email = serializers.CharField(help_text="Empty if there is none: no mail is sent then.")
    digest_hour = serializers.IntegerField(
        allow_null=True, help_text="The hour of their day at which they get the daily digest; null: never."
    )
