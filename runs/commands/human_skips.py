"""Skipping a step that asks people decides what they were asked; an app above sees to that in its `AppConfig.ready`."""

from collections.abc import Callable
from typing import NamedTuple

from accounts.principal import Principal
from engine.catalogue import Json
from runs.commands.items import ItemPlace


class Skip(NamedTuple):
    """A step or an item that somebody skips, and what it is to give. `who`: None where no person does."""

    tenant: int
    place: ItemPlace
    output: Json
    reason: str
    who: Principal | None


Decides = Callable[[Skip], bool]

_KNOWN: list[Decides] = []


def tell_skips(decides: Decides) -> None:
    """Register who knows what steps ask people: it gives whether it has ended the step by a decision.

    It raises Refusal where the skip is not theirs to make.
    """
    if decides not in _KNOWN:
        _KNOWN.append(decides)


def decide_instead(skip: Skip) -> bool:
    """Whether the skip was a decision, and is done. Raises Refusal where it is not theirs to make."""
    return any(decides(skip) for decides in _KNOWN)
