"""A step's params as fields of a form: made from the JSON Schema of the params, and read back from what was posted.

Whatever a schema says, a field can be made of it: what has no field of its own is written as JSON. What was typed
is never thrown away: a word where a number belongs stays in the draft, and `validate` says what is wrong with it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Literal

import orjson

from engine.catalogue import Json
from engine.templates import has_holes

Schema = Mapping[str, Json]
Posted = Mapping[str, Sequence[str]]
Kind = Literal["text", "long", "integer", "number", "flag", "choice", "lines", "rows", "json"]

LONG_TEXT = 300
AS_JSON = ":json"
_WORDS = {
    "html": "HTML",
    "llm": "LLM",
    "url": "URL",
    "json": "JSON",
    "id": "ID",
    "http": "HTTP",
    "chars": "characters",
}
_ABSENT = object()


@dataclass(frozen=True, slots=True)
class Cell:
    """One input of a row of a list of objects."""

    name: str
    label: str
    value: str


@dataclass(frozen=True, slots=True)
class Row:
    """One object of a list: its texts as inputs, whatever else it has as JSON in `rest`."""

    cells: tuple[Cell, ...]
    rest: str


@dataclass(slots=True)
class ParamField:
    """One param as a field. `text` is what stands in its input, `rows` what stands in a list of objects."""

    param: str
    name: str
    label: str
    help: str
    kind: Kind
    required: bool
    text: str = ""
    checked: bool = False
    options: tuple[str, ...] = ()
    minimum: Json = None
    maximum: Json = None
    rows: list[Row] = field(default_factory=list)
    error: str = ""

    @property
    def id(self) -> str:
        """The id of its input."""
        return self.name.replace(".", "-")

    @property
    def json_name(self) -> str:
        """The name of its input where it is written as JSON: any field may be, whatever its schema says."""
        return f"{self.name}{AS_JSON}"

    @property
    def columns(self) -> list[str]:
        """The heads of a list of objects."""
        return [cell.label for cell in self.rows[0].cells] if self.rows else []


def fields_of(schema: Schema, params: Mapping[str, Json], prefix: str) -> list[ParamField]:
    """The fields of these params; their names begin with `prefix`."""
    required = schema.get("required", ())
    return [
        _field(name, described, schema, params.get(name, _ABSENT), prefix, name in required)
        for name, described in schema.get("properties", {}).items()
    ]


def read_params(schema: Schema, posted: Posted, prefix: str, before: Mapping[str, Json]) -> dict[str, Json]:
    """The params that were posted.

    What equals its default is left out, unless it stood there `before`: saving a draft that nobody touched changes
    nothing. Params of `before` that the schema does not know stay.
    """
    properties: Schema = schema.get("properties", {})
    params = {name: value for name, value in before.items() if name not in properties}
    for name, described in properties.items():
        plain = _plain(described, schema)
        value = _value(_kind(plain, schema), posted, f"{prefix}.{name}")
        is_default = value is _ABSENT or ("default" in described and value == described["default"])
        if value is _ABSENT and before.get(name, 0) is None:
            value, is_default = None, False
        if not is_default or (name in before and value is not _ABSENT):
            params[name] = value
    return params


def _field(
    name: str, described: Schema, schema: Schema, value: Json, prefix: str, required: bool
) -> ParamField:
    plain = _plain(described, schema)
    kind = _kind(plain, schema)
    shown = described.get("default") if value is _ABSENT else value
    made = ParamField(
        param=name,
        name=f"{prefix}.{name}",
        label=label_of(name, described.get("title")),
        help=described.get("description", plain.get("description", "")),
        kind=kind,
        required=required,
        minimum=plain.get("minimum"),
        maximum=plain.get("maximum"),
    )
    if kind == "flag":
        if isinstance(shown, bool) or shown is None:
            made.checked = bool(shown)
        else:
            made.kind, made.text = "json", _json_text(shown)
    elif kind == "rows":
        _fill_rows(made, plain, schema, shown)
    else:
        made.kind, made.text = _as_text(kind, shown)
    if made.kind == "choice":
        made.options = _options(
            plain, made.text, may_be_empty=not required and described.get("default") is None
        )
    return made


def _options(plain: Schema, chosen: str, *, may_be_empty: bool) -> tuple[str, ...]:
    """What a choice offers: also what was chosen although it is none of them, and nothing, where that may be."""
    listed = [str(option) for option in plain["enum"]]
    other = [chosen] if chosen not in listed and (chosen or may_be_empty) else []
    return (*other, *listed)


def label_of(name: str, title: str | None = None) -> str:
    """`strip_html` becomes Strip HTML; a title that somebody wrote is taken as it is."""
    if title and title != name.replace("_", " ").title():
        return title
    words = [_WORDS.get(word, word) for word in name.split("_") if word]
    return " ".join([words[0][:1].upper() + words[0][1:], *words[1:]]) if words else name


def _plain(described: Schema, schema: Schema) -> Schema:
    """The schema of a value that is given: references followed, "or null" left out."""
    if "$ref" in described:
        return _plain(schema.get("$defs", {}).get(described["$ref"].rpartition("/")[2], {}), schema)
    choices = [choice for choice in described.get("anyOf", ()) if choice.get("type") != "null"]
    return _plain(choices[0], schema) if len(choices) == 1 else described


def _kind(plain: Schema, schema: Schema) -> Kind:
    if "enum" in plain and all(isinstance(option, str) for option in plain["enum"]):
        return "choice"
    match plain.get("type"):
        case "boolean":
            return "flag"
        case "integer":
            return "integer"
        case "number":
            return "number"
        case "string":
            is_long = plain.get("maxLength", 0) > LONG_TEXT or plain.get("x-widget") == "textarea"
            return "long" if is_long else "text"
        case "array":
            return _kind_of_list(plain.get("items", {}), schema)
        case _:
            return "json"


def _kind_of_list(items: Schema, schema: Schema) -> Kind:
    if _plain(items, schema).get("type") == "string":
        return "lines"
    return "rows" if _columns(items, schema) else "json"


def _columns(items: Schema, schema: Schema) -> list[str]:
    """The texts of an object in a list that has a name; a bare text stands for an object with that name alone."""
    for choice in items.get("anyOf", (items,)):
        plain = _plain(choice, schema)
        if plain.get("type") == "object" and "name" in plain.get("properties", {}):
            return [
                name
                for name, described in plain["properties"].items()
                if _plain(described, schema).get("type") == "string"
            ]
    return []


def _as_text(kind: Kind, value: Json) -> tuple[Kind, str]:
    """How a value stands in an input; another kind where the value is none that this input can hold."""
    if value is None:
        return kind, ""
    if kind == "lines" and isinstance(value, list) and all(isinstance(item, str) for item in value):
        return kind, "\n".join(value)
    if kind in ("text", "long", "choice") and isinstance(value, str):
        return kind, value
    if kind in ("integer", "number"):
        if isinstance(value, int | float) and not isinstance(value, bool):
            return kind, str(value)
        # A text input, because one for numbers shows neither an expression nor what is no number.
        return ("text", value) if isinstance(value, str) else ("json", _json_text(value))
    return "json", _json_text(value)


def _json_text(value: Json) -> str:
    """JSON to be edited; a text that could not be read as JSON stands as it was typed."""
    if isinstance(value, str):
        try:
            orjson.loads(value)
        except orjson.JSONDecodeError:
            return value
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


def _fill_rows(made: ParamField, plain: Schema, schema: Schema, value: Json) -> None:
    columns = _columns(plain["items"], schema)
    items = [{"name": item} if isinstance(item, str) else item for item in value or ()]
    if isinstance(value, str) or not all(_fits(item, columns) for item in items):
        made.kind, made.text = "json", _json_text(value)
        return
    made.rows = [_row(made.name, columns, item) for item in items]
    # An empty row to write the next one in, also where no script runs.
    made.rows.append(_row(made.name, columns, {}))


def _fits(item: Json, columns: Sequence[str]) -> bool:
    return isinstance(item, dict) and all(isinstance(item.get(name, ""), str | None) for name in columns)


def _row(prefix: str, columns: Sequence[str], item: Mapping[str, Json]) -> Row:
    cells = [Cell(f"{prefix}.{name}", label_of(name), item.get(name) or "") for name in columns]
    rest = {name: value for name, value in item.items() if name not in columns}
    return Row(tuple(cells), orjson.dumps(rest).decode() if rest else "")


def _value(kind: Kind, posted: Posted, name: str) -> Json:
    """What was posted for one param; _ABSENT where nothing was."""
    if f"{name}{AS_JSON}" in posted:
        return _json_value(_text(posted, f"{name}{AS_JSON}"))
    if kind == "flag":
        return name in posted
    if kind == "rows":
        return _rows_value(posted, name) or _ABSENT
    text = _text(posted, name)
    if kind == "lines":
        return [line.strip() for line in text.splitlines() if line.strip()] or _ABSENT
    if not text.strip():
        return _ABSENT
    return _number(text) if kind in ("integer", "number") else text


def _number(text: str) -> Json:
    text = text.strip()
    if has_holes(text):
        return text
    if re.fullmatch(r"[+-]?[0-9]{1,15}", text, re.ASCII):
        return int(text)
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        return text
    return number if abs(number) < 1e15 else text


def _json_value(text: str) -> Json:
    if not text.strip():
        return _ABSENT
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text


def _rows_value(posted: Posted, name: str) -> list[Json]:
    """The objects of a list; rows without anything in them are not there."""
    found = {key for key in posted if re.fullmatch(rf"{re.escape(name)}\.[^.:]+", key)}
    columns = sorted(found - {f"{name}.rest"})
    texts = zip_longest(*(posted[column] for column in columns), fillvalue="")
    rests = posted.get(f"{name}.rest", ())
    items: list[Json] = []
    for row, rest in zip_longest(texts, rests, fillvalue=""):
        item = {column.rpartition(".")[2]: text.strip() for column, text in zip(columns, row, strict=False)}
        given = {key: text for key, text in item.items() if text}
        if not given:
            continue
        more = _json_value(rest or "")
        given |= more if isinstance(more, dict) else {}
        items.append(given["name"] if set(given) == {"name"} else given)
    return items


def _text(posted: Posted, name: str) -> str:
    """What was posted, with the line breaks and characters that a definition can hold."""
    values = posted.get(name) or ("",)
    return values[-1].replace("\r\n", "\n").replace("\x00", "")
