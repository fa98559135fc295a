"""What people set for themselves: their name, time zone and language; of which tasks they get mail; their password."""

from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction

from accounts import audit, outgoing
from accounts.limits import DISPLAY_NAME_CHARACTERS, MAIL_ADDRESS_CHARACTERS
from accounts.models import DENSITIES, MAILS, MOVED, User
from accounts.principal import Principal
from accounts.reading import reader_of
from accounts.services import WrongPassword, change_own_password, check_login, check_new_password
from lib.clock import now_here
from lib.locales import LOCALES
from lib.reader import zone_of
from lib.refusals import Invalid

AS_IT_IS = -1
"""Given as an hour: it is not changed."""


def person_of(principal: Principal) -> dict[str, str]:
    """What they are called, and how times and numbers are written for them; an empty text: as their browser says."""
    return _person(User.objects.get(pk=principal.user_id))


@transaction.atomic
def change_person(
    principal: Principal,
    *,
    name: str | None = None,
    time_zone: str | None = None,
    locale: str | None = None,
    density: str | None = None,
    reason: str | None = None,
) -> dict[str, str]:
    """Set what is given, for themselves alone. Raises Invalid at the field that is wrong."""
    values: dict[str, str] = {}
    if name is not None:
        values["name"] = _printable(name)
    if time_zone is not None:
        values["time_zone"] = _zone(time_zone)
    if locale is not None:
        values["locale"] = _locale(locale)
    if density is not None:
        values["density"] = _density(density)
    if values:
        before = audit.fields_of(User.objects.get(pk=principal.user_id), *values)
        User.objects.filter(pk=principal.user_id).update(**values)
        audit.change(principal, "user.change", principal.username, before=before, after=values, reason=reason)
    return person_of(principal)


def notifications_of(principal: Principal) -> dict[str, Any]:
    """Of which tasks they get mail (`mail`), the address (`email`), which may be empty, and at which hour of their day
    they get the mail of the day (`digest_hour`), None for never.
    """
    user = User.objects.only("mail", "email", "digest_hour").get(pk=principal.user_id)
    return {"mail": user.mail, "email": user.email, "digest_hour": user.digest_hour}


@transaction.atomic
def change_notifications(
    principal: Principal,
    *,
    mail: str | None = None,
    email: str | None = None,
    digest_hour: int | None = AS_IT_IS,
    reason: str | None = None,
) -> dict[str, Any]:
    """Set what is given, for themselves alone; their former address is told that there is another. Raises Invalid."""
    values: dict[str, Any] = {}
    if mail is not None:
        values["mail"] = _known(mail)
    if email is not None:
        values["email"] = _address(email)
    if digest_hour != AS_IT_IS:
        values |= _digest(principal, digest_hour)
    if values:
        _tell_of_move(principal, values)
        before = audit.fields_of(User.objects.get(pk=principal.user_id), *values)
        User.objects.filter(pk=principal.user_id).update(**values)
        audit.change(principal, "user.change", principal.username, before=before, after=values, reason=reason)
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
        raise Invalid("This is your current password.", code="same_password", field="new")
    check_new_password(user, new)
    change_own_password(principal, user, new, "user.change_password", revoke_tokens=revoke_tokens)
    return user


def _digest(principal: Principal, hour: int | None) -> dict[str, Any]:
    """The hour of the mail of the day; where it has passed today, the first one comes tomorrow."""
    if hour is None:
        return {"digest_hour": None}
    if not 0 <= hour <= 23:
        raise Invalid("Choose an hour from 0 to 23.", field="digest_hour")
    user = User.objects.only("time_zone", "locale").get(pk=principal.user_id)
    there = now_here().astimezone(reader_of(user).clock)
    return {"digest_hour": hour} | ({"digest_day": there.date()} if hour <= there.hour else {})


def _tell_of_move(principal: Principal, values: dict[str, Any]) -> None:
    """Links to set a password are sent to the address: who had it so far must learn of the change."""
    user = User.objects.select_for_update(no_key=True).get(pk=principal.user_id)
    if user.email and values.get("email", user.email) != user.email:
        outgoing.write(principal.tenant_id, user, MOVED, by=principal.username, to=user.email)


def _person(user: User) -> dict[str, str]:
    return {
        "username": user.username,
        "name": user.name,
        "time_zone": user.time_zone,
        "locale": user.locale,
        "density": user.density,
    }


def _printable(name: str) -> str:
    """A name as one line of text, which stands on pages and in records."""
    text = " ".join(name.split())
    if not text.isprintable():
        raise Invalid("A name can't have such characters.", field="name")
    if len(text) > DISPLAY_NAME_CHARACTERS:
        raise Invalid(
            f"A name has at most {DISPLAY_NAME_CHARACTERS} characters.", code="max_length", field="name"
        )
    return text


def _zone(time_zone: str) -> str:
    if time_zone and not zone_of(time_zone):
        raise Invalid("Choose a time zone from the list, such as Europe/Berlin.", field="time_zone")
    return time_zone


def _locale(locale: str) -> str:
    if locale and locale not in LOCALES:
        raise Invalid(f"Choose one of {', '.join(LOCALES)}.", field="locale")
    return locale


def _density(density: str) -> str:
    if density not in DENSITIES:
        raise Invalid(f"Choose one of {', '.join(DENSITIES)}.", field="density")
    return density


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
        raise Invalid("This is not an e-mail address.", field="email") from None
    if len(address) > MAIL_ADDRESS_CHARACTERS:
        raise Invalid("This is too long for an e-mail address.", field="email")
    return address
