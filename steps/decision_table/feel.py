"""The part of FEEL, the expression language of DMN, that has an equivalent here: paths, literals and unary tests."""

import json
import re

from engine.catalogue import Json
from engine.cel_reads import Path
from engine.errors import ExpressionInvalid
from engine.expressions import compile_expression
from steps.decision_table.cells import BadCell, Cell, Interval, parse_cell, written
from steps.decision_table.limits import CELL_CHARACTERS, RESULT_NUMBER
from steps.decision_table.refused import Refused

SCOPE = ("input", "steps", "prev", "run", "vars", "context", "item", "index")
"""Names that expressions read here; any other name of a DMN document is one of the input."""
_KEYWORDS = re.compile(r"\b(?:if|for|some|every|and|or|not|between|in|instance|function|then|else|return)\b")
_NAME = re.compile(r"[^\W\d]\w*(?: \w+)*")
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null')
_PART = re.compile(
    r"""(?P<text>"(?>(?:[^"\\]|\\.)*)"?)|(?P<moment>date(?:\ and\ time)?\s*\(\s*"(?P<at>[^"]*)"\s*\))"""
    r"""|(?P<words>[A-Za-z][A-Za-z ]*)|(?P<comma>,)""",
    re.VERBOSE,
)


def to_cel(feel: str) -> str:
    """An input expression as CEL. Raises Refused."""
    text = feel.strip()
    if _LITERAL.fullmatch(text):
        return text
    _refuse_call(text)
    names = [name.strip() for name in text.split(".")]
    if not text or _KEYWORDS.search(text) or not all(_NAME.fullmatch(name) for name in names):
        raise Refused(f"the FEEL expression `{text[:100]}`")
    if names[0] not in SCOPE:
        names.insert(0, "input")
    return names[0] + "".join(
        f".{name}" if _PLAIN.fullmatch(name) else f"[{json.dumps(name, ensure_ascii=False)}]"
        for name in names[1:]
    )


def _refuse_call(text: str) -> None:
    """Raises Refused for a text that calls a function, which it names."""
    head, parenthesis, _ = text.partition("(")
    if parenthesis:
        name = re.split(r"[^A-Za-z ]", head)[-1].strip()
        raise Refused(f"the FEEL function `{name[:100]}`" if name else f"the FEEL expression `{text[:100]}`")


def from_cel(source: Json, title: str) -> str:
    """An expression as FEEL. Raises Refused for one that is more than a path or a literal."""
    text = str(source).strip()
    if _LITERAL.fullmatch(text):
        return text
    if (path := _path(text)) is None or not all(_NAME.fullmatch(name) for name in path):
        raise Refused(f"the expression `{text[:100]}` of the column {title}, which is more than a path")
    return ".".join(path)


def _path(text: str) -> Path | None:
    try:
        return compile_expression(text).path
    except ExpressionInvalid:
        return None


def to_cell(feel: str) -> str:
    """Unary tests as a cell. Raises Refused."""

    def part(match: re.Match[str]) -> str:
        if match["text"] is not None:
            return match["text"]
        if match["moment"] is not None:
            return match["at"]
        if match["comma"] is not None:
            return ", "
        name = match["words"].strip()
        if name != "not" and match.string[match.end() : match.end() + 1] == "(":
            raise Refused(f"the FEEL function `{name}`")
        return match[0]

    if len(feel) > CELL_CHARACTERS:
        raise Refused(f"a condition of more than {CELL_CHARACTERS:,} characters")
    text = _PART.sub(part, feel.strip())
    try:
        return str(parse_cell(text))
    except BadCell as bad:
        raise Refused(f"the condition `{feel.strip()[:100]}`: {bad}") from None


def from_cell(cell: Cell) -> str:
    """A cell as unary tests."""
    if cell.is_any:
        return "-"
    tests = ", ".join(_test(test) for test in cell.tests)
    return f"not({tests})" if cell.negated else tests


def _test(test: Interval) -> str:
    if test.kind not in ("date", "moment"):
        return str(test)
    function = "date" if test.kind == "date" else "date and time"

    def call(value: object) -> str:
        return f'{function}("{written(test.kind, value)}")'

    if test.is_point:
        return call(test.low)
    if test.high is None:
        return f"{'>' if test.low_open else '>='} {call(test.low)}"
    if test.low is None:
        return f"{'<' if test.high_open else '<='} {call(test.high)}"
    return (
        f"{'(' if test.low_open else '['}{call(test.low)}..{call(test.high)}{')' if test.high_open else ']'}"
    )


def to_value(feel: str) -> Json:
    """A literal as the result of a row; nothing is null. Raises Refused."""
    text = feel.strip()
    if not text:
        return None
    if call := re.fullmatch(r'date(?: and time)?\s*\(\s*"([^"]*)"\s*\)', text):
        return call[1]
    if not _LITERAL.fullmatch(text):
        _refuse_call(text)
        raise Refused(f"the FEEL expression `{text[:100]}` as a result")
    try:
        value = json.loads(text)
    except ValueError:
        raise Refused(f"the result `{text[:100]}`") from None
    if isinstance(value, int | float) and not abs(value) < RESULT_NUMBER:
        raise Refused(f"a number as large as {text[:100]}")
    return value


def from_value(value: Json, name: str) -> str:
    """A result as a literal. Raises Refused for what is no scalar, or is known in a run only."""
    if isinstance(value, dict | list):
        raise Refused(f"an object or a list as the result {name}")
    if isinstance(value, str) and "{{" in value:
        raise Refused(f"an expression as the result {name}")
    return json.dumps(value, ensure_ascii=False)
