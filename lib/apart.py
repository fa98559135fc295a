"""Many things to do, of which one raises: the others are done all the same, for a duty that stops is everybody's."""

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from lib.database_errors import is_away

T = TypeVar("T")
R = TypeVar("R")

_PIECES = 16
"""Few rounds until what raises is alone, since each may last as long as a statement may."""


def in_batches(
    batch: Sequence[T], act: Callable[[Sequence[T]], list[R]], log: logging.Logger, fails: Callable[[T], str]
) -> list[R]:
    """What `act` gives for the batch, cut into pieces down to whatever raises: that is logged as `fails` says.

    Raises what a database that is away raises: then nothing can be done anyway.
    """
    if not batch:
        return []
    if len(batch) == 1:
        return [one for results in one_by_one(batch, lambda item: act([item]), log, fails) for one in results]
    try:
        return act(batch)
    except Exception as error:
        if is_away(error):
            raise
    size = -(-len(batch) // _PIECES)
    pieces = [batch[start : start + size] for start in range(0, len(batch), size)]
    return [one for piece in pieces for one in in_batches(piece, act, log, fails)]


def one_by_one(
    items: Iterable[T], act: Callable[[T], R], log: logging.Logger, fails: Callable[[T], str]
) -> list[R]:
    """What `act` gives for each item but for those for which it raises: these are logged as `fails` says.

    Raises what a database that is away raises.
    """
    results = []
    for item in items:
        try:
            results.append(act(item))
        except Exception as error:
            if is_away(error):
                raise
            log.exception("%s", fails(item))
    return results
