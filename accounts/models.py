"""Who there is: users, tenants, who belongs where, groups, API tokens, keys of secrets; sessions and failed logins;
kept answers; mails about accounts. Those of the audit log are in `audit_rows`.
"""

from typing import ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.contrib.postgres.fields import ArrayField
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.db.models.functions import Lower, Now

from accounts.audit_rows import AuditHead as AuditHead
from accounts.audit_rows import AuditLink as AuditLink
from accounts.audit_rows import AuditPending as AuditPending
from accounts.audit_rows import AuditRecord as AuditRecord
from accounts.limits import IDEMPOTENCY_KEY_CHARACTERS
from accounts.roles import MEMBER_ROLES, TOKEN_ROLES, VERBS
from accounts.scoping import TenantOwned

EVERYTHING = "everything"
MINE = "assigned"
NOTHING = "nothing"
MAILS = (EVERYTHING, MINE, NOTHING)

FORGOTTEN = "forgotten"
INVITED = "invited"
SENT = "sent"
MOVED = "moved"
DIGEST = "digest"
MENTIONED = "mentioned"
"""A mail of the same outbox about what somebody wrote, which the app that wrote it knows by the mail's id."""
WEBHOOK_OFF = "webhook_off"
TOKEN_ENDS = "token_ends"
"""A mail to admins; `by` is what the webhook is called that was switched off."""
KINDS_OF_MAIL = (FORGOTTEN, INVITED, SENT, MOVED, DIGEST, MENTIONED, WEBHOOK_OFF, TOKEN_ENDS)

COMFORTABLE = "comfortable"
COMPACT = "compact"
DENSITIES = (COMFORTABLE, COMPACT)


