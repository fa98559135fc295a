"""What people are called on pages: by their name, where they have one. Records and programs know them by username.

Whoever makes a page says whose names it will show (`learn`), so that they are asked for once and not row by row.
"""

from collections.abc import Iterable

from django.db.models.functions import Lower

from accounts.models import Membership, User
from accounts.names import key_of
from lib.reader import is_read, reader

_KIND = "person"


def learn(tenant_id: int, usernames: Iterable[str | None]) -> None:
    """Ask what these members are called, in one statement; in none where that is known, or where nobody reads."""
    if not is_read():
        return
    called = reader().called
    unknown = {key for name in usernames if name and (_KIND, (key := key_of(name))) not in called}
    if not unknown:
        return
    # Who may not log in any more is called as before.
    members = Membership.objects.for_tenant(tenant_id).annotate(key=Lower("user__username"))
    rows = members.filter(key__in=unknown).values_list("user__username", "user__name")
    learn_names([*((key, "") for key in unknown), *rows])


def learn_names(names: Iterable[tuple[str, str]]) -> None:
    """Usernames with names that are at hand need not be asked for."""
    if is_read():
        reader().called.update(((_KIND, key_of(username)), name) for username, name in names)


def learn_user(user: User) -> None:
    """As `learn_names`, of one who is at hand."""
    learn_names([(user.username, user.name)])


def called(user: User) -> str:
    """What somebody who is at hand is called, whoever reads."""
    return user.name or user.username


def name_of(username: str) -> str:
    """What somebody is called; the username itself where they have no name, or nobody has learned it."""
    return reader().called.get((_KIND, key_of(username))) or username


def written(username: str, name: str) -> str:
    """Somebody to be chosen from a list: by name, and by what tells them apart from others of that name."""
    return f"{name} ({username})" if name and name != username else username
