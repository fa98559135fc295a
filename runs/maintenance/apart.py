"""A batch of which one item raises: the others are done all the same, for a duty that stops is everybody's."""

import logging
from collections.abc import Callable, Sequence
from typing import TypeVar

from lib.named_sql import DATABASE_AWAY

T = TypeVar("T")
R = TypeVar("R")


def apart(
    batch: Sequence[T], act: Callable[[Sequence[T]], list[R]], log: logging.Logger, fails: Callable[[T], str]
) -> list[R]:
    """What `act` gives for the batch, halved down to whatever raises: that is logged with what `fails` says of it.

    Raises what a lost database raises: then nothing can be done anyway.
    """
    if not batch:
        return []
    try:
        return act(batch)
    except DATABASE_AWAY:
        raise
    except Exception:
        if len(batch) == 1:
            log.exception("%s", fails(batch[0]))
            return []
    half = len(batch) // 2
    return [*apart(batch[:half], act, log, fails), *apart(batch[half:], act, log, fails)]
