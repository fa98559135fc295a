"""Sentences for what CEL reports: why an expression does not compile, why it failed on these values."""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from engine.cel_reads import ROOT_NAMES, Path, Read
from engine.functions import no_function

Scope = Mapping[str, object]

_KINDS = {
    "int64": "an integer",
    "uint64": "an unsigned integer",
    "double": "a decimal number",
    "int": "an integer",
    "string": "a text",
    "bool": "true/false",
    "null_type": "null",
    "null": "null",
    "list": "a list",
    "map": "an object",
    "dyn": "a value of any type",
}
_PYTHON_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (type(None), "null"),
    (bool, "true/false"),
    ((int, float), "a number"),
    (str, "a text"),
    (list, "a list"),
    (dict, "an object"),
    ((bytes, bytearray), "bytes"),
    (datetime, "a timestamp"),
    (timedelta, "a duration"),
)
_NUMERIC = {"int", "double", "bool", "list", "dyn"}
_OVERLOAD = re.compile(
    r"[Nn]o matching overloads? (?:found : |for )'?([^'( ]+)'?(?: applied to )?'?\(([^)]*)\)"
)
_METHOD = re.compile(r"No matching overloads found : \(([^)]*)\)\.(\w+)\(")
_LOCATED = re.compile(r"ERROR: <input>:(-?\d+):(-?\d+): (.*)")

_UNDECLARED = re.compile(r"undeclared reference to '([^']+)'")
_NO_OVERLOAD = "No matching overloads found : "
_OF_OPERATORS = {
    f"{_NO_OVERLOAD}_&&_": "`&&` and `all` work on true and false only",
    f"{_NO_OVERLOAD}_||_": "`||` and `exists` work on true and false only",
    f"{_NO_OVERLOAD}<jump_condition>": "the condition of `? :`, `filter` or `exists_one` must be true or false",
    f"{_NO_OVERLOAD}<iter_range>": "all, exists, exists_one, map and filter work on lists and objects only",
}

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def failure_message(error: str, reads: Iterable[Read], scope: Scope) -> str:
    """What went wrong in the words of the workflow: names the missing path where CEL names only its last key."""
    code, _, text = error.partition(": ")
    if code == "NOT_FOUND" or "non-message type" in text or "No value with name" in text:
        key = re.search(r': "(.*)"', text)
        missing_reads = [
            missing for path, test in reads if (missing := _missing(path[:-1] if test else path, scope))
        ]
        exact = [reason for name, reason in missing_reads if key and name == key[1]]
        return (exact or [reason for _, reason in missing_reads] or [_no_key(text)])[0]
    return _OF_OPERATORS.get(text) or overload_message(text) or text or error


def raised_message(exc: Exception) -> str:
    """What the library says by an exception instead of a value."""
    if isinstance(exc, MemoryError):
        return "it needs more memory than an expression may use"
    if "Iteration budget" in str(exc):
        return "all, exists, exists_one, map and filter go through more than 10,000 items in it"
    return str(exc)


def overload_message(text: str) -> str | None:
    """ "No matching overload" as a sentence; None if the text says something else."""
    if method := _METHOD.match(text):
        kind = method[1].partition("<")[0]
        return f"`{method[2]}` cannot be used with {_KINDS.get(kind, kind)}"
    match = _OVERLOAD.search(text)
    if not match:
        return None
    symbol = match[1] if match[1].isidentifier() else match[1].replace("_", " ").strip(" @")
    kinds = [kind.strip().partition("<")[0] for kind in match[2].split(",")]
    return f"`{symbol}` cannot be used with {' and '.join(_KINDS.get(kind, kind) for kind in kinds) or 'nothing'}"


def compile_message(source: str, error: str) -> str:
    """The first thing that the compiler has to say, as a sentence."""
    if "recursion" in error:
        return "the expression is nested too deeply (32 levels are allowed)"
    match = _LOCATED.search(error)
    if not match:
        return f"the expression does not compile: {error}"
    for _, _, message in _LOCATED.findall(error):
        called = _UNDECLARED.match(message)
        if called and re.search(rf"\b{re.escape(called[1])}\s*\(", source):
            return no_function(called[1])
    line, column, text = match.groups()
    unknown = _UNDECLARED.match(text)
    if unknown:
        return _undeclared(source, unknown[1].partition(".")[0])
    if text.startswith("reserved identifier: ") and re.search(rf"\b{text.split()[-1]}\s*\(", source):
        return no_function(text.split()[-1])
    where = f"at column {column}" if "\n" not in source else f"at line {line}, column {column}"
    return f"the expression does not compile: {overload_message(text) or _tidy(text)} ({where})"


def only_mixes_numbers(error: str) -> bool:
    """Whether all that the compiler minds is int beside double, which it forbids and evaluation allows."""
    matches = [_OVERLOAD.search(text) for _, _, text in _LOCATED.findall(error)]
    kinds = [set(re.findall(r"\w+", match[2])) if match else set() for match in matches]
    return bool(kinds) and all({"int", "double"} <= each <= _NUMERIC for each in kinds)


def kind_of(value: object) -> str:
    """The kind of a value in plain words."""
    return next((name for types, name in _PYTHON_KINDS if isinstance(value, types)), "another kind of value")


def shorten(source: str) -> str:
    """The source as it fits into a message."""
    return source if len(source) <= 120 else f"{source[:117]}..."


def _missing(path: Path, scope: Scope) -> tuple[str, str] | None:
    """(the key that is not there, why); None if the path can be read."""
    value: object = scope
    for at, key in enumerate(path):
        if not isinstance(value, Mapping):
            return key, f"{_spell(path[:at])} is {kind_of(value)}, so it has no `{key}`"
        if key not in value:
            return key, _absent(path[: at + 1])
        value = value[key]
    return None


def _no_key(text: str) -> str:
    match = re.fullmatch(r'Key not found in map : "(.*)"', text, re.DOTALL)
    return f"an object has no `{match[1]}`" if match else text


def _absent(path: Path) -> str:
    if len(path) == 1:
        return f"`{path[0]}` is not available here"
    if len(path) == 2 and path[0] == "steps":
        return f"step `{path[1]}` has no output here: it has not run, or not yet"
    return f"{_spell(path)} is missing"


def _spell(path: Path) -> str:
    keys = (f".{key}" if _IDENTIFIER.fullmatch(key) else f'["{key}"]' for key in path[1:])
    return path[0] + "".join(keys)


def _tidy(text: str) -> str:
    text = text.removesuffix(" [INVALID_ARGUMENT]").removeprefix("Syntax error: ")
    text = re.sub(r" expecting (\{.*|'.*)", "", text)
    if "input '<EOF>'" in text:
        return "the expression ends too early"
    match = re.search(r"at input '\.([A-Za-z]+)'", text)
    return f'`.{match[1]}` is a reserved word, write ["{match[1]}"]' if match else text


def _undeclared(source: str, name: str) -> str:
    if name == "secrets":
        return "secrets cannot be used in expressions yet"
    match = re.search(rf"steps\.(\w+(?:-\w+)*-{re.escape(name)}(?:-\w+)*)", source)
    if match:
        return f'there is no name `{name}`; for a step with a dash in its id write steps["{match[1]}"]'
    return f"there is no name `{name}`; names in scope are {', '.join(sorted(ROOT_NAMES))}"
