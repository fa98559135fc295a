"""The bodies and answers of API tokens."""

from rest_framework import serializers

from accounts.limits import QUEUE_CHARACTERS, TOKEN_FOLDERS, TOKEN_NETWORKS, TOKEN_QUEUES
from accounts.roles import SCOPES, TOKEN_ROLES
from lib.api import fields
from lib.api.serializers import PageQuery, Verb

TOKEN_STATUSES = ("active", "expired", "revoked")


def _queues() -> fields.Items:
    return fields.Items(
        child=fields.Text(max_length=QUEUE_CHARACTERS + 1),
        min_length=1,
        max_length=TOKEN_QUEUES,
        required=False,
        help_text="The only queues whose jobs it takes; `pay*`: all that begin so; `*`: all.",
    )


def _folders() -> fields.Items:
    return fields.Items(
        child=fields.Text(max_length=150),
        min_length=1,
        max_length=TOKEN_FOLDERS,
        required=False,
        help_text="The names of the only folders whose workflows, runs and jobs it reaches; `*`: all.",
    )


class CreateToken(Verb):
    """A new token."""

    name = fields.Text(max_length=200, help_text="What it is for.")
    role = fields.OneOf(
        choices=TOKEN_ROLES, required=False, help_text="At most your own, which is the default."
    )
    scopes = fields.Items(
        child=fields.OneOf(choices=sorted(SCOPES)),
        max_length=len(SCOPES),
        required=False,
        help_text="Fewer than the role's.",
    )
    days = fields.Whole(
        min_value=1,
        max_value=3650,
        required=False,
        help_text="How long it is valid; default: until it is revoked.",
    )
    service = fields.Flag(
        required=False,
        default=False,
        help_text="It acts for no person, and outlives its creator's membership; needs `tokens:manage`.",
    )
    allowed_ips = fields.Items(
        child=fields.Text(max_length=43),
        max_length=TOKEN_NETWORKS,
        required=False,
        help_text="The only addresses and networks (CIDR) from which it may be used; default: any.",
    )
    queues = _queues()
    folders = _folders()


class ChangeToken(Verb):
    """What changes, from its next call on; fields left out stay."""

    queues = _queues()
    folders = _folders()


class RotateToken(Verb):
    """Replacing a token."""

    overlap_seconds = fields.Whole(
        min_value=0,
        max_value=7 * 86_400,
        required=False,
        default=0,
        help_text="How long the old one stays valid beside the new one.",
    )


class TokenListQuery(PageQuery):
    """The filters of tokens."""

    user = serializers.CharField(required=False, max_length=150, help_text="Whose: a username.")
    revoked = serializers.ChoiceField(
        choices=("true", "false"), required=False, help_text="true: also revoked ones."
    )


class TokenSerializer(serializers.Serializer[object]):
    """A token; its text is not stored."""

    id = serializers.CharField()
    name = serializers.CharField()
    prefix = serializers.CharField(help_text="How its text begins.")
    user = serializers.CharField(help_text="Who it acts for.")
    service = serializers.BooleanField(help_text="Whether that is a service, not a person.")
    role = serializers.ChoiceField(choices=TOKEN_ROLES)
    scopes = serializers.ListField(
        child=serializers.CharField(), allow_null=True, help_text="null: all of the role's."
    )
    allowed_ips = serializers.ListField(
        child=serializers.CharField(), help_text="The only places from which it may be used; none: any."
    )
    takes_jobs = serializers.BooleanField(help_text="Whether it may take jobs at all.")
    queues = serializers.ListField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="As in the request; null: all, without a choice.",
    )
    folders = serializers.ListField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="As in the request; null: all, without a choice.",
    )
    status = serializers.ChoiceField(choices=TOKEN_STATUSES)
    ends_soon = serializers.BooleanField(help_text="It is valid for no more than 14 days.")
    created_at = serializers.DateTimeField()
    last_used_at = serializers.DateTimeField(allow_null=True, help_text="To the minute.")
    expires_at = serializers.DateTimeField(allow_null=True)
    revoked_at = serializers.DateTimeField(allow_null=True)


class NewTokenSerializer(TokenSerializer):
    """A token that was just made."""

    token = serializers.CharField(help_text="Its text; shown only here.")
