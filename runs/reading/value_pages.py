"""A value that is too large to be read at once, page by page, and searched; pure."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from engine.catalogue import Json

LINES = 200
MOST_FOUND = 200
MOST_INDENTED = 1024 * 1024
"""A value of more characters is not indented: of millions of short items that would take seconds."""
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
    """The page, or the nearest that there is; with `looked_for` the first lines with that text in them, in any case.

    No more lines are kept than are shown, whatever the size of the value.
    """
    text = _text(value)
    total = sum(1 for _ in _lines(text))
    pages = max(1, -(-total // LINES))
    here = min(max(page, 1), pages)
    if not looked_for:
        shown = range((here - 1) * LINES + 1, here * LINES + 1)
        return ValuePage([_line(number, line) for number, line in _some(text, shown)], here, pages, total)
    wanted, lines, found = looked_for.casefold(), [], 0
    for number, line in enumerate(_lines(text), 1):
        if wanted in line.casefold():
            found += 1
            if found <= MOST_FOUND:
                lines.append(_line(number, line))
    return ValuePage(lines, here, pages, found)


def _line(number: int, text: str) -> Line:
    return Line(number, text, (number - 1) // LINES + 1)


def _some(text: str, numbers: range) -> Iterator[tuple[int, str]]:
    """The lines with these numbers, as far as there are such."""
    return zip(numbers, islice(_lines(text), numbers.start - 1, numbers.stop - 1), strict=False)


def _text(value: Json) -> str:
    if isinstance(value, str):
        return value
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) > MOST_INDENTED else json.dumps(value, ensure_ascii=False, indent=2)


def _lines(text: str) -> Iterator[str]:
    begin = 0
    while begin <= len(text):
        end = text.find("\n", begin)
        end = len(text) if end < 0 else end
        yield from (text[at : min(at + _WIDEST, end)] for at in range(begin, max(end, begin + 1), _WIDEST))
        begin = end + 1
