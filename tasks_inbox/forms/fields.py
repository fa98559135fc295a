"""What a task's form consists of on a page: its fields with what stands in them, and the faults at each; pure."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import quote

from engine.catalogue import Json

Kind = Literal[
    "text",
    "long",
    "date",
    "moment",
    "time",
    "integer",
    "number",
    "flag",
    "choice",
    "checks",
    "file",
    "json",
    "group",
    "rows",
]

ROOT = "data"


@dataclass(slots=True)
class FormField:
    """One field; `key` is its property, None where the whole form is one JSON value. `text` is what stands in it.

    A group has `fields`, checks one for each box, rows have `rows` of fields; `is_plain`: each row is one value.
    `told_as`: how faults name it, where not by its `name`; None where none does. `is_new`: conditions brought it up,
    and the page from which was posted did not show it yet.
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
    told_as: str | None = ""
    accept: tuple[str, ...] = ()
    max_bytes: int | None = None
    file_name: str = ""
    is_new: bool = False
    is_next: bool = False

    @property
    def id(self) -> str:
        """What it is called within the page, the same however many stand before it."""
        return f"field-{quote(self.name, safe='[]')}"

    @property
    def needs_file(self) -> bool:
        """Whether a file may be chosen for it now."""
        return self.kind == "file" and not self.text

    @property
    def said(self) -> str:
        """What stands in it, in words."""
        if self.kind == "file":
            return self.file_name
        if self.kind == "flag":
            return "yes" if self.text == "true" else "no"
        if self.kind == "checks":
            return ", ".join(one.label for one in self.fields if one.text)
        return next((words for value, words in self.options if value == self.text), self.text)

    @property
    def places(self) -> list[tuple[str, list["FormField"]]]:
        """Its rows with their names."""
        return [(f"{self.name}[{place}]", row) for place, row in enumerate(self.rows)]


@dataclass(frozen=True, slots=True)
class Form:
    """A form as it stands: its fields, the data in them, and what was typed into fields that are hidden by now."""

    fields: list[FormField]
    data: dict[str, Json]
    hidden: list[tuple[str, str]]
    is_live: bool

    def each(self) -> Iterator[FormField]:
        """All fields, also those within groups and rows."""
        return each_of(self.fields)

    def properties(self) -> list[str | None]:
        """The properties that have a field."""
        return [one.key for one in self.fields]

    def tell(self, faults: Iterable[Mapping[str, Json]]) -> list[str]:
        """Say each fault at its field, unless something is said there; gives those that belong to no field."""
        rest = []
        known = [(one.told_as or one.name, one) for one in self.each() if one.told_as is not None]
        known.sort(key=lambda one: len(one[0]), reverse=True)
        for fault in faults:
            name, message = str(fault["field"]), str(fault["message"])
            found = next((one for path, one in known if _is_within(name, path)), None)
            if found is None:
                rest.append(message if name in ("", ROOT) else f"{name.removeprefix('data.')}: {message}")
            elif not found.error:
                found.error = message
        return rest


def _is_within(name: str, path: str) -> bool:
    return name == path or name.startswith((f"{path}.", f"{path}[")) or path == ROOT


def each_of(fields: Iterable[FormField]) -> Iterator[FormField]:
    for one in fields:
        yield one
        yield from each_of(one.fields)
        for row in one.rows:
            yield from each_of(row)
