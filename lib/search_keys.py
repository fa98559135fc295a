"""What an index of values has of each of them: how a text begins, and a number however it is written; pure."""

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal

from lib.json import Json

KEY_CHARACTERS = 200
"""Of a longer value the index has the beginning."""


def values_at(value: Json, path: Iterable[str]) -> Iterator[Json]:
    """What stands at a path of names, also within lists on the way; of a list there its items."""
    places = [value]
    for name in path:
        places = [one[name] for one in _unfolded(places) if isinstance(one, Mapping) and name in one]
    yield from _unfolded(places)


def _unfolded(values: Iterable[Json]) -> Iterator[Json]:
    for value in values:
        if isinstance(value, list):
            yield from value
        else:
            yield value


def key_of(value: Json) -> tuple[str, float | None] | None:
    """The key of a value: a text, and about the number that it is, if it is one; None for what is not indexed."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value], None
    if isinstance(value, str):
        return value[:KEY_CHARACTERS], None
    if isinstance(value, int | float | Decimal):
        number = Decimal(str(value))
        return text_of(number)[:KEY_CHARACTERS], float(number)
    return None


def text_of(number: Decimal) -> str:
    """A number as a key, the same for 1, 1.0 and 1e0."""
    return str(number.normalize() + 0) if number.is_finite() else str(number)
