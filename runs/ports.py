"""What features provide to `runs`: they register it in their `AppConfig.ready`."""

from dataclasses import dataclass
from typing import Final

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
