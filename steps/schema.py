"""Is this a value that a JSON Schema takes? Patterns are RE2: those of an author can't hang anything.

Of formats those count that `EXAMPLES` names, wherever values are checked: forms, inputs of runs, answers of models.
"""

from collections.abc import Mapping
from itertools import islice
from typing import Any

import orjson

from engine.catalogue import Json
from steps.schema_validator import validator_of
from steps.schema_words import authors_words, in_words

EXAMPLES: Mapping[str, str] = {
    "date": "a date such as 2026-11-20",
    "date-time": "a date and a time with their zone, such as 2027-01-31T09:00:00Z",
    "time": "a time with its zone, such as 09:30:00Z",
    "email": "an e-mail address such as ann@example.org",
    "uri": "an address such as https://example.org/a?b=c",
    "uuid": "an id such as 00000000-0000-7000-8000-000000000000",
}
"""What a text of each format that is enforced looks like; other formats say nothing of a value."""


def problem_of(schema: Mapping[str, Json], value: Json) -> tuple[str, str] | None:
    """The first thing that is wrong with `value` as (path such as `.items[3].price`, sentence); None when it fits."""
    errors = validator_of(orjson.dumps(schema)).errors(value, 1)
    for error in (one for outer in errors for one in _within(outer)):
        path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path)
        return path, _sentence(error)
    return None


def problems_of(
    schema: Mapping[str, Json], value: Json, *, most: int
) -> list[tuple[tuple[str | int, ...], str]]:
    """What is wrong with `value`, each as (path, sentence for people), at most so many.

    What is missing is at its own path; of a pattern its author's `x-message` says what is wrong.
    """
    errors = validator_of(orjson.dumps(schema)).errors(value, most)
    return list(islice((_placed(one) for error in errors for one in _within(error)), most))


def fits(root: Mapping[str, Json], schema: Json, value: Json) -> bool:
    """Whether a part of a schema takes `value`; its references are within `root`."""
    return not validator_of(orjson.dumps(root)).part(schema).errors(value, 1)


def _placed(error: Any) -> tuple[tuple[str | int, ...], str]:
    path = tuple(error.absolute_path)
    if error.validator == "required":
        names = [name for name in error.validator_value if error.message.startswith(repr(name))]
        return (*path, *names[:1]), "This is required."
    if error.validator == "dependentRequired":
        missing = [name for names in error.validator_value.values() for name in names]
        names = [name for name in missing if error.message.startswith(repr(name))]
        return (*path, *names[:1]), "This is required."
    return path, in_words(error, _sentence(error))


def _within(error: Any) -> list[Any]:
    """What is wrong with a value that may also be null; of any other the error itself."""
    parts = error.validator_value if error.validator == "anyOf" else []
    others = [place for place, part in enumerate(parts) if part != {"type": "null"}]
    if len(others) != 1 or len(parts) < 2:
        return [error]
    return [one for one in error.context if one.relative_schema_path[0] == others[0]]


def _sentence(error: Any) -> str:
    """What is wrong, in a sentence; a format is asked for by the name of its field, with an example."""
    if error.validator != "format":
        return authors_words(error) or str(error.message[:500])
    needs, at = EXAMPLES[error.validator_value], next(reversed(error.absolute_path), None)
    title = error.schema.get("title") or (at.replace("_", " ").capitalize() if isinstance(at, str) else "")
    return f"{str(title)[:100]}: needs {needs}." if title else f"Needs {needs}."
