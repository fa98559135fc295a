"""Values of data as people read them: tables, lists with labels, texts. What is drawn of one fact is bounded."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from engine.catalogue import Json
from engine.value_types import Type, below
from lib.typed_values import is_link, kind_of, plain_text, title_of
from runs.files.trees import FileView
from tasks_inbox.limits import FACT_CHARACTERS, FACT_COLUMNS, FACT_LEVELS, FACT_PARTS, FACT_ROWS

Kind = Literal["text", "number", "person", "link", "file", "table", "list", "fields", "code"]
SHOWN = 10
"""So many of them are seen before the rest is opened."""


@dataclass(slots=True)
class Room:
    """How many more values may be drawn, and the files that they may name."""

    left: int = FACT_PARTS
    files: Mapping[str, FileView] = field(default_factory=dict)

    def take(self) -> bool:
        """Whether there is room for one more, which is taken."""
        self.left -= 1
        return self.left >= 0


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its key, what it is called, and whether numbers alone stand in it."""

    key: str
    title: str
    is_number: bool


@dataclass(frozen=True, slots=True)
class Fact:
    """A value to be drawn. `items` are the rows, entries or fields that are seen at once, `rest` those behind them;
    `more` says how many are not drawn at all; `address` is where a link leads.
    """

    label: str
    kind: Kind
    text: str = ""
    columns: Sequence[Column] = ()
    items: Sequence[Json] = ()
    rest: Sequence[Json] = ()
    more: int = 0
    more_columns: int = 0
    address: str = ""
    file: FileView | None = None

    @property
    def is_code(self) -> bool:
        """Whether it is shown as a program would write it."""
        return self.kind == "code"

    @property
    def hidden(self) -> int:
        """How many are behind those that are seen."""
        return len(self.rest) + self.more


def drawn(facts: Sequence[Mapping[str, Json]], files: Mapping[str, FileView] | None = None) -> list[Fact]:
    """Facts as they are drawn, each by its type where it has one; `files` by id, those that the reader may read."""
    return [
        fact_of(fact["label"], fact["value"], fact.get("type"), Room(files=files or {})) for fact in facts
    ]


def fact_of(
    label: str, value: Json, kind: Type | None = None, room: Room | None = None, depth: int = 0
) -> Fact:
    """A value as it is drawn. Takes time linear in what is drawn and in the keys of the rows that are."""
    room = room or Room()
    is_full = not room.take()
    if not isinstance(value, list | dict) or not value:
        # What is asked of people they see whole; how long that may be is checked when the task opens.
        return _scalar(label, value, kind, room, math.inf if depth == 0 else FACT_CHARACTERS)
    if is_full or depth >= FACT_LEVELS:
        return _code(label, value)
    if isinstance(value, dict):
        return _fields(label, value, kind, room, depth)
    head = value[:FACT_ROWS]
    items = (kind or {}).get("items")
    if (
        all(isinstance(one, str) for one in head)
        and len(value) <= SHOWN
        and sum(map(len, head)) <= 200
        and not items
    ):
        return Fact(label, "text", ", ".join(_text(one) for one in head))
    if all(isinstance(one, dict) for one in head):
        return _table(label, value, items, room, depth)
    entries = [fact_of("", one, items, room, depth + 1) for one in head]
    return Fact(label, "list", items=entries[:SHOWN], rest=entries[SHOWN:], more=len(value) - len(head))


def _scalar(label: str, value: Json, kind: Type | None, room: Room, most: float) -> Fact:
    if kind_of(kind) == "person" and isinstance(value, str):
        return Fact(label, "person", value)
    if kind_of(kind) == "file" and isinstance(value, str) and value in room.files:
        return Fact(label, "file", room.files[value].name, file=room.files[value])
    if kind_of(kind) == "link" and is_link(value):
        return Fact(label, "link", _cut(value, most), address=value)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    is_number &= kind_of(kind) in ("", "money")
    return Fact(label, "number" if is_number else "text", _cut(plain_text(value, kind), most))


def _table(
    label: str, value: Sequence[Mapping[str, Json]], kind: Type | None, room: Room, depth: int
) -> Fact:
    """Objects below each other, a column for each key that one of them has, in the order in which keys come."""
    rows = value[:FACT_ROWS]
    keys = list(dict.fromkeys(key for row in rows for key in row))
    if not keys:
        return _code(label, value)
    columns = [_column(key, rows, below(kind, (key,))) for key in keys[:FACT_COLUMNS]]
    cells = [
        [
            fact_of(column.title, row[column.key], below(kind, (column.key,)), room, depth + 1)
            if column.key in row
            else None
            for column in columns
        ]
        for row in rows[: max(1, room.left // len(columns))]
    ]
    return Fact(
        label,
        "table",
        columns=columns,
        items=cells[:SHOWN],
        rest=cells[SHOWN:],
        more=len(value) - len(cells),
        more_columns=len(keys) - len(columns),
    )


def _column(key: str, rows: Sequence[Mapping[str, Json]], kind: Type | None) -> Column:
    values = [row[key] for row in rows if row.get(key) is not None]
    is_number = all(isinstance(one, int | float) and not isinstance(one, bool) for one in values)
    return Column(key, _text(title_of(key, kind)), bool(values) and is_number)


def _fields(label: str, value: Mapping[str, Json], kind: Type | None, room: Room, depth: int) -> Fact:
    pairs = [pair for pair, _ in zip(value.items(), range(FACT_ROWS), strict=False)]
    parts = [
        fact_of(_text(title_of(key, own)), one, own, room, depth + 1)
        for key, one in pairs
        for own in (below(kind, (key,)),)
    ]
    return Fact(label, "fields", items=parts[:SHOWN], rest=parts[SHOWN:], more=len(value) - len(parts))


def _code(label: str, value: Json) -> Fact:
    return Fact(label, "code", _json(value))


def _json(value: Json) -> str:
    text = ""
    # As it is written, so that no more is written than is shown.
    for part in json.JSONEncoder(ensure_ascii=False, indent=2).iterencode(value):
        text += part[:FACT_CHARACTERS]
        if len(text) > FACT_CHARACTERS:
            break
    return _cut(text, FACT_CHARACTERS)


def _cut(text: str, most: float) -> str:
    return _text(text) if len(text) <= most else f"{_text(text[: int(most)])}…"


def _text(text: str) -> str:
    return text.replace("\x00", "�")
