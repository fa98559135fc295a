"""Limits of a package stand in its `limits.py`, named for what they limit and the unit, each with a reason below it."""

import ast
import re
from itertools import pairwise

import pytest

from tests.architecture.sources import PRODUCT, ROOT, offenders, source

WORDS = re.compile(r"(?:^|_)(?:MOST|MAX|LONGEST|LIMIT|LARGEST|DEEPEST)(?:_|$)")
# Modules of `lib` know nothing of one another, plug-ins are packages of their own, Django and Celery choose the names
# of their settings.
ELSEWHERE = re.compile(r"lib/|plugins/|config/settings\.py$|(?:.+/)?limits\.py$")
EXCEPTIONS = {
    "config/embedded/processes.py": {"_LONGEST_PAUSE"},
    "config/nursery.py": {"_MOST_DESCRIPTORS"},
    "engine/canonical.py": {"_LARGEST_INT", "_LARGEST_FLOAT"},
    "engine/cel_work.py": {"_MOST_WEIGHT"},
    "engine/dialects/rochallor/grammar.py": {"LARGEST_INT", "_MOST_DIGITS"},
    "engine/macro_child.py": {"MOST_REQUESTS"},
}
"""Bounds of number types, grammars and system calls, a pause of polls, and what a confined process must not import.
This only gets shorter."""
PUBLIC = {"MAX_INPUT_BYTES", "MAX_OUTPUT_BYTES"}
"""Names that plug-ins import."""
LIMITS = [path for path in PRODUCT if re.search(r"(?:^|/)limits\.py$", path) and not path.startswith("lib/")]


def is_number(value: ast.expr | None) -> bool:
    """Whether it is a number, or is computed of numbers and other constants."""
    match value:
        case ast.Constant(value=constant):
            return isinstance(constant, int | float) and not isinstance(constant, bool)
        case ast.BinOp(left=left, right=right):
            return is_number(left) and is_number(right)
        case ast.UnaryOp(operand=operand):
            return is_number(operand)
        case ast.Call(func=ast.Name(id="timedelta")):
            return True
        case ast.Name(id=name):
            return name.isupper()
    return False


def numbers(path: str) -> dict[str, ast.stmt | None]:
    """The numeric constants of a module, with the statement after each."""
    body: list[ast.stmt | None] = [*ast.parse(source(path), path).body, None]
    found: dict[str, ast.stmt | None] = {}
    for statement, following in pairwise(body):
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=value)
            ) if is_number(value):
                found[name] = following
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                pairs = zip(targets, values, strict=False)
                names = (one.id for one, value in pairs if isinstance(one, ast.Name) and is_number(value))
                found |= dict.fromkeys(names, following)
    return found


def misplaced(path: str) -> set[str]:
    """The constants of a module that are limits by their names, and are none of the exceptions."""
    return {name for name in numbers(path) if WORDS.search(name)} - EXCEPTIONS.get(path, set())


def test_a_limit_stands_in_limits():
    assert offenders((path for path in PRODUCT if not ELSEWHERE.match(path)), misplaced) == {}


def test_an_exception_is_still_one():
    there = {path: names for path, names in EXCEPTIONS.items() if (ROOT / path).exists()}
    assert offenders(there, lambda path: EXCEPTIONS[path] - numbers(path).keys()) == {}


@pytest.mark.parametrize("path", LIMITS)
def test_a_limit_has_a_reason_and_a_name_that_says_of_what(path):
    found = numbers(path)
    assert found
    assert [name for name in found if WORDS.search(name) and name not in PUBLIC] == []
    no_reason = [name for name, following in found.items() if not _is_text(following)]
    assert no_reason == []


def _is_text(statement: ast.stmt | None) -> bool:
    match statement:
        case ast.Expr(value=ast.Constant(value=str())):
            return True
    return False
