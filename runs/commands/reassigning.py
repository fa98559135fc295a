"""The open tasks of a run are given to somebody else; an app above registers how in its `AppConfig.ready`."""

from dataclasses import dataclass
from typing import Final, Protocol

from accounts.principal import Principal
from lib.ports import Port


@dataclass(frozen=True, slots=True)
class Taker:
    """To whom tasks are given: a member, by the username, or else everybody in a group, by its name."""

    assignee: str = ""
    group: str = ""


class Reassignment(Protocol):
    """How the tasks of runs are given to others."""

    def check(self, who: Principal, to: Taker) -> None:
        """Let pass whom tasks could be given to at all. Raises Forbidden, and Invalid at `assignee` or `group`."""

    def reassign(
        self, who: Principal, run: str, to: Taker, *, reason: str = "", dry_run: bool = False
    ) -> None:
        """Give all open tasks of a run, or none, in one transaction; or only find out. Raises Refusal for what stands
        against one, and RunRefused for another tenant's run.
        """


REASSIGNMENTS: Final = Port[Reassignment]()


def check_taker(who: Principal, to: Taker) -> None:
    """As `Reassignment.check`."""
    for one in REASSIGNMENTS:
        one.check(who, to)


def reassign_run(who: Principal, run: str, to: Taker, *, reason: str = "", dry_run: bool = False) -> None:
    """As `Reassignment.reassign`."""
    for one in REASSIGNMENTS:
        one.reassign(who, run, to, reason=reason, dry_run=dry_run)
