"""A value that is too large to be read at once, page by page, and searched; pure."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from engine.catalogue import Json

LINES = 200
MOST_FOUND = 200
_WIDEST = 400
"""A longer line is read in parts: one text may be megabytes without an end of a line."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line, its number and the page it stands on, all from 1."""

    number: int
    text: str
    page: int


@dataclass(frozen=True, slots=True)
class ValuePage:
    """Lines of a value: those of a page, or, where something is looked for, the first that have it."""

    lines: list[Line]
    page: int
    pages: int
    total: int


def value_page(value: Json, page: int, looked_for: str = "") -> ValuePage:
    """The page, or the nearest that there is; with `looked_for` the first lines with that text in them, in any case."""
    lines = [Line(number, text, (number - 1) // LINES + 1) for number, text in enumerate(_lines(value), 1)]
    pages = max(1, -(-len(lines) // LINES))
    here = min(max(page, 1), pages)
    if looked_for:
        found = [line for line in lines if looked_for.casefold() in line.text.casefold()]
        return ValuePage(found[:MOST_FOUND], here, pages, len(found))
    return ValuePage(lines[(here - 1) * LINES : here * LINES], here, pages, len(lines))


def _lines(value: Json) -> Iterator[str]:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
    for line in text.split("\n"):
        yield from (line[at : at + _WIDEST] for at in range(0, max(len(line), 1), _WIDEST))
