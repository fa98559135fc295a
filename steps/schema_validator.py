"""The validator of JSON Schema, whose work is counted: whatever schema meets whatever value, it comes to an end.

What the library does in the square of a value's size, or with Python's regular expressions, is done here instead.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Any
from zoneinfo import available_timezones

import jsonschema
import orjson
from jsonschema._utils import extras_msg, find_evaluated_item_indexes_by_schema

from engine.catalogue import Json
from engine.errors import ExpressionError, TooMuchWork
from engine.expressions import matches
from engine.work import Sharing, Work, shared_work
from steps.addresses import is_address
from steps.limits import MATCHED_CHARACTERS

CHECK_UNITS = 100_000
"""What it may take to check any value, in keywords that are looked at; for each part of a large one come some more."""
_UNITS_OF_A_PART = 10
_UNITS_OF_A_MATCH = 20
_NAMES_OF_A_UNIT = 16
_CHARS_OF_A_UNIT = 250
_MESSAGE_CHARS = 2_000
_ZONED_TIME = re.compile(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\[([\w/+-]{1,64})\]", re.ASCII)
FORMATS = ("date", "date-time", "time", "email", "uri", "uuid")

Errors = Iterator[jsonschema.ValidationError]
Keyword = Callable[[Any, Any, Json, Any], Iterable[jsonschema.ValidationError]]


class ValueWork(Work):
    """What may still be done to check one value: it takes of what its request may, and some more by its size."""

    __slots__ = ("_keys", "_outer", "_value")

    def __init__(self, value: Json) -> None:
        self._outer = shared_work()
        super().__init__(
            "the value", CHECK_UNITS if self._outer is None else min(CHECK_UNITS, self._outer.left)
        )
        if self._outer is not None:
            self.inline = self._outer.inline
        self._value = value
        self._keys: dict[int, object] = {}

    def spend(self, units: int = 1) -> None:
        """As of any work."""
        self.left -= units
        if self.left < 0 and self._value is not None:
            more, self._value = _UNITS_OF_A_PART * _parts(self._value), None
            self.left += more
            self.budget += more
        if self.left < 0:
            raise TooMuchWork(self.place, self.budget)

    def settle(self) -> None:
        """Take of what the request may do what was done here."""
        if self._outer is not None:
            self._outer.left = max(0, self._outer.left - min(CHECK_UNITS, self.budget - self.left))
            self._outer.inline = self.inline

    def key(self, value: Json) -> object:
        """What is equal for values that JSON Schema takes for equal, and for no others; can be hashed."""
        if not isinstance(value, dict | list):
            return (value,) if isinstance(value, bool) else value
        if id(value) not in self._keys:
            self.spend(len(value))
            self._keys[id(value)] = (
                frozenset((name, self.key(part)) for name, part in value.items())
                if isinstance(value, dict)
                else (list, *map(self.key, value))
            )
        return self._keys[id(value)]

    def keys(self, values: list[Json]) -> set[object]:
        """The keys of a list's values; those of the same list once."""
        at = -id(values)
        if at not in self._keys:
            self.spend(len(values))
            self._keys[at] = set(map(self.key, values))
        return self._keys[at]  # type: ignore[return-value]


class Validator:
    """What a schema says of values."""

    def __init__(self, schema: Json, validator: Any = None) -> None:
        self._validator = _Counting(schema, format_checker=_formats()) if validator is None else validator

    def part(self, schema: Json) -> "Validator":
        """What a part of the schema says, whose references are within the whole."""
        return Validator(schema, self._validator.evolve(schema=schema))

    def errors(self, value: Json, most: int) -> list[jsonschema.ValidationError]:
        """The first errors of a value. Raises TooMuchWork."""
        work = ValueWork(value)
        try:
            with Sharing(work):
                return [
                    error for _, error in zip(range(most), self._validator.iter_errors(value), strict=False)
                ]
        except RecursionError:
            raise TooMuchWork(work.place, "depth", "its schema refers to itself without an end") from None
        finally:
            work.settle()


@lru_cache(maxsize=500)
def validator_of(schema: bytes) -> Validator:
    """The validator of a schema that is given as JSON."""
    return Validator(orjson.loads(schema))


