"""The numbers that keep files readable; they may be tightened, never loosened."""

import ast
from pathlib import Path

import pytest

from tests.architecture.sources import EVERYTHING, PRODUCT, functions, source, tree

MOST_LINES_OF_A_FILE = 400
MOST_LINES_OF_A_FUNCTION = 60
MOST_LINES_OF_A_VIEW = 15
NAMES_THAT_SAY_NOTHING = {"utils", "helpers", "common", "misc", "manager"}


@pytest.mark.parametrize("path", EVERYTHING)
def test_a_file_can_be_read_in_one_sitting(path):
    assert len(source(path).splitlines()) <= MOST_LINES_OF_A_FILE


@pytest.mark.parametrize("path", EVERYTHING)
def test_a_function_fits_on_a_screen(path):
    long = {f.name: f.end_lineno - f.lineno + 1 for f in functions(path)}
    assert {name: lines for name, lines in long.items() if lines > MOST_LINES_OF_A_FUNCTION} == {}


@pytest.mark.parametrize("path", [path for path in PRODUCT if Path(path).name == "views.py"])
def test_a_view_is_short(path):
    long = {f.name: f.end_lineno - f.lineno + 1 for f in functions(path)}
    assert {name: lines for name, lines in long.items() if lines > MOST_LINES_OF_A_VIEW} == {}


@pytest.mark.parametrize("path", [path for path in EVERYTHING if Path(path).name != "apps.py"])
def test_nothing_is_imported_inside_a_function(path):
    inside = [
        (function.name, node.lineno)
        for function in functions(path)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert inside == []


@pytest.mark.parametrize("path", EVERYTHING)
def test_a_module_has_a_name_that_says_something(path):
    assert not NAMES_THAT_SAY_NOTHING & {part.removesuffix(".py") for part in Path(path).parts}


@pytest.mark.parametrize("path", [path for path in EVERYTHING if path.startswith("tests/")])
def test_no_test_sleeps(path):
    naps = [
        node.lineno
        for node in ast.walk(tree(path))
        if (isinstance(node, ast.Attribute) and node.attr == "sleep")
        or (isinstance(node, ast.ImportFrom) and any(name.name == "sleep" for name in node.names))
    ]
    assert naps == []


@pytest.mark.parametrize("path", PRODUCT)
def test_every_function_is_annotated(path):
    bare = []
    for function in functions(path):
        arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
        missing = [a.arg for a in arguments if a.annotation is None and a.arg not in ("self", "cls")]
        if missing or function.returns is None:
            bare.append((function.name, missing))
    assert bare == []
