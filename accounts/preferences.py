"""What people set for themselves: of which tasks they get mail, and where."""

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from accounts import audit
from accounts.models import MAILS, User
from accounts.principal import Principal
from lib.refusals import Invalid

LONGEST_ADDRESS = 254


def notifications_of(principal: Principal) -> dict[str, str]:
    """Of which tasks they get mail (`mail`), and the address (`email`), which may be empty."""
    user = User.objects.only("mail", "email").get(pk=principal.user_id)
    return {"mail": user.mail, "email": user.email}


def change_notifications(
    principal: Principal, *, mail: str | None = None, email: str | None = None, reason: str | None = None
) -> dict[str, str]:
    """Set what is given, for themselves alone. Raises Invalid."""
    changed: dict[str, str] = {}
    if mail is not None:
        changed["mail"] = _known(mail)
    if email is not None:
        changed["email"] = _address(email)
    if changed:
        User.objects.filter(pk=principal.user_id).update(**changed)
        audit.record(principal, "change notifications", f"user {principal.username}", reason=reason)
    return notifications_of(principal)


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
