"""A value that is too large to be read at once, page by page, and searched; pure."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from engine.catalogue import Json
from runs.limits import FOUND_VALUES, INDENTED_CHARACTERS

LINES = 200
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


Span = tuple[int, int]
"""Where a line stands in the text, from and to."""


def value_page(value: Json, page: int, looked_for: str = "") -> ValuePage:
    """The page, or the nearest that there is; with `looked_for` the first lines with that text in them, in any case.

    The value is gone through once, and no more lines are kept than are shown, whatever its size.
    """
    text = _text(value)
    return _found(text, page, looked_for.casefold()) if looked_for else _page(text, max(page, 1))


def _page(text: str, page_number: int) -> ValuePage:
    total, here, spans = 0, 1, list[Span]()
    for span in _lines(text):
        page = total // LINES + 1
        total += 1
        if page <= page_number:
            if page > here:
                here, spans = page, []
            spans.append(span)
    first = (here - 1) * LINES + 1
    lines = [Line(number, text[slice(*span)], here) for number, span in enumerate(spans, first)]
    return ValuePage(lines, here, _pages(total), total)


def _found(text: str, page: int, needle: str) -> ValuePage:
    total, count, lines = 0, 0, list[Line]()
    for total, span in enumerate(_lines(text), 1):
        line = text[slice(*span)]
        if needle in line.casefold():
            count += 1
            if count <= FOUND_VALUES:
                lines.append(Line(total, line, _pages(total)))
    return ValuePage(lines, min(max(page, 1), _pages(total)), _pages(total), count)


def _pages(lines: int) -> int:
    return max(1, -(-lines // LINES))


def _text(value: Json) -> str:
    if isinstance(value, str):
        return value
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) > INDENTED_CHARACTERS else json.dumps(value, ensure_ascii=False, indent=2)


def _lines(text: str) -> Iterator[Span]:
    begin = 0
    while begin <= len(text):
        end = text.find("\n", begin)
        end = len(text) if end < 0 else end
        for at in range(begin, max(end, begin + 1), _WIDEST):
            yield at, min(at + _WIDEST, end)
        begin = end + 1
