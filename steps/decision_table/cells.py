"""The language of cells: `> 1000`, `"DE", "FR"`, `[1..10]`, `not("DE")`, `true`, `2026-01-31`, `-`. Pure and linear."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any, Literal

from engine.catalogue import Json
from steps.decision_table.limits import CELL_CHARACTERS, NUMBER_CHARACTERS, PARSED_CELLS

Kind = Literal["number", "text", "truth", "date", "moment", "null"]
ORDERED: tuple[Kind, ...] = ("number", "date", "moment")
"""The kinds that `<` and ranges compare."""
ANY = "-"

_DATE = r"\d{4}-\d\d-\d\d"
_MOMENT = _DATE + r"T\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:\d\d)"
_TOKEN = re.compile(
    rf"""(?:(?P<text>"(?>(?:[^"\\]|\\.)*)(?P<close>")?)|(?P<moment>{_MOMENT})|(?P<date>{_DATE})"""
    r"""|(?P<number>-?\d+(?:\.\d+)?)|(?P<mark>\.\.|<=|>=|!=|[<>=\[\](),])|(?P<word>[A-Za-z_]\w*))""",
    re.ASCII,
)
_ALL_DATE = re.compile(_DATE, re.ASCII)
_ALL_MOMENT = re.compile(_MOMENT, re.ASCII)


class BadCell(ValueError):
    """A cell can't be read; the message says why and what to write instead."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A point or an interval of one kind; None: without end on this side."""

    kind: Kind
    low: Any
    high: Any
    low_open: bool = False
    high_open: bool = False

    @property
    def is_point(self) -> bool:
        """Whether it holds for one value only."""
        return (self.low is not None and self.low == self.high) or self.kind == "null"

    def holds(self, value: Any) -> bool:
        """Whether it holds for a value of its kind."""
        if self.kind in ORDERED:
            above = self.low is None or (value > self.low if self.low_open else value >= self.low)
            below = self.high is None or (value < self.high if self.high_open else value <= self.high)
            return above and below
        return bool(value == self.low)

    def __str__(self) -> str:
        if self.is_point:
            return written(self.kind, self.low)
        if self.high is None:
            return f"{'>' if self.low_open else '>='} {written(self.kind, self.low)}"
        if self.low is None:
            return f"{'<' if self.high_open else '<='} {written(self.kind, self.high)}"
        start, end = "(" if self.low_open else "[", ")" if self.high_open else "]"
        return f"{start}{written(self.kind, self.low)}..{written(self.kind, self.high)}{end}"


@dataclass(frozen=True, slots=True)
class Cell:
    """What a cell asks: any of the tests, or with `negated` none of them. Without tests: anything."""

    tests: tuple[Interval, ...] = ()
    negated: bool = False

    @property
    def is_any(self) -> bool:
        """Whether every value matches."""
        return not self.tests

    @property
    def kinds(self) -> frozenset[Kind]:
        """The kinds of values that it compares with."""
        return frozenset(test.kind for test in self.tests)

    def matches(self, readings: Mapping[Kind, Any]) -> bool:
        """Whether a value with these readings matches. One of another type, or null, matches only what names it."""
        if not self.tests:
            return True
        hit = any(test.kind in readings and test.holds(readings[test.kind]) for test in self.tests)
        if hit or not self.negated:
            return hit and not self.negated
        kinds = self.kinds - {"null"}
        return not kinds.isdisjoint(readings) if kinds else "null" not in readings

    def __str__(self) -> str:
        """The cell as it is written, in its normal form."""
        if not self.tests:
            return ANY
        tests = ", ".join(map(str, self.tests))
        return f"not({tests})" if self.negated else tests


