"""What a value of a described type reads like for the current reader: amounts, dates, moments, people, choices.

A type is a reduced JSON Schema (`engine.value_types`): `format`, `x-currency`, titled choices in `oneOf`.
"""

import json
import math
import re
import unicodedata
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime, time
from decimal import Decimal
from typing import Literal, NamedTuple

from lib.forms.numbers import decimals_of
from lib.json import Json, JsonValue
from lib.reader import NOBODY, date_text, number_text, reader

Type = Mapping[str, JsonValue]
Kind = Literal["money", "date", "moment", "time", "person", "file", "link", "email", "choice", ""]

_KINDS: Mapping[str, Kind] = {
    "date": "date",
    "date-time": "moment",
    "time": "time",
    "person": "person",
    "file": "file",
    "uri": "link",
    "email": "email",
    "money": "money",
}
_TIME = re.compile(
    r"([0-9]{2}:[0-9]{2}(?::[0-9]{2})?)(?:\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})?(?:\[([\w/+-]{1,64})\])?"
)
_MOST_DIGITS = 40
_TITLE_CHARACTERS = 100
_NO_FILES: Mapping[str, str] = {}
_SCHEMES = ("https://", "http://")


def kind_of(kind: Type | None) -> Kind:
    """What sort of value a type describes; empty for values that read like any other."""
    if not kind:
        return ""
    if "x-currency" in kind:
        return "money"
    if kind.get("oneOf"):
        return "choice"
    return _KINDS.get(str(kind.get("format")), "")


def text_of(value: JsonValue, kind: Type | None) -> str | None:
    """A value as its reader writes values of its type; None where it is no such value, or reads like any other.

    `x-bare`: the currency of an amount stands beside it already.
    """
    match kind_of(kind):
        case "money":
            return _amount(value, kind or {})
        case "choice":
            return _choice(value, kind or {})
        case "date":
            return _date(value)
        case "moment":
            return _moment(value)
        case "time":
            return _time(value)
        case "person":
            return _person(value)
    return None


NAMES_OF_KINDS: Mapping[Kind, str] = {
    "money": "an amount, such as 1250.50",
    "date": "a day, such as 2027-01-31",
    "moment": "a moment with its zone, such as 2027-01-31T09:00:00Z",
    "time": "a time with its zone, such as 09:00:00Z",
    "choice": "one of its choices",
    "link": "an address that begins with https://",
}
"""What a value of each kind is, in a sentence that says what is needed."""


def fits(value: JsonValue, kind: Type | None) -> bool:
    """Whether a value may be one of this type, or is no value at all."""
    name = kind_of(kind)
    if value is None or name not in NAMES_OF_KINDS:
        return True
    return is_link(value) if name == "link" else text_of(value, kind) is not None


def is_link(value: JsonValue) -> bool:
    """Whether a page may link to this address: a web page, and no script."""
    return isinstance(value, str) and value.lower().startswith(_SCHEMES) and not any(map(str.isspace, value))


def plain_text(
    value: JsonValue,
    kind: Type | None = None,
    *,
    files: Mapping[str, str] = _NO_FILES,
    most: float = math.inf,
    between: str = "; ",
    is_exact: bool = False,
) -> str:
    """A value in one text of at most so many characters, its parts by their types.

    Entries of a list stand after commas, those with fields on lines of their own; the fields of the value itself are
    apart by `between`. `files`: by id what files are called. `is_exact`: behind a text that reads otherwise than it is
    stands what it is.
    """
    text = ""
    for part in _parts(value, kind, _Style(files, between, is_exact)):
        text += part
        if len(text) > most:
            return f"{text[: int(most) - 1]}…"
    return text


def title_of(key: str, kind: Type | None = None) -> str:
    """What a key is called: as its type has it, otherwise `paid_at` is “Paid at”."""
    if kind and kind.get("title"):
        return str(kind["title"])[:_TITLE_CHARACTERS]
    words = key[:_TITLE_CHARACTERS].replace("_", " ").strip()
    return (words[:1].upper() + words[1:]) or key[:_TITLE_CHARACTERS]


class _Style(NamedTuple):
    files: Mapping[str, str]
    between: str
    is_exact: bool


def _parts(value: JsonValue, kind: Type | None, style: _Style) -> Iterator[str]:
    own = text_of(value, kind)
    if isinstance(value, dict) and value and own is None:
        types, inner = _type((kind or {}).get("properties")) or {}, style._replace(between="; ")
        for place, (key, one) in enumerate(value.items()):
            below = _type(types.get(key))
            name = key if style.is_exact else title_of(key, below)
            yield f"{style.between if place else ''}{name}: "
            yield from _parts(one, below, inner)
    elif isinstance(value, list) and value and own is None:
        items, has_fields = _type((kind or {}).get("items")), any(isinstance(one, dict) for one in value)
        for place, one in enumerate(value):
            if place:
                yield "\n" if has_fields else ", "
            yield from _parts(one, items, style._replace(between="; "))
    else:
        yield _scalar(value, kind, own, style)


