"""The members of a tenant as a form offers them, and who is meant by what is typed there."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

from accounts.limits import OFFERED_MEMBERS, SIMILAR_MEMBERS
from accounts.models import Membership
from accounts.names import key_of
from accounts.people import written
from accounts.queries import find_member, find_seat, members_named
from accounts.seats import members_meant, members_offered
from lib.forms.people import not_a_member, username_of
from lib.refusals import Invalid


class Members:
    """The active members of a tenant as a form needs them (`lib.forms.people.People`): the first ones are read once;
    where there are more than are offered, also those whom a text may mean.
    """

    def __init__(self, tenant_id: int) -> None:
        self._tenant_id = tenant_id
        self._meant: dict[str, Mapping[str, str]] = {}

    @cached_property
    def _first(self) -> Mapping[str, str]:
        return dict(members_offered(self._tenant_id, OFFERED_MEMBERS + 1))

    def _candidates(self, text: str) -> Mapping[str, str]:
        """The names of whom a text may mean, and maybe of others, by username."""
        if len(self._first) <= OFFERED_MEMBERS:
            return self._first
        key = key_of(text)
        if key not in self._meant:
            in_brackets = key.removesuffix(")").rpartition("(")[2]
            self._meant[key] = dict(members_meant(self._tenant_id, {key, in_brackets}, key, SIMILAR_MEMBERS))
        return self._meant[key]

    def offered(self) -> Sequence[str]:
        """The first members, each by name and username."""
        return [written(username, name) for username, name in [*self._first.items()][:OFFERED_MEMBERS]]

    def meant_by(self, text: str) -> Sequence[str]:
        """The usernames that a username, a full name or an offered text may mean; case makes no difference.

        The first of these that somebody has decides.
        """
        key = key_of(text)
        if not key:
            return []
        members = self._candidates(text)
        ways: Sequence[Callable[[str, str], str]] = (
            lambda username, _: username,
            written,
            lambda _, name: name,
        )
        meanings = (
            [username for username, name in members.items() if key_of(way(username, name)) == key]
            for way in ways
        )
        return next(filter(None, meanings), [])

    def text_of(self, username: str) -> str:
        """A member by name and username; the text itself for anybody else."""
        name = self._candidates(username).get(username) if username else None
        return username if name is None else written(username, name)


def require_member(tenant_id: int, text: str, *, field: str) -> Membership:
    """The active member whom a text means: a username, a full name that one member has, or both as a form offers them.

    Raises Invalid at the field.
    """
    if not text.strip():
        raise Invalid("Enter the name or username of a member.", field=field)
    if member := find_member(tenant_id, text.strip()):
        return member
    # Whoever is called as a former member is named does not get what was meant for that one.
    is_former = find_seat(tenant_id, text.strip()) is not None
    username, fault = (None, "") if is_former else username_of(text, Members(tenant_id))
    member = find_member(tenant_id, username) if username else None
    if member is None:
        raise Invalid(fault or not_a_member(text), field=field)
    return member


def strangers(tenant_id: int, usernames: Iterable[str]) -> set[str]:
    """Those of these usernames that no active member has."""
    names = set(usernames)
    members = members_named(tenant_id, names) if names else {}
    return {name for name in names if key_of(name) not in members}