def readings(value: Json) -> dict[Kind, Any]:
    """A JSON value by the kinds that it may be compared as: a text may also be a date or a moment."""
    if value is None:
        return {"null": None}
    if isinstance(value, bool):
        return {"truth": value}
    if isinstance(value, int | float):
        return {"number": exact(value)}
    if not isinstance(value, str):
        return {}
    values: dict[Kind, Any] = {"text": value}
    if len(value) <= NUMBER_CHARACTERS and (kind := _moment_kind(value)):
        try:
            values[kind] = _moment(kind, value)
        except ValueError:
            return values
    return values


def exact(value: int | float) -> Decimal:
    """A JSON number as the decimal that is written: 0.1 is a tenth."""
    return Decimal(value) if isinstance(value, int) else Decimal(repr(value))


def parse_cell(raw: Json) -> Cell:
    """The cell of a condition. Raises BadCell."""
    if isinstance(raw, bool):
        return Cell((Interval("truth", raw, raw),))
    if isinstance(raw, int | float):
        value = exact(raw)
        return Cell((Interval("number", value, value),))
    if not isinstance(raw, str):
        raise BadCell("a condition is a text such as > 1000; write - for any value")
    return _parsed(raw)


@lru_cache(maxsize=PARSED_CELLS)
def _parsed(text: str) -> Cell:
    if len(text) > CELL_CHARACTERS:
        raise BadCell(f"the condition is longer than {CELL_CHARACTERS:,} characters")
    if "{{" in text:
        raise BadCell("a condition takes no expression: put it in the column's `when`")
    if text.strip() in ("", ANY):
        return Cell()
    return _Parser(text).cell()


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    start: int
    end: int


def _tokens(text: str) -> Iterator[_Token]:
    at, end = 0, len(text.rstrip())
    while at < end:
        start = at + len(text[at:]) - len(text[at:].lstrip())
        match = _TOKEN.match(text, start)
        if match is None:
            raise BadCell(f"{text[start]!r} has no meaning here; {_HINT}")
        kind = match.lastgroup or ""
        if kind == "text" and match["close"] is None:
            raise BadCell("a text is not closed by a quotation mark")
        yield _Token(kind, match[kind], match.start(kind), match.end())
        at = match.end()
    yield _Token("end", "", end, end)


_HINT = 'write a condition such as > 1000, [1..10], "DE", "FR" or -'


