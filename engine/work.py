"""A budget of work: what people wrote is read and computed in units that are counted (docs/security.md, "Budgets of
work").
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import orjson

from engine.catalogue import Json
from engine.errors import TooMuchWork

DEFINITION_UNITS = 2_000_000
"""For all that `validate` does with the schemas of one definition, in nodes visited: seconds."""
VALUE_UNITS = 100_000
"""For a value that is made up for a schema: some 10,000 values, or 5 MB that the schema itself names."""
_BYTES_OF_A_UNIT = 50


_shared: ContextVar["Work | None"] = ContextVar("shared", default=None)


class Work:
    """What may still be done at a place."""

    __slots__ = ("budget", "left", "place")

    def __init__(self, place: str, budget: int) -> None:
        self.place = place
        self.budget = self.left = budget

    def spend(self, units: int = 1) -> None:
        """Take so many units. Raises TooMuchWork where that is more than what is left."""
        self.left -= units
        if self.left < 0:
            raise TooMuchWork(self.place, self.budget)

    def spend_on(self, value: Json) -> None:
        """Take what it costs to write a value out. Raises TooMuchWork."""
        if isinstance(value, str | dict | list):
            self.spend(len(orjson.dumps(value)) // _BYTES_OF_A_UNIT)


@contextmanager
def sharing(work: Work) -> Iterator[None]:
    """All that is done within takes its units of this work."""
    token = _shared.set(work)
    try:
        yield
    finally:
        _shared.reset(token)


def work_at(place: str, budget: int) -> Work:
    """The work that is shared here, now at this place; where none is, one for this place alone."""
    work = _shared.get()
    if work is None:
        return Work(place, budget)
    work.place = place
    return work
