"""Literals and calls as Python source, laid out as `ruff format` does with its own defaults.

Whatever a text holds, its literal is one token in ASCII quotes: what is not printable is escaped, so nothing of it is
executed, and nothing is shown in another order than it stands in.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from unicodedata import combining, east_asian_width

from engine.catalogue import Json

WIDTH = 88
INDENT = "    "
_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


@dataclass(frozen=True, slots=True)
class Name:
    """A name that stands as it is."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A call; an argument without a keyword has an empty one."""

    function: str
    arguments: Sequence[tuple[str, "Code"]]


Code = Name | Call | Json
"""What is written: a name, a call, or a value of JSON that may hold them."""


def width(text: str) -> int:
    """How many columns a text takes."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(one) else 2 if east_asian_width(one) in "WF" else 1 for one in text)


def laid_out(code: Code, *, indent: str = "", before: int = 0, after: int = 0) -> str:
    """The code, on one line if that is not too long, where so many columns are taken `before` and `after` it."""
    line = on_one_line(code, WIDTH - before - after)
    if line is not None:
        return line
    inner = indent + INDENT
    if isinstance(code, dict):
        return _lines("{", ((f"{quoted(key)}: ", value) for key, value in code.items()), "}", indent)
    if isinstance(code, list):
        return _lines("[", (("", value) for value in code), "]", indent)
    if isinstance(code, Call):
        arguments = ((f"{name}=" if name else "", value) for name, value in code.arguments)
        return _lines(f"{code.function}(", arguments, ")", indent)
    if isinstance(code, str) and len(rows := code.splitlines(keepends=True)) > 1:
        return "\n".join(["(", *(inner + quoted(row) for row in rows), f"{indent})"])
    return "".join(_pieces(code))


def _lines(start: str, items: Iterator[tuple[str, Code]], end: str, indent: str) -> str:
    inner = indent + INDENT
    lines = [
        f"{inner}{label}{laid_out(value, indent=inner, before=width(inner + label), after=1)},"
        for label, value in items
    ]
    # An empty one can't be broken.
    return "\n".join([start, *lines, indent + end]) if lines else start + end


def on_one_line(code: Code, room: int) -> str | None:
    """The code on one line, or None where it takes more columns than there is room."""
    line, columns = [], 0
    for piece in _pieces(code):
        columns += width(piece)
        if columns > room:
            return None
        line.append(piece)
    return "".join(line)


def quoted(text: str) -> str:
    """A text as a literal, in the quotes of which it has fewer."""
    quote = "'" if text.count('"') > text.count("'") else '"'
    return quote + "".join(_escaped(one, quote) for one in text) + quote


def _escaped(one: str, quote: str) -> str:
    if one == quote:
        return f"\\{quote}"
    if one in _ESCAPES:
        return _ESCAPES[one]
    if one.isprintable():
        return one
    point = ord(one)
    return f"\\x{point:02x}" if point < 0x100 else f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"


def _pieces(code: Code) -> Iterator[str]:
    if isinstance(code, Name):
        yield code.text
    elif isinstance(code, str):
        yield quoted(code)
    elif isinstance(code, dict):
        yield from _between("{", ((f"{quoted(key)}: ", value) for key, value in code.items()), "}")
    elif isinstance(code, list):
        yield from _between("[", (("", value) for value in code), "]")
    elif isinstance(code, Call):
        arguments = ((f"{name}=" if name else "", value) for name, value in code.arguments)
        yield from _between(f"{code.function}(", arguments, ")")
    else:
        # As the formatter writes numbers: 1e16, not 1e+16.
        yield repr(code).replace("e+", "e")


def _between(start: str, items: Iterator[tuple[str, Code]], end: str) -> Iterator[str]:
    yield start
    for place, (label, value) in enumerate(items):
        yield f", {label}" if place else label
        yield from _pieces(value)
    yield end
