"""Skipping a step that asks people decides what they were asked; an app above sees to that in its `AppConfig.ready`."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from accounts.principal import Principal
from engine.catalogue import Json
from runs.commands.targets import ItemPlace


class Skip(NamedTuple):
    """A step or an item that somebody skips, and what it is to give. `who`: None where no person does."""

    tenant: int
    place: ItemPlace
    output: Json
    reason: str
    who: Principal | None


Record = Callable[[], None]
"""Writes down, in the transaction of a skip and behind it, that it was a decision."""
Decides = Callable[[Skip], bool]
Weighs = Callable[[Skip], Record | None]
Refuses = Callable[[int, str, Sequence[str], ItemPlace | None], None]

_BEFORE: list[Decides] = []
_BEHIND: list[Weighs] = []
_CANCELS: list[Refuses] = []


def tell_skips(*, before: Decides, behind: Weighs, cancels: Refuses) -> None:
    """Register who knows what steps ask people. They raise Refusal where the skip is not theirs to make.

    `before` the run is locked, of an item whose own run asks: gives whether it has ended the item by a decision.
    `behind` the lock, in a state in which it may be skipped: gives what to do when it is, None where it is done.
    `cancels`: of a tenant, whom, and what is cancelled: child runs, or an item.
    """
    if before not in _BEFORE:
        _BEFORE.append(before)
    if behind not in _BEHIND:
        _BEHIND.append(behind)
    if cancels not in _CANCELS:
        _CANCELS.append(cancels)


def decide_below(skip: Skip) -> bool:
    """Whether the skip of an item was a decision in the run of that item, and is done. No run may be locked.

    Raises Refusal where it is not theirs to make.
    """
    return any(decides(skip) for decides in _BEFORE)


def decide_here(skip: Skip) -> Record | None:
    """What to call when the step is skipped; None where the skip was a decision, which has ended it.

    The caller has the run of the step alone. Raises Refusal where it is not theirs to make.
    """
    records: list[Record] = []
    for weighs in _BEHIND:
        record = weighs(skip)
        if record is None:
            return None
        records.append(record)

    def record_all() -> None:
        for record in records:
            record()

    return record_all


def check_cancel(tenant: int, by: str, runs: Sequence[str], item: ItemPlace | None = None) -> None:
    """Let pass who may cancel these child runs, which are held, or an item of a run that is.

    What is above goes on where it tolerates that. Raises Refusal.
    """
    for refuses in _CANCELS:
        refuses(tenant, by, runs, item)
