"""What a form consists of: its fields with what stands in them, and what is wrong at each; pure."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import quote

from lib.forms.moments import typed_time
from lib.forms.numbers import number_of
from lib.json import JsonValue
from lib.reader import number_text
from lib.typed_values import text_of

Kind = Literal[
    "text",
    "long",
    "date",
    "moment",
    "time",
    "person",
    "integer",
    "number",
    "money",
    "flag",
    "choice",
    "checks",
    "lines",
    "file",
    "json",
    "group",
    "rows",
]


_FORMATS = {"date": "date", "moment": "date-time", "time": "time", "person": "person"}


@dataclass(slots=True)
class FormField:
    """One field; `key` is its property, None where the whole form is one JSON value. `text` is what stands in it.

    A group has `fields`, checks one for each box, rows have `rows` of fields; `is_plain`: each row is one value.
    `place`: how problems name it, where not by its `name`; None where none does. `is_new`: conditions brought it up,
    and the page from which was posted did not show it yet. `is_next`: it is where somebody goes on, of rows at the
    button for one more; `next_drop`: of rows they go on where this one is taken out. `unit`: the currency of money,
    which has so many `decimals`. `local`: a moment as the clock of its reader says it; None where that is not known, or
    can't stand for it; of a person the name that is shown for the username. The first field for a person has the
    suggestions for all of them as its `options`.
    """

    key: str | None
    name: str
    label: str
    help: str
    kind: Kind
    required: bool
    text: str = ""
    options: tuple[tuple[str, str], ...] = ()
    max_length: int | None = None
    error: str = ""
    needed_for: str = ""
    fields: list["FormField"] = field(default_factory=list)
    rows: list[list["FormField"]] = field(default_factory=list)
    may_add: bool = False
    is_plain: bool = False
    is_optional: bool = False
    place: str | None = ""
    accept: tuple[str, ...] = ()
    max_bytes: int | None = None
    file_name: str = ""
    file_url: str = ""
    is_new: bool = False
    is_next: bool = False
    next_drop: int | None = None
    unit: str = ""
    decimals: int = 2
    local: str | None = None

    @property
    def id(self) -> str:
        """What it is called within the page, the same however many stand before it."""
        return f"field-{quote(self.name, safe='[]')}"

    @property
    def placeholder(self) -> str:
        """What it shows while it is empty, where nothing else says its name."""
        lines = ", one on each line" if self.kind == "lines" else ""
        return f"{self.label}{lines}{' (optional)' if self.is_optional else ''}"

    @property
    def entry(self) -> str:
        """What stands in its input as text."""
        return typed_time(self.text) if self.kind == "time" else self.text

    @property
    def in_words(self) -> str:
        """What stands in it, for people."""
        if self.kind == "file":
            return self.file_name or self.text
        if self.kind == "flag":
            return "yes" if self.text == "true" else "no"
        if self.kind == "checks":
            return ", ".join(box.label for box in self.fields if box.text)
        if self.kind in ("money", "number", "integer"):
            return self._number_in_words()
        if self.kind in _FORMATS:
            return text_of(self.text, {"format": _FORMATS[self.kind]}) or self.text
        return next((words for value, words in self.options if value == self.text), self.text)

    def _number_in_words(self) -> str:
        is_money = self.kind == "money"
        number, _ = number_of(self.text, self.decimals if is_money else None)
        if number is None:
            return f"{self.text} {self.unit}".strip() if self.text else ""
        kind = {"x-currency": self.unit} if is_money else None
        return text_of(number, kind) or number_text(json.dumps(number))

    @property
    def places(self) -> list[tuple[str, list["FormField"]]]:
        """Its rows with their names."""
        return [(f"{self.name}[{place}]", row) for place, row in enumerate(self.rows)]


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a field of a form: its id on the page, what it is called there, and the sentence."""

    id: str
    label: str
    message: str


@dataclass(frozen=True, slots=True)
class Form:
    """A form as it stands: its fields, the data in them, and what was typed into fields that are hidden by now.

    `is_live`: what is filled in changes which fields there are. `root` begins the names of its fields. `zone`: that of
    its reader's clock, where a script told it.
    """

    fields: list[FormField]
    data: dict[str, JsonValue]
    hidden: list[tuple[str, str]]
    is_live: bool
    root: str
    zone: str = ""

    def each(self) -> Iterator[FormField]:
        """All fields, also those within groups and rows."""
        return each_of(self.fields)

    def properties(self) -> list[str | None]:
        """The properties that have a field."""
        return [one.key for one in self.fields]

    @property
    def has_moments(self) -> bool:
        """Whether something in it is a moment or a time of day, which a clock says."""
        return any(one.kind in ("moment", "time") for one in self.each())

    def faults(self) -> list[Fault]:
        """What is wrong at its fields, from the first to the last, each with the names of what it is within."""
        return list(_faults_of(self.fields, ""))

    def show(self, problems: Iterable[Mapping[str, JsonValue]]) -> list[str]:
        """Put each problem (`field`, `message`) at its field, unless one stands there; gives those of no field."""
        rest = []
        places = [(one.place or one.name, one) for one in self.each() if one.place is not None]
        places.sort(key=lambda pair: len(pair[0]), reverse=True)
        for problem in problems:
            name, message = str(problem["field"]), str(problem["message"])
            owner = next((one for place, one in places if self._is_within(name, place)), None)
            if owner is None:
                bare = name in ("", self.root)
                rest.append(message if bare else f"{name.removeprefix(f'{self.root}.')}: {message}")
            elif not owner.error:
                owner.error = message
        return rest

    def _is_within(self, name: str, place: str) -> bool:
        return place in (name, self.root) or name.startswith((f"{place}.", f"{place}["))


def each_of(fields: Iterable[FormField]) -> Iterator[FormField]:
    """These fields and all within them."""
    for one in fields:
        yield one
        yield from each_of(one.fields)
        for row in one.rows:
            yield from each_of(row)


def _faults_of(fields: Iterable[FormField], within: str) -> Iterator[Fault]:
    for one in fields:
        label = f"{within}{one.label}"
        if one.error:
            yield Fault(one.id, label, one.error)
        yield from _faults_of(one.fields, f"{label}, ")
        for number, row in enumerate(one.rows, 1):
            yield from _faults_of(row, within if one.is_plain else f"{label} {number}, ")