class _Parser:
    """Reads one cell, token by token."""

    def __init__(self, text: str) -> None:
        self.tokens = list(_tokens(text))
        self.at = 0

    def cell(self) -> Cell:
        """The whole cell. Raises BadCell."""
        negated = self._peek().text == "not" and self._peek().kind == "word"
        if negated:
            self._next()
            self._expect("(", "after not")
        tests = self._tests()
        if negated:
            self._expect(")", "after the values of not")
        if (rest := self._peek()).kind != "end":
            raise BadCell(f"{rest.text} has no meaning here: separate values by commas; {_HINT}")
        if not negated and len(tests) == 1 and isinstance(tests[0], Cell):
            return tests[0]
        if any(isinstance(test, Cell) for test in tests):
            raise BadCell("!= stands alone: write not(…) with the values")
        return Cell(tuple(test for test in tests if isinstance(test, Interval)), negated)

    def _tests(self) -> list[Interval | Cell]:
        tests = [self._test()]
        while self._peek().text == ",":
            before, comma = self.tokens[self.at - 1], self._next()
            after = self._peek()
            is_tight = before.end == comma.start and comma.end == after.start
            if is_tight and before.kind == after.kind == "number" and len(after.text.partition(".")[0]) == 3:
                raise BadCell(
                    f"{before.text},{after.text} may be one number or two: write "
                    f"{before.text}{after.text}, or a blank after the comma"
                )
            tests.append(self._test())
        return tests

    def _test(self) -> Interval | Cell:
        token = self._next()
        if token.text in ("<", "<=", ">", ">=") and token.kind == "mark":
            kind, value = self._ordered(token.text)
            if token.text[0] == "<":
                return Interval(kind, None, value, high_open=token.text == "<")
            return Interval(kind, value, None, low_open=token.text == ">")
        if token.text in ("=", "!=") and token.kind == "mark":
            kind, value = self._literal(self._next())
            test = Interval(kind, value, value)
            return test if token.text == "=" else Cell((test,), negated=True)
        if token.text in ("[", "(", "]") and token.kind == "mark":
            return self._range(token.text)
        kind, value = self._literal(token)
        return Interval(kind, value, value)

    def _range(self, opening: str) -> Interval:
        kind, low = self._ordered("a range")
        self._expect("..", "between the ends of a range")
        other, high = self._ordered("a range")
        closing = self._next().text
        if closing not in ("]", ")", "["):
            raise BadCell("a range ends with ] or ), such as [1..10]")
        if kind != other:
            raise BadCell("the ends of a range are of the same type")
        low_open, high_open = opening != "[", closing != "]"
        if low > high or (low == high and (low_open or high_open)):
            raise BadCell("the range holds nothing: its start must be before its end")
        return Interval(kind, low, high, low_open, high_open)

    def _ordered(self, where: str) -> tuple[Kind, Any]:
        kind, value = self._literal(self._next())
        if kind not in ORDERED:
            raise BadCell(f"{where} takes a number, a date or a moment: texts are compared by equality only")
        return kind, value

    def _literal(self, token: _Token) -> tuple[Kind, Any]:
        match token.kind:
            case "text":
                return "text", _text(token.text)
            case "number":
                return "number", _number(token.text)
            case "date" | "moment":
                kind: Kind = "date" if token.kind == "date" else "moment"
                try:
                    return kind, _moment(kind, token.text)
                except ValueError:
                    raise BadCell(f"there is no date {token.text}") from None
            case "word" if token.text in ("true", "false"):
                return "truth", token.text == "true"
            case "word" if token.text == "null":
                return "null", None
            case "word":
                raise BadCell(f'put texts in quotation marks: "{token.text}"')
            case "end":
                raise BadCell(f"a value is missing; {_HINT}")
        raise BadCell(f"{token.text} has no meaning here; {_HINT}")

    def _expect(self, text: str, where: str) -> None:
        if self._next().text != text:
            example = "[1..10]" if text == ".." else 'not("DE")'
            raise BadCell(f"{text} is missing {where}: write {example}")

    def _peek(self) -> _Token:
        return self.tokens[self.at]

    def _next(self) -> _Token:
        token = self.tokens[self.at]
        self.at = min(self.at + 1, len(self.tokens) - 1)
        return token


def _text(token: str) -> str:
    try:
        value = json.loads(token)
        value.encode()
    except ValueError:
        raise BadCell(f"{token} has an escape or a character that is not allowed") from None
    return str(value)


def _number(token: str) -> Decimal:
    digits = token.removeprefix("-")
    if len(token) > NUMBER_CHARACTERS:
        raise BadCell(f"a number has {NUMBER_CHARACTERS} characters at most")
    if len(digits) > 1 and digits[0] == "0" and digits[1] != ".":
        raise BadCell(f"{token} begins with 0: write numbers without separators, such as 1000")
    return Decimal(token)


def _moment_kind(text: str) -> Kind | None:
    if _ALL_DATE.fullmatch(text):
        return "date"
    return "moment" if _ALL_MOMENT.fullmatch(text) else None


def _moment(kind: Kind, text: str) -> date | datetime:
    """A date, or a moment in UTC. Raises ValueError for one that the calendar doesn't have."""
    if kind == "date":
        return date.fromisoformat(text)
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except OverflowError as error:
        raise ValueError(str(error)) from None


def written(kind: Kind, value: Any) -> str:
    """A literal as a cell has it."""
    match kind:
        case "number":
            return f"{value:f}"
        case "text":
            return json.dumps(value, ensure_ascii=False)
        case "truth":
            return "true" if value else "false"
        case "date":
            return str(value.isoformat())
        case "moment":
            return str(value.isoformat()).replace("+00:00", "Z")
    return "null"
