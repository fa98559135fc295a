"""What apps above provide about members and groups: they register it in their `AppConfig.ready`."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from accounts.principal import Principal
from lib.ports import Port


@dataclass(frozen=True, slots=True)
class OpenWith:
    """So many things that are open with a member, counted up to `most`; where they are listed, or the first of them,
    each with its title and address.
    """

    count: int
    most: int
    words: str
    address: str = ""
    first: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, slots=True)
class SeatChange:
    """What members and groups would be: who would decide nothing any more (keys of usernames), who would have which
    role, and who would be in which group (by its key; nobody where it would be deleted).
    """

    gone: frozenset[str] = frozenset()
    roles: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[str, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Impact:
    """The open tasks that nobody, or not enough, could decide any more: each its id, title and address. `is_cut`: so
    many tasks are touched that not all were looked at.
    """

    tasks: Sequence[tuple[str, str, str]] = ()
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class Left:
    """Somebody who is no active member, and how many things still act for them or wait for them."""

    username: str
    count: int


MEMBER_CHANGES: Final = Port[Callable[[int, str], None]]()
"""Takes a tenant and a username, in the transaction in which somebody left it or was given another role."""
TASKS_OF_GROUPS: Final = Port[Callable[[int, Iterable[str]], Mapping[str, int]]]()
"""For a tenant and the keys of groups: how many open tasks ask each of them."""
OPEN_THINGS: Final = Port[Callable[[Principal], Sequence[OpenWith]]]()
"""What is open with a member, given as who they act as."""
MAIL_SERVERS: Final = Port[Callable[[], bool]]()
"""Whether mail can be sent as things are."""
IMPACTS: Final = Port[Callable[[int, SeatChange], Impact]]()
"""For a tenant and a change of members: which tasks nobody could decide any more."""
LEFT_THINGS: Final = Port[Callable[[int], Sequence[Left]]]()
"""For a tenant: who is no active member and has left something."""


def member_changed(tenant_id: int, username: str) -> None:
    """Somebody left the tenant, or has another role there."""
    for listener in MEMBER_CHANGES:
        listener(tenant_id, username)


def open_tasks_of_groups(tenant_id: int, keys: Iterable[str]) -> dict[str, int]:
    """How many open tasks ask each group, by its key."""
    names = list(keys)
    counts = dict.fromkeys(names, 0)
    for counter in TASKS_OF_GROUPS if names else ():
        for key, count in counter(tenant_id, names).items():
            counts[key] += count
    return counts


def open_with(member: Principal) -> list[OpenWith]:
    """What is open with a member."""
    return [one for things in OPEN_THINGS for one in things(member)]


def has_mail() -> bool:
    """Whether there is a mail server."""
    return any(is_there() for is_there in MAIL_SERVERS)


def impact_of(tenant_id: int, change: SeatChange) -> Impact:
    """What a change of members or groups would leave undecidable; changes nothing."""
    impacts = [impact(tenant_id, change) for impact in IMPACTS]
    return Impact([task for one in impacts for task in one.tasks], any(one.is_cut for one in impacts))


def left_by(tenant_id: int) -> list[Left]:
    """Who is no active member and has left something to be handed over, by name."""
    return [one for things in LEFT_THINGS for one in things(tenant_id)]
