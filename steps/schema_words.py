"""What a JSON Schema's validator finds wrong with a value, in the words of people who fill in a form; pure."""

from collections.abc import Callable, Mapping
from typing import Any

import orjson

from engine.catalogue import Json
from steps.limits import NAMED_CHARACTERS, NAMED_CHOICES

_TYPES = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "yes or no",
    "array": "a list",
    "object": "a group of values",
    "null": "empty",
}


def in_words(error: Any, otherwise: str) -> str:
    """The sentence for an error of `jsonschema`; `otherwise` for one that has no words of its own here."""
    say = _WORDS.get(error.validator)
    return say(error) if say is not None else otherwise


def _type(error: Any) -> str:
    kinds = error.validator_value if isinstance(error.validator_value, list) else [error.validator_value]
    return f"This must be {' or '.join(_TYPES.get(kind, str(kind)) for kind in kinds)}."


def _min_length(error: Any) -> str:
    if error.validator_value == 1:
        return "This must not be empty."
    return f"This needs at least {error.validator_value} characters; it has {len(error.instance)}."


def _max_length(error: Any) -> str:
    return f"This may have at most {error.validator_value} characters; it has {len(error.instance)}."


def _min_items(error: Any) -> str:
    least = error.validator_value
    return "At least one is needed." if least == 1 else f"At least {least} are needed."


def _max_items(error: Any) -> str:
    return f"At most {error.validator_value} may be given; these are {len(error.instance)}."


def _choice(error: Any) -> str:
    return _one_of([_shown(value) for value in error.validator_value])


def _one_of_parts(error: Any) -> str:
    parts = error.validator_value
    if all(isinstance(part, dict) and "const" in part for part in parts):
        return _one_of([str(part.get("title") or _shown(part["const"])) for part in parts])
    return "This matches none, or more than one, of the allowed forms."


def _one_of(names: list[str]) -> str:
    more = ["…"] if len(names) > NAMED_CHOICES else []
    return f"This must be one of: {', '.join([*names[:NAMED_CHOICES], *more])}."


def _more(error: Any) -> str:
    properties: Mapping[str, Json] = error.schema.get("properties") or {}
    names = [f"“{name[:NAMED_CHARACTERS]}”" for name in error.instance if name not in properties]
    return f"This has unknown fields: {', '.join(names[:NAMED_CHOICES])}."


def authors_words(error: Any) -> str:
    """What the author of a pattern has said of texts that do not match it, if anything: `x-message`."""
    if error.validator != "pattern":
        return ""
    # Of a text that may also be null the words may stand beside both.
    schemas = (error.schema, error.parent.schema if error.parent is not None else {})
    messages = (one.get("x-message") for one in schemas if isinstance(one, dict))
    return next((words[:500] for words in messages if isinstance(words, str)), "")


def _pattern(error: Any) -> str:
    return authors_words(error) or f"This must match {error.validator_value}"


def _shown(value: Json) -> str:
    return (value if isinstance(value, str) else orjson.dumps(value).decode())[:NAMED_CHARACTERS]


_WORDS: Mapping[str, Callable[[Any], str]] = {
    "type": _type,
    "minLength": _min_length,
    "maxLength": _max_length,
    "minimum": lambda error: f"This must be at least {error.validator_value}.",
    "maximum": lambda error: f"This must be at most {error.validator_value}.",
    "exclusiveMinimum": lambda error: f"This must be more than {error.validator_value}.",
    "exclusiveMaximum": lambda error: f"This must be less than {error.validator_value}.",
    "multipleOf": lambda error: f"This must be a multiple of {error.validator_value}.",
    "minItems": _min_items,
    "maxItems": _max_items,
    "uniqueItems": lambda _: "Each of these may be given only once.",
    "enum": _choice,
    "const": lambda error: f"This must be {_shown(error.validator_value)}.",
    "oneOf": _one_of_parts,
    "anyOf": lambda _: "This matches none of the allowed forms.",
    "not": lambda _: "This may not be given here.",
    "additionalProperties": _more,
    "pattern": _pattern,
}