def _parts(value: Json) -> int:
    pending, count = [value], 0
    while pending:
        one = pending.pop()
        count += 1 + (len(one) // _CHARS_OF_A_UNIT if isinstance(one, str) else 0)
        if isinstance(one, dict | list):
            pending += one.values() if isinstance(one, dict) else one
    return count


def _work() -> ValueWork:
    work = shared_work()
    return work if isinstance(work, ValueWork) else ValueWork(None)


def _formats() -> jsonschema.FormatChecker:
    checker = jsonschema.FormatChecker(())
    checkers = jsonschema.Draft202012Validator.FORMAT_CHECKER.checkers
    checker.checkers = {name: checkers[name] for name in FORMATS}
    has_offset = checkers["time"][0]
    checker.checks("time")(lambda text: not isinstance(text, str) or _is_zoned_time(text) or has_offset(text))
    # The same that `email.send` takes.
    checker.checks("email")(lambda text: not isinstance(text, str) or is_address(text))
    return checker


def _is_zoned_time(text: str) -> bool:
    """Whether a text is a time of day with the name of a zone, such as `09:00:00[Europe/Berlin]` (RFC 9557)."""
    match = _ZONED_TIME.fullmatch(text)
    return match is not None and match[1] in _zones()


@cache
def _zones() -> frozenset[str]:
    return frozenset(available_timezones())


# --- keywords ----------------------------------------------------------------------------------------------------


def _counted(keyword: Keyword, cost: Callable[[Any, Json], int]) -> Keyword:
    def look(validator: Any, said: Any, value: Json, schema: Any) -> Iterable[jsonschema.ValidationError]:
        _work().spend(cost(said, value))
        return keyword(validator, said, value, schema)

    return look


def _one(_: Any, __: Json) -> int:
    return 1


def _by_keyword(said: Any, _: Json) -> int:
    return 1 + len(said) // _NAMES_OF_A_UNIT if isinstance(said, list | dict | str) else 1


def _by_names(said: Mapping[str, list[str]], _: Json) -> int:
    return 1 + sum(map(len, said.values())) // _NAMES_OF_A_UNIT


def _by_pointer(said: str, _: Json) -> int:
    # The library follows it anew each time.
    return 10 + len(said) // 8


def _by_value(_: Any, value: Json) -> int:
    return 1 + len(value) if isinstance(value, list | dict) else 1


def _by_text(_: Any, value: Json) -> int:
    return 1 + len(value) // _CHARS_OF_A_UNIT if isinstance(value, str) else 1


def _by_matches(said: Any, value: Json) -> int:
    return 1 + _UNITS_OF_A_MATCH * len(said) * len(value) if isinstance(value, dict) else 1


def _pattern(_: Any, pattern: str, value: Json, __: Json) -> Errors:
    if isinstance(value, str) and not _matches(pattern, value):
        yield jsonschema.ValidationError(f"{value[:80]!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: Mapping[str, Json], value: Json, _: Json) -> Errors:
    for pattern, schema in patterns.items() if isinstance(value, dict) else ():
        for key in value:
            if _matches(pattern, key):
                yield from validator.descend(value[key], schema, path=key, schema_path=pattern)


def _additional_properties(validator: Any, rest: Json, value: Json, schema: Any) -> Errors:
    if not isinstance(value, dict):
        return
    properties, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    extras = [key for key in value if key not in properties]
    if patterns:
        _work().spend(_by_matches(patterns, value))
        extras = [key for key in extras if not any(_matches(pattern, key) for pattern in patterns)]
    if isinstance(rest, dict):
        for key in extras:
            yield from validator.descend(value[key], rest, path=key)
    elif not rest and extras:
        names, verb = extras_msg(sorted(extras))
        text = f"Additional properties are not allowed ({names} {verb} unexpected)"
        if patterns:
            do = "does" if len(extras) == 1 else "do"
            text = f"{names} {do} not match any of the regexes: {', '.join(map(repr, sorted(patterns)))}"
        yield jsonschema.ValidationError(text)


def _unique_items(_: Any, unique: Json, value: Json, __: Json) -> Errors:
    if unique and isinstance(value, list) and len(_work().keys(value)) < len(value):
        yield jsonschema.ValidationError(f"{value!r} has non-unique elements")


def _enum(_: Any, choices: list[Json], value: Json, __: Json) -> Errors:
    work = _work()
    is_short = isinstance(value, str) and len(choices) <= _NAMES_OF_A_UNIT
    if not (value in choices if is_short else work.key(value) in work.keys(choices)):
        yield jsonschema.ValidationError(f"{value!r} is not one of {choices!r}")


def _const(_: Any, constant: Json, value: Json, __: Json) -> Errors:
    work = _work()
    work.spend(len(value) if isinstance(value, dict | list) else 1)
    if work.key(value) != work.key(constant):
        yield jsonschema.ValidationError(f"{constant!r} was expected")


def _any_of(validator: Any, parts: list[Json], value: Json, _: Json) -> Errors:
    errors: list[jsonschema.ValidationError] = []
    for index, part in enumerate(parts):
        of_part = _kept(validator.descend(value, part, schema_path=index))
        if not of_part:
            return
        errors += of_part
    yield jsonschema.ValidationError(f"{value!r} is not valid under any of the given schemas", context=errors)


def _one_of(validator: Any, parts: list[Json], value: Json, _: Json) -> Errors:
    errors: list[jsonschema.ValidationError] = []
    fitting: list[Json] = []
    for index, part in enumerate(parts):
        if fitting:
            fitting += [part] if validator.evolve(schema=part).is_valid(value) else []
        elif of_part := _kept(validator.descend(value, part, schema_path=index)):
            errors += of_part
        else:
            fitting = [part]
    if not fitting:
        text = f"{value!r} is not valid under any of the given schemas"
        yield jsonschema.ValidationError(text, context=errors)
    elif len(fitting) > 1:
        # The first one last, as the library says it.
        names = ", ".join(map(repr, [*fitting[1:], fitting[0]]))
        yield jsonschema.ValidationError(f"{value!r} is valid under each of {names}")


def _kept(errors: Errors) -> list[jsonschema.ValidationError]:
    """All of them, whose messages may show a large value each."""
    several = []
    for error in errors:
        _work().spend(1 + len(error.message) // _CHARS_OF_A_UNIT)
        error.message = error.message[:_MESSAGE_CHARS]
        several.append(error)
    return several


def _unevaluated_items(validator: Any, _: Json, value: Json, schema: Any) -> Errors:
    if isinstance(value, list):
        seen = set(find_evaluated_item_indexes_by_schema(validator, value, schema))
        rest = [item for index, item in enumerate(value) if index not in seen]
        if rest:
            text = "Unevaluated items are not allowed ({} {} unexpected)".format(*extras_msg(rest))
            yield jsonschema.ValidationError(text)


def _unevaluated_properties(validator: Any, rest: Json, value: Json, schema: Any) -> Errors:
    if not isinstance(value, dict):
        return
    seen = _evaluated(validator, value, schema)
    left = [
        key
        for key, part in value.items()
        if key not in seen and not _fits(validator.descend(part, rest, path=key, schema_path=key))
    ]
    if left:
        why = "allowed" if rest is False else "valid under the given schema"
        state = "unexpected" if rest is False else "unevaluated and invalid"
        names, verb = extras_msg(sorted(left) if rest is False else left)
        yield jsonschema.ValidationError(f"Unevaluated properties are not {why} ({names} {verb} {state})")


def _evaluated(validator: Any, value: Mapping[str, Json], schema: Any) -> set[str]:
    """The properties of an object of which a schema says something, with all that holds of it."""
    if not isinstance(schema, dict):
        return set()
    _work().spend(1 + len(value) + len(schema))
    seen: set[str] = set()
    for name in ("$ref", "$dynamicRef"):
        if name in schema:
            _work().spend(_by_pointer(schema[name], value))
            target = validator._resolver.lookup(schema[name])
            inner = validator.evolve(schema=target.contents, _resolver=target.resolver)
            seen |= _evaluated(inner, value, target.contents)
    seen |= value.keys() & schema.get("properties", {}).keys()
    for name in ("additionalProperties", "unevaluatedProperties"):
        if name in schema:
            seen |= {key for key, part in value.items() if _fits(validator.descend(part, schema[name]))}
    patterns = schema.get("patternProperties", {})
    if patterns:
        _work().spend(_by_matches(patterns, value))
        seen |= {key for key in value if any(_matches(pattern, key) for pattern in patterns)}
    parts = [part for key, part in schema.get("dependentSchemas", {}).items() if key in value]
    for name in ("allOf", "oneOf", "anyOf"):
        parts += [part for part in schema.get(name, ()) if _fits(validator.descend(value, part))]
    if "if" in schema:
        holds = validator.evolve(schema=schema["if"]).is_valid(value)
        parts += [schema["if"], schema.get("then")] if holds else [schema.get("else")]
    return seen.union(*(_evaluated(validator, value, part) for part in parts))


def _fits(errors: Errors) -> bool:
    return next(errors, None) is None


def _matches(pattern: str, text: str) -> bool:
    """Whether RE2 finds the pattern in the text; what it can't read fits nothing."""
    if len(text) > MATCHED_CHARACTERS:
        return False
    try:
        return matches(pattern, text)
    except TooMuchWork:
        raise
    except ExpressionError:
        return False


_OWN: Mapping[str, Keyword] = {
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "uniqueItems": _unique_items,
    "enum": _enum,
    "const": _const,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "unevaluatedItems": _unevaluated_items,
    "unevaluatedProperties": _unevaluated_properties,
}
_COSTS: Mapping[str, Callable[[Any, Json], int]] = {
    **dict.fromkeys(("items", "contains", "propertyNames", "additionalProperties", "uniqueItems"), _by_value),
    **dict.fromkeys(("unevaluatedItems", "unevaluatedProperties"), _by_value),
    **dict.fromkeys(("properties", "required", "dependentSchemas", "type"), _by_keyword),
    **dict.fromkeys(("allOf", "anyOf", "oneOf", "prefixItems"), _by_keyword),
    **dict.fromkeys(("$ref", "$dynamicRef"), _by_pointer),
    "patternProperties": _by_matches,
    "format": _by_text,
    "dependentRequired": _by_names,
}
_Counting = jsonschema.validators.extend(
    jsonschema.Draft202012Validator,
    {
        name: _counted(_OWN.get(name, keyword), _COSTS.get(name, _one))
        for name, keyword in jsonschema.Draft202012Validator.VALIDATORS.items()
    },
)
