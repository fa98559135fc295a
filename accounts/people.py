"""What people are called on pages: by their name, where they have one. Records and programs know them by username."""

from collections.abc import Iterable

from django.db.models.functions import Lower

from accounts.models import ApiToken, User
from accounts.names import key_of
from accounts.principal import SERVICE
from accounts.seats import names_of_people
from lib.calling import Names


def _find(tenant_id: int, keys: set[str]) -> Iterable[tuple[str, str]]:
    # Who may not log in any more is called as before.
    names = names_of_people(tenant_id, keys)
    if services := {key for key in keys if key.startswith(SERVICE)}:
        tokens = ApiToken.objects.for_tenant(tenant_id).annotate(key=Lower("user__username"))
        names += tokens.filter(key__in=services).values_list("user__username", "user__name").distinct()
    return names


_NAMES = Names("person", _find, key_of)
learn, learn_names, name_of = _NAMES.learn, _NAMES.learn_known, _NAMES.name_of


def learn_user(user: User) -> None:
    """As `learn_names`, of one who is at hand."""
    learn_names([(user.username, user.name)])


def called(user: User) -> str:
    """What somebody who is at hand is called, whoever reads."""
    return user.name or user.username


def written(username: str, name: str) -> str:
    """Somebody to be chosen from a list: by name, and by what tells them apart from others of that name."""
    return f"{name} ({username})" if name and name != username else username