def _scalar(value: JsonValue, kind: Type | None, own: str | None, style: _Style) -> str:
    if isinstance(value, str):
        if kind_of(kind) == "file" and value in style.files:
            return style.files[value]
        text = value if own is None else own
        return f"{text} ({value})" if style.is_exact and text.replace("\u00a0", " ") != value else text
    if own is not None:
        return own
    if isinstance(value, bool):
        return "yes" if value else "no"
    return number_text(json.dumps(value)) if isinstance(value, int | float) else "none"


def found(typed: Iterable[tuple[JsonValue, Type | None]], sort: Kind, most: int) -> list[str]:
    """The texts of this sort in values of these types, also in lists and fields of them, `most` at most."""
    texts: list[str] = []
    pending: deque[tuple[JsonValue, Type | None]] = deque(typed)
    while pending and len(texts) < most:
        value, kind = pending.popleft()
        if not kind:
            continue
        if kind_of(kind) == sort and isinstance(value, str):
            texts.append(value)
        elif isinstance(value, list):
            pending.extend((one, _type(kind.get("items"))) for one in value[:most])
        elif isinstance(value, dict):
            fields = _type(kind.get("properties")) or {}
            pending.extend((value.get(key), _type(one)) for key, one in fields.items())
    return texts


def _type(kind: JsonValue) -> Type | None:
    return kind if isinstance(kind, Mapping) else None


def differences_text(differences: Json) -> str:
    """Corrections `{label, before, after, type?}` in one line; empty where there is none."""
    entries = (
        [one for one in differences if isinstance(one, Mapping)] if isinstance(differences, list) else []
    )
    return ", ".join(
        f"{one.get('label')}: {plain_text(one.get('before'), one.get('type'))} → "
        f"{plain_text(one.get('after'), one.get('type'))}"
        for one in entries
    )


def exact(value: JsonValue) -> Decimal | None:
    """A number with the digits that JSON shows, so that sums of amounts are exact; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    number = Decimal(repr(value))
    return number if number.is_finite() and abs(number.adjusted()) <= _MOST_DIGITS else None


def amount_text(number: Decimal, currency: str) -> str:
    """An amount in a currency: with its decimals, and all further ones that it has. Pages don't break it in two."""
    space = " " if reader() is NOBODY else "\u00a0"
    return f"{_decimal_text(number, decimals_of(currency.upper()))}{space}{currency}"


def _amount(value: JsonValue, kind: Type) -> str | None:
    number, currency = exact(value), kind.get("x-currency")
    if number is None:
        return None
    if not isinstance(currency, str) or not currency:
        return _decimal_text(number, 2)
    if kind.get("x-bare"):
        return _decimal_text(number, decimals_of(currency.upper()))
    return amount_text(number, currency)


def _decimal_text(number: Decimal, decimals: int) -> str:
    text = f"{number:f}"
    whole, _, fraction = text.partition(".")
    fraction = fraction.rstrip("0").ljust(decimals, "0")
    return number_text(f"{whole}.{fraction}" if fraction else whole)


def _choice(value: JsonValue, kind: Type) -> str | None:
    choices = kind.get("oneOf")
    for one in choices if isinstance(choices, list) else ():
        if isinstance(one, Mapping) and json.dumps(one.get("const")) == json.dumps(value):
            return str(one.get("title"))
    return None


def _date(value: JsonValue) -> str | None:
    try:
        return date_text(date.fromisoformat(value)) if isinstance(value, str) else None
    except ValueError:
        return None


def _moment(value: JsonValue) -> str | None:
    try:
        at = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    if at is None or at.tzinfo is None:
        return None
    try:
        return reader().moment(at, seconds=bool(at.second))
    except OverflowError:
        return None


def _time(value: JsonValue) -> str | None:
    """A time of day with its zone: it is a time there, on whatever day."""
    match = _TIME.fullmatch(value) if isinstance(value, str) else None
    try:
        at = None if match is None else time.fromisoformat(match[1])
    except ValueError:
        return None
    if match is None or at is None:
        return None
    zone = (match[3] or "").replace("_", " ") or ("UTC" if match[2] == "Z" else match[2] or "")
    local = reader().locale.time(datetime.combine(date.min, at), seconds=bool(at.second))
    return f"{local} {zone}".strip()


def _person(value: JsonValue) -> str | None:
    if not isinstance(value, str):
        return None
    key = unicodedata.normalize("NFKC", value).strip().lower()
    return reader().called.get(("person", key)) or value