class UserManager(BaseUserManager["User"]):
    """Makes users."""

    def create_user(self, username: str, password: str | None = None, **fields: object) -> "User":
        """A user with this password; without one nobody can log in as them."""
        user = self.model(username=self.model.normalize_username(username), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user


class User(AbstractBaseUser):
    """A person; what they may do is said by their memberships."""

    username = models.CharField(max_length=150, unique=True, validators=[UnicodeUsernameValidator()])
    name = models.CharField(max_length=200, blank=True)
    email = models.EmailField(blank=True)
    mail = models.CharField(
        max_length=16,
        choices=[(each, each) for each in MAILS],
        db_default=EVERYTHING,
        help_text="Of which tasks they get mail",
    )
    time_zone = models.CharField(
        max_length=64, blank=True, db_default="", help_text="The name of one; empty: that of the browser"
    )
    locale = models.CharField(
        max_length=16,
        blank=True,
        db_default="",
        help_text="How dates and numbers are written (lib/locales.py); empty: as the browser says",
    )
    density = models.CharField(
        max_length=16,
        choices=[(each, each) for each in DENSITIES],
        db_default=COMFORTABLE,
        help_text="How much of a list stands on one screen",
    )
    digest_hour = models.SmallIntegerField(
        null=True,
        blank=True,
        help_text="At which hour of their day they get the mail of the day; null: they want none",
    )
    digest_day = models.DateField(null=True, blank=True, help_text="Their day of which the mail was written")
    is_active = models.BooleanField(default=True)
    is_service = models.BooleanField(
        db_default=False, help_text="It is no person: no login and no seat, only tokens act in its name"
    )
    created_at = models.DateTimeField(db_default=Now())
    home = models.ForeignKey(
        "Tenant",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="The tenant that made it",
    )

    USERNAME_FIELD = "username"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    objects = UserManager()

    class Meta:
        constraints = (
            models.UniqueConstraint(Lower("username"), name="user_username_unique_without_case"),
            models.CheckConstraint(
                condition=models.Q(digest_hour=None) | models.Q(digest_hour__range=(0, 23)),
                name="user_digest_hour_of_a_day",
            ),
        )
        indexes = (
            models.Index(
                fields=["time_zone", "digest_hour"],
                name="user_digest",
                condition=models.Q(digest_hour__isnull=False),
            ),
        )

    def __str__(self) -> str:
        return self.username


class Tenant(models.Model):
    """Who owns workflows, runs, tasks and quotas."""

    slug = models.SlugField(max_length=64, unique=True)
    name = models.CharField(max_length=200)
    created_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return self.slug


class Membership(TenantOwned):
    """A user's one role in a tenant."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    role = models.CharField(max_length=16, choices=[(role, role) for role in MEMBER_ROLES])
    manager = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(db_default=Now())

    class Meta(TenantOwned.Meta):
        constraints = (
            models.UniqueConstraint(fields=["tenant", "user"], name="membership_one_role"),
            models.CheckConstraint(condition=models.Q(role__in=MEMBER_ROLES), name="membership_known_role"),
        )


class Group(TenantOwned):
    """Members of a tenant under one name, such as Finance; `key` is the name without its case (`names.key_of`)."""

    name = models.CharField(max_length=150)
    key = models.CharField(max_length=150)
    created_at = models.DateTimeField(db_default=Now())
    members = models.ManyToManyField(Membership, through="GroupMember", related_name="+")

    class Meta(TenantOwned.Meta):
        constraints = (models.UniqueConstraint(fields=["tenant", "key"], name="group_key_once"),)

    def __str__(self) -> str:
        return self.name


class GroupMember(TenantOwned):
    """A member in a group; who leaves the tenant leaves its groups."""

    group = models.ForeignKey(Group, on_delete=models.CASCADE, related_name="+")
    membership = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="+")

    class Meta(TenantOwned.Meta):
        constraints = (models.UniqueConstraint(fields=["group", "membership"], name="group_member_once"),)


class Folder(TenantOwned):
    """Workflows that the same people may read, start, edit, publish and operate; `key` is the name without its case.

    Of each tenant one `is_default`: what is made without naming a folder lies there.
    """

    name = models.CharField(max_length=150)
    key = models.CharField(max_length=150)
    is_default = models.BooleanField(default=False)
    created_at = models.DateTimeField(db_default=Now())

    class Meta(TenantOwned.Meta):
        constraints = (
            models.UniqueConstraint(fields=["tenant", "key"], name="folder_key_once"),
            models.UniqueConstraint(
                fields=["tenant"], condition=models.Q(is_default=True), name="folder_one_default"
            ),
        )

    def __str__(self) -> str:
        return self.name


class FolderGrant(TenantOwned):
    """What a folder lets the members of a role, or of a group, do with its workflows."""

    folder = models.ForeignKey(Folder, on_delete=models.CASCADE, related_name="grants")
    role = models.CharField(max_length=16, blank=True, choices=[(role, role) for role in MEMBER_ROLES])
    group = models.ForeignKey(Group, null=True, on_delete=models.CASCADE, related_name="+")
    verbs = ArrayField(models.CharField(max_length=16))

    class Meta(TenantOwned.Meta):
        constraints = (
            models.UniqueConstraint(
                fields=["folder", "role"], condition=~models.Q(role=""), name="foldergrant_role_once"
            ),
            models.UniqueConstraint(fields=["folder", "group"], name="foldergrant_group_once"),
            models.CheckConstraint(
                condition=models.Q(role="", group__isnull=False)
                | models.Q(role__in=MEMBER_ROLES, group__isnull=True),
                name="foldergrant_to_role_or_group",
            ),
            models.CheckConstraint(
                condition=models.Q(verbs__contained_by=list(VERBS), verbs__len__gt=0),
                name="foldergrant_known_verbs",
            ),
        )


class ApiToken(TenantOwned):
    """What a program shows instead of a password; only its SHA-256 is kept.

    It acts in the name of its user and never beyond that user's role of the moment. One that was made with another
    one ends with that: who got hold of a token can't make themselves one that outlives it.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    made_with = models.ForeignKey(
        "self", null=True, on_delete=models.CASCADE, related_name="+", help_text="The token it ends with"
    )
    name = models.CharField(max_length=200, blank=True)
    public_id = models.CharField(max_length=16, unique=True)
    prefix = models.CharField(max_length=40)
    secret_sha256 = models.BinaryField(max_length=32)
    role = models.CharField(max_length=16, choices=[(role, role) for role in TOKEN_ROLES])
    scopes = ArrayField(
        models.CharField(max_length=40), null=True, help_text="Fewer than the role's; null: all"
    )
    allowed_ips = ArrayField(
        models.CharField(max_length=43),
        null=True,
        help_text="Networks from where alone it opens anything; null: from everywhere",
    )
    queues = ArrayField(
        models.CharField(max_length=129),
        null=True,
        help_text="Whose jobs alone it takes; a name that ends in * stands for all that begin so; null: every queue's",
    )
    folders = ArrayField(
        models.BigIntegerField(),
        null=True,
        help_text="The ids of the folders in which alone it reaches anything; null: all that its user reaches",
    )
    created_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField(null=True)
    warned_days = models.SmallIntegerField(
        null=True, help_text="Its user was told so many days ahead that it ends; null: not yet"
    )
    revoked_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)

    class Meta(TenantOwned.Meta):
        constraints = (
            models.CheckConstraint(condition=models.Q(role__in=TOKEN_ROLES), name="apitoken_known_role"),
        )


