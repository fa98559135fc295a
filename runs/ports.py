"""What features provide to `runs`: they register it in their `AppConfig.ready`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from engine.catalogue import Json
from lib.ports import Port


@dataclass(frozen=True, slots=True)
class Tab:
    """A page of operations: the name of its route, its label, and where it stands among the others; `scope`: who has it
    sees the tab.
    """

    place: int
    route: str
    label: str
    scope: str = ""


OPERATIONS_TABS: Final = Port[Tab]()
OUTBOX: Final = Port[Callable[[], Mapping[str, Json] | None]]()
"""How a broker's outbox stands, as `GET /dispatch` has it; None where there is no broker."""
