"""What features provide to the inbox: they register it in their `AppConfig.ready`."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from django.db.models import QuerySet

from accounts.principal import Principal
from lib.ports import Port


@dataclass(frozen=True, slots=True)
class LeftItem:
    """One thing of somebody's. `detail` says how it is theirs; of the `actions` the first is proposed."""

    kind: str
    id: str
    title: str
    detail: str
    actions: tuple[str, ...]
    address: str = ""


Act = Callable[[Principal, LeftItem, str, str | None], object]
"""Does something with an item, for whoever gets it, with a reason."""


@dataclass(frozen=True, slots=True)
class LeftKind:
    """A kind of things that are with somebody who leaves.

    `place`: where it stands among the others; `title`: the heading of these things; `scope`: who has it may read them.
    `held`: the rows that wait for somebody who has left, and the field with the username.
    """

    name: str
    place: int
    title: str
    scope: str
    read: Callable[[Principal, str], Iterable[LeftItem]]
    acts: Mapping[str, Act] = field(default_factory=dict)
    held: Callable[[int], tuple[QuerySet[Any], str]] | None = None


LEFT_KINDS: Final = Port[LeftKind]()