class KeptAnswer(TenantOwned):
    """What was answered to a POST with this `Idempotency-Key` of a user, sealed; `digest` is of what was asked.

    Written by `accounts.idempotency` alone.
    """

    id = models.UUIDField(primary_key=True)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=IDEMPOTENCY_KEY_CHARACTERS)
    digest = models.BinaryField(max_length=32)
    answer = models.BinaryField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta(TenantOwned.Meta):
        constraints = (models.UniqueConstraint(fields=["tenant", "user", "key"], name="keptanswer_once"),)
        indexes = (models.Index(fields=["created_at"], name="keptanswer_by_age"),)


class TenantKey(TenantOwned):
    """The key of a tenant's secrets, wrapped by the master key; the highest number seals, all of them open."""

    number = models.IntegerField()
    wrapped = models.BinaryField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta(TenantOwned.Meta):
        constraints = (models.UniqueConstraint(fields=["tenant", "number"], name="tenantkey_once"),)


class LoginAttempt(models.Model):
    """A login that failed, or is being checked right now; `address` is the place of `accounts.throttle`."""

    username = models.CharField(max_length=150)
    address = models.CharField(max_length=64)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = (
            models.Index(fields=["address", "at"], name="loginattempt_recent"),
            models.Index(fields=["username", "at"], name="loginattempt_of_name"),
        )


class Session(AbstractBaseSession):
    """A session of the browser, with whose it is, so that they can be counted and ended."""

    user = models.ForeignKey(User, null=True, on_delete=models.CASCADE, related_name="+")

    class Meta(AbstractBaseSession.Meta):
        abstract = False


class AccountMail(TenantOwned):
    """A mail to somebody about their account, written with its cause and sent by a tick (`tasks_inbox.duties`).

    What it says is found when it is sent; so a link to set a password is in the mail and nowhere else. `to` is an
    address other than the user's own, `by` who caused it. `next_at` is when it is tried; null: never again, and without
    `sent_at` the `error` says why.
    """

    id = models.UUIDField(primary_key=True)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=16, choices=[(kind, kind) for kind in KINDS_OF_MAIL])
    to = models.EmailField(blank=True, db_default="")
    by = models.CharField(max_length=150, blank=True, db_default="")
    created_at = models.DateTimeField(db_default=Now())
    next_at = models.DateTimeField(null=True, db_default=Now())
    attempts = models.SmallIntegerField(db_default=0)
    error = models.TextField(db_default="")
    sent_at = models.DateTimeField(null=True)

    class Meta(TenantOwned.Meta):
        indexes = (
            models.Index(
                fields=["next_at", "id"], name="accountmail_due", condition=models.Q(next_at__isnull=False)
            ),
            models.Index(
                fields=["created_at"], name="accountmail_done", condition=models.Q(next_at__isnull=True)
            ),
        )
