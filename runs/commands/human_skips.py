"""A skip of a step that asks people decides what it asks; an app above registers its rules in its `AppConfig.ready`."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from accounts.principal import Principal
from engine.catalogue import Json
from lib.ports import Port
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


class Rules(NamedTuple):
    """What an app that knows what steps ask people says of this module's functions, each under the same name."""

    decide_below: Callable[[Skip], bool]
    decide_here: Callable[[Skip], Record | None]
    check_cancel: Callable[[int, str, Sequence[str], ItemPlace | None], None]
    check_move: Callable[[int, str, str, int], None]


SKIP_RULES: Final = Port[Rules]()


def decide_below(skip: Skip) -> bool:
    """Whether the skip of an item was a decision in the run of that item, and is done. No run may be locked.

    Raises Refusal where it is not theirs to make.
    """
    return any(rules.decide_below(skip) for rules in SKIP_RULES)


def decide_here(skip: Skip) -> Record | None:
    """What to call when the step is skipped; None where the skip was a decision, which has ended it.

    The caller has the run of the step alone, in a state in which it may be skipped. Raises Refusal where it is not
    theirs to make.
    """
    records = [rules.decide_here(skip) for rules in SKIP_RULES]
    return None if None in records else lambda: _write(records)


def _write(records: Sequence[Record | None]) -> None:
    for record in filter(None, records):
        record()


def check_cancel(tenant: int, by: str, runs: Sequence[str], item: ItemPlace | None = None) -> None:
    """Let pass who may cancel these child runs, which are held, or an item of a run that is.

    What is above goes on where it tolerates that. Raises Refusal.
    """
    for rules in SKIP_RULES:
        rules.check_cancel(tenant, by, runs, item)


def check_move(tenant: int, by: str, run: str, version: int) -> None:
    """Let pass who may have a run, which is held, go on with a version (its id) that may ask less. Raises Refusal."""
    for rules in SKIP_RULES:
        rules.check_move(tenant, by, run, version)
