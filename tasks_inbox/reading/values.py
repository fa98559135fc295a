"""Values that tasks tell, of their facts and of what was filled in, as conditions and keys of lists (`data.amount`)."""

import json
from dataclasses import dataclass
from math import isfinite

from django.core.exceptions import ValidationError
from django.db.models import BooleanField, Expression, F, Field, Func, Q, TextField, Value

from engine.catalogue import Json
from lib.strict_json import BadJson, strict_loads
from tasks_inbox.limits import SEARCH_VALUE_BYTES

TOLD_KEY = r"[\w-]{1,100}"
_WORDS = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class ToldIs:
    """That a task tells this value: a text as it stands there, or the number, yes or no that it may mean."""

    key: str
    value: str

    def condition(self, of: str) -> Q:
        """As a condition of the column or alias `of`, which an index answers."""
        values: list[Json] = [self.value]
        if (number := _number(self.value)) is not None:
            values.append(number)
        if self.value.lower() in _WORDS:
            values.append(_WORDS[self.value.lower()])
        condition = Q()
        for one in values:
            condition |= Q(**{f"{of}__contains": {self.key.lower(): one}})
        return condition


def told_than(key: str, than: str, value: str) -> Q:
    """That a task tells a value that is more or less: as numbers where this is one, otherwise as texts and dates."""
    number = _number(value)
    path = f'$."{key.lower()}" ? (@ {than} $v)'
    variables = json.dumps({"v": value if number is None else number})
    return Q(_Holds(F("at_told"), Value(path), Value(variables), output_field=BooleanField()))


def told_value(of: str, key: str) -> Expression:
    """A value that tasks tell, as a key of a list; nothing told is null."""
    return _ValueAtKey(F(of), Value(key, output_field=TextField()), output_field=ToldKey())


class ToldKey(Field):  # type: ignore[type-arg]
    """A JSON value as its text, compared by the database as it compares jsonb: numbers as numbers."""

    def clean(self, value: Json, model_instance: Json) -> str:
        """The text of a value in a cursor. Raises ValidationError."""
        try:
            strict_loads(str(value).encode(), max_bytes=SEARCH_VALUE_BYTES)
        except BadJson as error:
            raise ValidationError(error.message) from None
        return str(value)

    def get_placeholder(self, value: Json, compiler: Json, connection: Json) -> str:
        """How a value stands in a statement."""
        return "%s::jsonb"


class _ValueAtKey(Func):
    template = "coalesce(%(expressions)s, 'null'::jsonb)"
    arg_joiner = " -> "


class _Holds(Func):
    template = "jsonb_path_exists(%(expressions)s::jsonb)"


def _number(text: str) -> int | float | None:
    try:
        number = json.loads(text)
    except ValueError:
        return None
    # Python reads NaN, and 1e400 as infinite: neither is a number in JSON.
    is_number = isinstance(number, int | float) and not isinstance(number, bool) and isfinite(number)
    return number if is_number else None
