"""Links by which people set their password: asked for at the login, or sent by an admin (docs/security.md,
"Sessions and logins").

A link names its user and is signed for the password, the last login and the address that they have: whatever of these
changes ends it, so it is good once. Nobody but who it is for sees one that is mailed.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.db import transaction
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.http import base36_to_int, int_to_base36

from accounts import audit, outgoing, ports, queries, services, throttle
from accounts.limits import ADDRESS_USERS, LINK_TOKEN_CHARACTERS
from accounts.members import find
from accounts.models import FORGOTTEN, INVITED, SENT, Membership, User
from accounts.names import key_of
from accounts.principal import Forbidden, Principal
from accounts.roles import ADMIN, MEMBERS_MANAGE
from lib.clock import now_here
from lib.refusals import Conflict, Missing

AN_HOUR, DAYS = timedelta(hours=1), timedelta(days=3)
LIFETIMES = {FORGOTTEN: AN_HOUR, INVITED: DAYS, SENT: DAYS}
"""How long the link of a mail of each kind is good."""
NO_MAIL = "There is no mail server here (HANDOFF_SMTP_URL)."
_BETWEEN = timedelta(minutes=5)
_TOO_MANY = "You have asked for too many links."


class _Links(PasswordResetTokenGenerator):
    """Signs links of one kind; no link of another kind is taken for one."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.key_salt = f"handoff.accounts.passwords.{kind}"
        # Django takes none that is older than PASSWORD_RESET_TIMEOUT, three days.
        self.lifetime = LIFETIMES[kind]

    def check_token(self, user: User | None, token: str | None) -> bool:
        """Whether it is good for this user now."""
        if not super().check_token(user, token):
            return False
        made_at = base36_to_int((token or "").partition("-")[0])
        return self._num_seconds(self._now()) - made_at <= self.lifetime.total_seconds()

    def _now(self) -> datetime:
        return now_here().replace(tzinfo=None)


_LINKS = {kind: _Links(kind) for kind in LIFETIMES}


@dataclass(frozen=True, slots=True)
class MadeLink:
    """A link to hand over, and how long it is good."""

    address: str
    lifetime: timedelta


def written(user: User, kind: str) -> str:
    """The whole address by which this user sets a password."""
    token = f"{kind[0]}.{int_to_base36(user.pk)}.{_LINKS[kind].make_token(user)}"
    return settings.HANDOFF_URL + reverse("password-link", args=[token])


def user_of(token: str) -> User | None:
    """Whose password a link sets; None for one that is none of ours, was used, or is too old. Changes nothing."""
    return _user_of(token, User.objects.all())


def set_by_link(token: str, new: str, *, place: str, revoke_tokens: bool = False) -> User:
    """Set the password that a link lets its user choose; all of their sessions end, tokens where that is wished.

    What was guessed at `place` in their name is forgotten. Raises Missing for a link that is good no more, Invalid at
    `new` for a password that is too weak.
    """
    with transaction.atomic():
        user = _user_of(token, User.objects.select_for_update())
        if user is None:
            raise Missing("This link is no longer valid.")
        services.check_new_password(user, new)
        principal = queries.session_principal(user)
        if principal is None:
            services.set_password(user, new)
        else:
            act = "user.set_password_by_link"
            services.change_own_password(principal, user, new, act, revoke_tokens=revoke_tokens)
    throttle.succeeded(key_of(user.username), place[:64])
    return user


def ask(text: str, *, place: str) -> None:
    """Have a link mailed to whom a username or an address is of, if there is anybody: nobody is told whether there is.

    Raises Conflict where nothing can be mailed, and TooMany where much is asked for.
    """
    if not ports.has_mail():
        raise Conflict(NO_MAIL, code="no_mail")
    text = text.replace("\x00", "").strip()[:254]
    with transaction.atomic():
        throttle.begin(f"forgot {key_of(text)}"[:150], f"forgot {place}"[:64], too_many=_TOO_MANY)
        users = User.objects.filter(Q(username__iexact=text) | Q(email__iexact=text), is_active=True)
        for user in users.exclude(email="").select_for_update().order_by("pk")[:ADDRESS_USERS]:
            _ask_for(user)
    throttle.failed()


def _ask_for(user: User) -> None:
    principal = queries.session_principal(user)
    # Whoever asks again and again fills nobody's mailbox.
    if principal and not outgoing.was_written(principal.tenant_id, user, FORGOTTEN, within=_BETWEEN):
        outgoing.write(principal.tenant_id, user, FORGOTTEN)


@transaction.atomic
def send_link(principal: Principal, username: str, *, reason: str | None = None) -> None:
    """Have a member mailed a link to set their password, to the address that they have.

    Raises Missing, and Conflict where nothing can be mailed to them.
    """
    member = _member(principal, username)
    if why := why_not_mailed(member):
        raise Conflict(why, code="no_mail")
    kind = SENT if member.user.last_login else INVITED
    outgoing.write(principal.tenant_id, member.user, kind, by=principal.username)
    audit.change(principal, "member.send_password_link", member.user.username, reason=reason)


@transaction.atomic
def make_link(principal: Principal, username: str, *, reason: str | None = None) -> MadeLink:
    """A link to hand over to a member whom no mail reaches.

    Raises Missing, Conflict where a mail does it, and Forbidden where it would open to who asks more than is theirs:
    the login of an admin, or of a member of another tenant.
    """
    member = _member(principal, username)
    if why_not_mailed(member) is None:
        raise Conflict("They can get mail: send the link instead.", code="has_mail")
    if why := why_not_handed(principal, member):
        raise Forbidden(why)
    audit.change(principal, "member.make_password_link", member.user.username, reason=reason)
    kind = SENT if member.user.last_login else INVITED
    return MadeLink(written(member.user, kind), LIFETIMES[kind])


def why_not_mailed(member: Membership) -> str | None:
    """Why a member can't be mailed a link; None where they can."""
    if not ports.has_mail():
        return NO_MAIL
    return None if member.user.email else f"{member.user.username} has no e-mail address."


def why_not_handed(principal: Principal, member: Membership) -> str | None:
    """Why who asks is not shown a link to hand over to a member; None where they are."""
    name = member.user.username
    if member.user_id == principal.user_id:
        return "Change your own password in your settings."
    if member.role == ADMIN:
        return f"{name} is an admin, whose password nobody else sets: on the server there is manage.py password_link."
    if queries.is_elsewhere(member):
        return f"{name} is a member of another tenant, too: nobody here sets their password."
    return None


def _member(principal: Principal, username: str) -> Membership:
    principal.require(MEMBERS_MANAGE)
    return find(principal.tenant_id, username)


def _user_of(token: str, users: QuerySet[User]) -> User | None:
    letter, _, rest = token[:LINK_TOKEN_CHARACTERS].partition(".")
    number, _, signed = rest.partition(".")
    kind = next((kind for kind in LIFETIMES if kind[0] == letter), None)
    try:
        user = users.filter(pk=base36_to_int(number), is_active=True).first()
    except ValueError:
        return None
    return user if kind and _LINKS[kind].check_token(user, signed) else None
