"""What other apps have to do with members and groups: they say so here as they start, since accounts is below them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

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


Changed = Callable[[int, str], None]
Counter = Callable[[int, Iterable[str]], Mapping[str, int]]
Teller = Callable[[Principal], Sequence[OpenWith]]

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
