"""What people set for themselves: of which tasks they get mail, and where; their password."""

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from accounts import audit
from accounts.models import MAILS, User
from accounts.principal import Principal
from accounts.services import WrongPassword, check_login, set_password
from lib.refusals import Invalid

LONGEST_ADDRESS = 254
# As long as one that signs a decision over REST.
LONGEST_PASSWORD = 1_000


def notifications_of(principal: Principal) -> dict[str, str]:
    """Of which tasks they get mail (`mail`), and the address (`email`), which may be empty."""
    user = User.objects.only("mail", "email").get(pk=principal.user_id)
    return {"mail": user.mail, "email": user.email}


def change_notifications(
    principal: Principal, *, mail: str | None = None, email: str | None = None, reason: str | None = None
) -> dict[str, str]:
    """Set what is given, for themselves alone. Raises Invalid."""
    values: dict[str, str] = {}
    if mail is not None:
        values["mail"] = _known(mail)
    if email is not None:
        values["email"] = _address(email)
    if values:
        User.objects.filter(pk=principal.user_id).update(**values)
        audit.record(principal, "change notifications", f"user {principal.username}", reason=reason)
    return notifications_of(principal)


def change_password(principal: Principal, *, old: str, new: str, revoke_tokens: bool = False) -> User:
    """Give themselves another password; every session ends, as does that of whoever asks, who goes on by a new one.

    With `revoke_tokens` every API token that acts for them ends, too, in every tenant.

    Raises Invalid at `old` where that is not theirs, at `new` for one that is too weak, and TooMany after many guesses.
    """
    try:
        # The guesses are counted, as at the login.
        user = check_login(username=principal.username, password=old, place=f"password {principal.user_id}")
    except WrongPassword:
        raise Invalid("This is not your password.", code="wrong_password", field="old") from None
    if new == old:
        raise Invalid("This is the password that you have.", code="same_password", field="new")
    if len(new) > LONGEST_PASSWORD:
        message = f"A password has at most {LONGEST_PASSWORD:,} characters."
        raise Invalid(message, code="max_length", field="new")
    try:
        validate_password(new, user)
    except ValidationError as weak:
        raise Invalid(" ".join(weak.messages), code="weak_password", field="new") from None
    revoked = set_password(user, new, revoke_tokens=revoke_tokens)
    if revoke_tokens:
        audit.record(principal, f"revoke {revoked} tokens", f"user {principal.username}")
    audit.record(principal, "change password", f"user {principal.username}", reason=None)
    return user


def _known(mail: str) -> str:
    if mail not in MAILS:
        raise Invalid(f"Choose one of {', '.join(MAILS)}.", field="mail")
    return mail


def _address(email: str) -> str:
    address = email.strip()
    try:
        if address:
            validate_email(address)
    except ValidationError:
        raise Invalid("This is no e-mail address.", field="email") from None
    if len(address) > LONGEST_ADDRESS:
        raise Invalid("This is too long for an e-mail address.", field="email")
    return address
