"""What other apps have to do with members and groups: they say so here as they start, since accounts is below them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from accounts.principal import Principal


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


Changed = Callable[[int, str], None]
Counter = Callable[[int, Iterable[str]], Mapping[str, int]]
Teller = Callable[[Principal], Sequence[OpenWith]]

Foreteller = Callable[[int, SeatChange], Impact]
LeftTeller = Callable[[int], Sequence[Left]]

_foretellers: list[Foreteller] = []
_left_tellers: list[LeftTeller] = []
_listeners: list[Changed] = []
_counters: list[Counter] = []
_tellers: list[Teller] = []
_mail_servers: list[Callable[[], bool]] = []


def tell_of_members(listener: Changed) -> None:
    """`listener(tenant, username)` is called in the transaction in which somebody left or was given another role."""
    if listener not in _listeners:
        _listeners.append(listener)


def member_changed(tenant_id: int, username: str) -> None:
    """Somebody left the tenant, or has another role there."""
    for listener in _listeners:
        listener(tenant_id, username)


def count_by_group(counter: Counter) -> None:
    """`counter(tenant, keys)` says how many open tasks ask each of the groups of these keys."""
    if counter not in _counters:
        _counters.append(counter)


def open_tasks_of_groups(tenant_id: int, keys: Iterable[str]) -> dict[str, int]:
    """How many open tasks ask each group, by its key."""
    names = list(keys)
    counts = dict.fromkeys(names, 0)
    for counter in _counters if names else ():
        for key, count in counter(tenant_id, names).items():
            counts[key] += count
    return counts


def tell_what_is_open(teller: Teller) -> None:
    """`teller(member)` says what is open with a member, given as who they act as."""
    if teller not in _tellers:
        _tellers.append(teller)


def open_with(member: Principal) -> list[OpenWith]:
    """What is open with a member."""
    return [one for teller in _tellers for one in teller(member)]


def say_of_mail(is_there: Callable[[], bool]) -> None:
    """`is_there()` says whether mail can be sent as things are."""
    if is_there not in _mail_servers:
        _mail_servers.append(is_there)


def has_mail() -> bool:
    """Whether there is a mail server."""
    return any(is_there() for is_there in _mail_servers)


def foretell(foreteller: Foreteller) -> None:
    """`foreteller(tenant, change)` says which tasks nobody could decide any more after a change of members."""
    if foreteller not in _foretellers:
        _foretellers.append(foreteller)


def impact_of(tenant_id: int, change: SeatChange) -> Impact:
    """What a change of members or groups would leave undecidable; changes nothing."""
    impacts = [foreteller(tenant_id, change) for foreteller in _foretellers]
    return Impact([task for one in impacts for task in one.tasks], any(one.is_cut for one in impacts))


def tell_what_is_left(teller: LeftTeller) -> None:
    """`teller(tenant)` says who is no active member and has left something."""
    if teller not in _left_tellers:
        _left_tellers.append(teller)


def left_by(tenant_id: int) -> list[Left]:
    """Who is no active member and has left something to be handed over, by name."""
    return [one for teller in _left_tellers for one in teller(tenant_id)]
