"""A budget of work: what people wrote is read and computed in units that are counted (docs/security.md, "Budgets of
work").
"""

from contextvars import ContextVar

import orjson

from engine.catalogue import Json
from engine.errors import TooMuchWork

DEFINITION_UNITS = 2_000_000
"""For all that `validate` does with the schemas of one definition, in nodes visited: seconds."""
VALUE_UNITS = 100_000
"""For a value that is made up for a schema: some 10,000 values, or 5 MB that the schema itself names."""
_BYTES_OF_A_UNIT = 50
EXPRESSIONS_UNITS = 5_000_000
"""For all the expressions of a template, of one decision or of a request: seconds."""
INLINE_UNITS = 20_000
"""What an expression may cost to be evaluated by the process that serves others and is held up meanwhile: 20 ms."""
ALL_INLINE_UNITS = 200_000
"""What those of one `Work` may cost together there."""


_shared: ContextVar["Work | None"] = ContextVar("shared", default=None)


class Work:
    """What may still be done at a place."""

    __slots__ = ("budget", "inline", "left", "place")

    def __init__(self, place: str, budget: int) -> None:
        self.place = place
        self.budget = self.left = budget
        self.inline = ALL_INLINE_UNITS

    def spend(self, units: int = 1) -> None:
        """Take so many units. Raises TooMuchWork where that is more than what is left."""
        self.left -= units
        if self.left < 0:
            raise TooMuchWork(self.place, self.budget)

    def spend_on(self, value: Json) -> None:
        """Take what it costs to write a value out. Raises TooMuchWork."""
        if isinstance(value, str | dict | list):
            self.spend(len(orjson.dumps(value)) // _BYTES_OF_A_UNIT)


class Sharing:
    """All that is done within takes its units of this work: `with Sharing(work)`."""

    __slots__ = ("_token", "_work")

    def __init__(self, work: Work) -> None:
        self._work = work

    def __enter__(self) -> Work:
        self._token = _shared.set(self._work)
        return self._work

    def __exit__(self, *_: object) -> None:
        _shared.reset(self._token)


def sharing_at(place: str, budget: int) -> Sharing:
    """As `Sharing`, of the work that is shared here already, or else of one with this budget."""
    return Sharing(_shared.get() or Work(place, budget))


def shared_work() -> Work | None:
    """The work that is shared here, if any is."""
    return _shared.get()


def may_be_done_here(units: float) -> bool:
    """Whether so much may be done by the process that serves others, which takes the units. Raises TooMuchWork."""
    if units > INLINE_UNITS:
        return False
    work = _shared.get()
    if work is None:
        return True
    if units > work.inline:
        return False
    work.inline -= int(units)
    work.spend(1 + int(units))
    return True


def work_at(place: str, budget: int) -> Work:
    """The work that is shared here, now at this place; where none is, one for this place alone."""
    work = _shared.get()
    if work is None:
        return Work(place, budget)
    work.place = place
    return work
