"""Pydantic's findings as one sentence for people, which names the field."""

import re

from pydantic import ValidationError
from pydantic_core import ErrorDetails

KINDS = {
    bool: "true or false",
    int: "a number",
    float: "a number",
    str: "a text",
    list: "a list",
    dict: "an object",
}
WORDS = {
    "a valid dictionary": "an object",
    "a valid boolean": "true or false",
    "a valid integer": "a whole number",
    "a valid list": "a list",
    "a valid string": "a text",
    "greater than or equal to": "at least",
    "less than or equal to": "at most",
}
LENGTHS = {
    "too_short": "needs at least {min_length} entries, but has {actual_length}",
    "too_long": "takes at most {max_length} entries, but has {actual_length}",
    "string_too_short": "must have at least {min_length} characters",
    "string_too_long": "must have at most {max_length} characters",
}
INSTANCE = re.compile(r" or (?:an )?instance of \w+")
SHOWN_CHARS = 40


def sentence_of(error: ValidationError, where: str) -> tuple[str, str]:
    """The first problem, as (path of the field, sentence). `where` is the root: params, input or output."""
    problems = error.errors(include_url=False)
    path = _path(problems[0], where)
    sentence = _sentence(problems[0], path)
    if more := len(problems) - 1:
        sentence += " There is one more problem." if more == 1 else f" There are {more} more problems."
    return path, sentence


def kind_of(value: object) -> str:
    """What a JSON value is, in words: `a number`."""
    return KINDS.get(type(value), "null" if value is None else type(value).__name__)


def _path(problem: ErrorDetails, where: str) -> str:
    return ".".join(str(part) for part in problem["loc"]) or where


def _sentence(problem: ErrorDetails, path: str) -> str:
    kind, message, value = problem["type"], problem["msg"], problem["input"]
    if kind == "missing":
        return f"`{path}` is missing."
    if kind == "extra_forbidden":
        return f"`{path}` is not known here."
    if kind in LENGTHS:
        return f"`{path}` {LENGTHS[kind].format(**problem['ctx'])}."
    if not message.startswith("Input should"):
        return f"`{path}` {message.removeprefix('Value error, ')}."
    message = INSTANCE.sub("", message)
    for theirs, ours in WORDS.items():
        message = message.replace(theirs, ours)
    return f"`{path}` should{message.removeprefix('Input should')}, but is {_shown(value)}."


def _shown(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return kind_of(value)
    text = repr(value)
    return text if len(text) <= SHOWN_CHARS else kind_of(value)
