"""The words of a search in a list of runs that narrow it: `status:failed waiting:>2d input.amount>1000`; pure."""

import json
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from engine.catalogue import Json
from lib.search_grammar import Fields, NotUnderstood, Term, quoted, unquoted
from lib.search_keys import values_at
from runs.reading.run_view import FILTERED

FIELDS = (
    *("workflow", "version", "status", "by", "since", "until", "key", "step", "waiting", "test"),
    *FILTERED,
)
"""What a word may begin with, beside `input.` and the names of fields of the input."""
ALIASES = {"flow": "workflow", "state": "status", "who": "by", "node": "step"}
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
UNITS = {"m": ("minutes", "minute"), "h": ("hours", "hour"), "d": ("days", "day"), "w": ("weeks", "week")}
_COMPARES: Mapping[str, Callable[[Any, Any], bool]] = {
    ":": operator.eq,
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_OF_INPUT = ("input.", "data.")
GRAMMAR = Fields(FIELDS, ALIASES, _OF_INPUT)
OF_REQUESTS = Fields(("workflow", "status", "since", "until", "key"), ALIASES, _OF_INPUT)
"""What requesters may know of runs whose workflows they may not read."""

_LAST = re.compile(r"(?:^|(?<=\s))(?:-?[A-Za-z]\w*:\"(?:[^\"\\]|\\.)*|\S*)\Z")
_SPAN = re.compile(r"(\d{1,4})([mhdw])")
_NUMBER = re.compile(r"-?\d{1,30}(?:\.\d{1,30})?")
_CONSTANTS = ("true", "false", "null")


@dataclass(frozen=True, slots=True)
class InputTest:
    """What must hold of a field of the input: `path` are the names that lead to it."""

    path: tuple[str, ...]
    compared: str
    value: str

    @property
    def json_path(self) -> str:
        """The test as PostgreSQL's `jsonpath`; a list fits where one of its items does."""
        place = "".join(f".{json.dumps(name)}" for name in self.path)
        sign = "==" if self.compared == ":" else self.compared
        return f"${place} ? ({' || '.join(f'@ {sign} {literal}' for literal in self._literals())})"

    def _literals(self) -> list[str]:
        """What the value may be: a number that is written so, true, false or null, or a text."""
        number = [f"({self.value})"] if _NUMBER.fullmatch(self.value) else []
        if self.compared != ":" and number:
            return number
        constant = [self.value] if self.compared == ":" and self.value in _CONSTANTS else []
        return [json.dumps(self.value), *number, *constant]

    @property
    def name(self) -> str:
        """The path as people write it."""
        return ".".join(self.path)

    @property
    def number(self) -> Decimal | None:
        """The value as a number, if it is written as one."""
        return Decimal(self.value) if _NUMBER.fullmatch(self.value) else None

    def holds(self, value: Json) -> bool:
        """Whether an input passes the test, as `json_path` has it."""
        return any(map(self._fits, values_at(value, self.path)))

    def _fits(self, item: Json) -> bool:
        number = self.number
        if isinstance(item, bool) or item is None:
            return self.compared == ":" and json.dumps(item) == self.value
        if isinstance(item, int | float | Decimal):
            return number is not None and _COMPARES[self.compared](Decimal(str(item)), number)
        if not isinstance(item, str) or (number is not None and self.compared != ":"):
            return False
        return _COMPARES[self.compared](item, self.value)

    def __str__(self) -> str:
        sign = " is" if self.compared == ":" else f" {self.compared}"
        return f"input {self.name}{sign} {self.value}"


@dataclass(frozen=True, slots=True)
class Waiting:
    """How long a step of a run has waited: for longer than that, or for less."""

    longer: bool
    count: int
    unit: str

    @property
    def span(self) -> timedelta:
        """The time that is meant."""
        return timedelta(**{UNITS[self.unit][0]: self.count})

    def __str__(self) -> str:
        many, one = UNITS[self.unit]
        than = "more" if self.longer else "less"
        return f"waiting for {than} than {self.count} {one if self.count == 1 else many}"


def input_test(word: Term) -> InputTest | None:
    """The test of the input that a word is, if it is one. Raises NotUnderstood for one without a field or a value."""
    if not word.name.lower().startswith(_OF_INPUT):
        return None
    path = tuple(word.name.split(".")[1:])
    if not all(path) or not word.value:
        raise NotUnderstood("Write input.amount>1000 or input.country:DE.")
    return InputTest(path, word.compared, word.value)


def waiting(word: Term) -> Waiting:
    """How long a step has waited, as `>2d` says it; `2d` alone is for longer. Raises NotUnderstood."""
    match = _SPAN.fullmatch(word.value.lower())
    if match is None:
        raise NotUnderstood("Write waiting:>2d or waiting:<1h; there are m, h, d and w.")
    return Waiting(not word.compared.startswith("<"), int(match[1]), match[2])


def day(text: str, today: date) -> date | None:
    """The day that a word stands for: `today`, `yesterday`, the last `monday`, `7d` ago; None for anything else."""
    word = text.strip().lower()
    if word in ("today", "yesterday"):
        return today - timedelta(days=word == "yesterday")
    if word in DAYS:
        return today - timedelta(days=(today.weekday() - DAYS.index(word)) % 7)
    match = _SPAN.fullmatch(word)
    if match is None or match[2] not in "dw":
        return None
    return today - timedelta(**{UNITS[match[2]][0]: int(match[1])})


Offer = tuple[str, str]
"""A whole text to search for, and what it finds in words."""


def offers(text: str, values: Mapping[str, Callable[[], list[tuple[str, str]]]]) -> list[Offer]:
    """How the word that is being written at the end of a text may go on, each as a whole text to search for.

    `values`: of which fields it is known what there may be, each value with its words.
    """
    before, last = _parted(text)
    name, colon, begun = last.partition(":")
    name = ALIASES.get(name.lower(), name.lower())
    if colon and name == "key":
        # Keys are told apart by their case, and have been looked for by how they begin.
        choices = values[name]() if name in values else []
        return [(f"{before}key:{quoted(key)}", words) for key, words in choices if quoted(key) != begun]
    if colon:
        choices = values[name]() if name in values else []
        return [
            (f"{before}{name}:{value}", words)
            for value, words in choices
            if value.lower().startswith(begun.lower()) and value.lower() != begun.lower()
        ]
    names = (*FIELDS, "input.")
    return [
        (f"{before}{one if one.endswith('.') else f'{one}:'}", MEANS[one])
        for one in names
        if last and one.startswith(last.lower()) and one != last.lower()
    ]


def key_begun(text: str) -> str:
    """How the business key begins that is being written at the end of a text; empty where none is."""
    name, colon, begun = _parted(text)[1].partition(":")
    return unquoted(begun) if colon and name.lower() == "key" else ""


def _parted(text: str) -> tuple[str, str]:
    """What stands before the word that is being written, and the word; in quotes it may have spaces."""
    at = next(match.start() for match in _LAST.finditer(text))
    return text[:at], text[at:]


MEANS = {
    "workflow": "runs of a workflow",
    "version": "that are on this version of it",
    "status": "by status: failed, waiting, open…",
    "by": "who started them, or me",
    "since": "started since: today, monday, 7d or a date",
    "until": "started until: yesterday or a date",
    "key": "with exactly this business key",
    "step": "that are at this step now",
    "waiting": "waiting for more than: >2d, or less: <1h",
    "test": "yes: tests of drafts, which are not listed otherwise",
    **{name: f"{column.label}: {', '.join(column.values[:3])}…" for name, column in FILTERED.items()},
    "input.": "by a field of the input: input.amount>1000",
}
