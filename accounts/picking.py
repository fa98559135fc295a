"""The members of a tenant as a form offers them, and who is meant by what is typed there."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from accounts.limits import OFFERED_MEMBERS
from accounts.names import key_of
from accounts.people import written
from accounts.queries import members_named, members_of


class Members:
    """The active members of a tenant, read once and only if a form asks (`lib.forms.people.People`)."""

    def __init__(self, tenant_id: int) -> None:
        self._tenant_id = tenant_id

    @cached_property
    def _names(self) -> Mapping[str, str]:
        members = members_of(self._tenant_id).order_by("user__username")
        return dict(members.values_list("user__username", "user__name"))

    @cached_property
    def _meanings(self) -> tuple[Mapping[str, Sequence[str]], ...]:
        """The usernames behind each username, offered text and full name; the first that has a text decides."""
        usernames = {key_of(username): [username] for username in self._names}
        offered = {key_of(written(username, name)): [username] for username, name in self._names.items()}
        by_name = defaultdict(list)
        for username, name in self._names.items():
            by_name[key_of(name)].append(username)
        return usernames, offered, by_name

    def offered(self) -> Sequence[str]:
        """The first members, each by name and username."""
        return [written(username, name) for username, name in [*self._names.items()][:OFFERED_MEMBERS]]

    def meant_by(self, text: str) -> Sequence[str]:
        """The usernames that a username, a full name or an offered text may mean; case makes no difference."""
        key = key_of(text)
        return next((names[key] for names in self._meanings if key and key in names), [])

    def text_of(self, username: str) -> str:
        """A member by name and username; the text itself for anybody else."""
        name = self._names.get(username)
        return username if name is None else written(username, name)


def strangers(tenant_id: int, usernames: Iterable[str]) -> set[str]:
    """Those of these usernames that no active member has."""
    names = set(usernames)
    members = members_named(tenant_id, names) if names else {}
    return {name for name in names if key_of(name) not in members}
