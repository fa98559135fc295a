"""The numbers that keep files readable; they may be tightened, never loosened. A test names all that break its rule."""

import ast
from collections.abc import Callable, Iterable
from pathlib import Path

from tests.architecture.sources import EVERYTHING, PRODUCT, functions, nodes, offenders, source

MOST_LINES_OF_A_FILE = 400
MOST_LINES_OF_A_FUNCTION = 60
MOST_LINES_OF_A_VIEW = 15
MOST_LINES_OF_A_PAGE = 25
NAMES_THAT_SAY_NOTHING = {"utils", "helpers", "common", "misc", "manager"}
SHOWS_A_PAGE = {"page", "login_not_required"}


def too_long(most: int) -> Callable[[str], dict[str, int]]:
    def found(path: str) -> dict[str, int]:
        lines = {f.name: f.end_lineno - f.lineno + 1 for f in functions(path)}
        return {name: count for name, count in lines.items() if count > most}

    return found


def names(decorators: Iterable[ast.expr]) -> set[str]:
    called = (one.func if isinstance(one, ast.Call) else one for one in decorators)
    return {one.attr if isinstance(one, ast.Attribute) else getattr(one, "id", "") for one in called}


def test_a_file_can_be_read_in_one_sitting():
    assert offenders(EVERYTHING, lambda path: len(source(path).splitlines()) > MOST_LINES_OF_A_FILE) == {}


def test_a_function_fits_on_a_screen():
    assert offenders(EVERYTHING, too_long(MOST_LINES_OF_A_FUNCTION)) == {}


def test_a_view_is_short():
    views = [path for path in PRODUCT if Path(path).name == "views.py"]
    assert len(views) > 4
    assert offenders(views, too_long(MOST_LINES_OF_A_VIEW)) == {}


def test_a_page_is_short_wherever_it_is():
    def long_pages(path):
        pages = [f for f in functions(path) if SHOWS_A_PAGE & names(f.decorator_list)]
        lines = {f.name: f.end_lineno - f.lineno + 1 for f in pages}
        return {name: count for name, count in lines.items() if count > MOST_LINES_OF_A_PAGE}

    assert offenders(PRODUCT, long_pages) == {}


def test_nothing_is_imported_inside_a_function():
    def inside(path):
        return [
            (function.name, node.lineno)
            for function in functions(path)
            for node in ast.walk(function)
            if isinstance(node, ast.Import | ast.ImportFrom)
        ]

    assert offenders([path for path in EVERYTHING if Path(path).name != "apps.py"], inside) == {}


def test_a_module_has_a_name_that_says_something():
    def empty_names(path):
        return NAMES_THAT_SAY_NOTHING & {part.removesuffix(".py") for part in Path(path).parts}

    assert offenders(EVERYTHING, empty_names) == {}


def test_no_test_sleeps():
    def naps(path):
        return [
            node.lineno
            for node in nodes(path)
            if (isinstance(node, ast.Attribute) and node.attr == "sleep")
            or (isinstance(node, ast.ImportFrom) and any(name.name == "sleep" for name in node.names))
        ]

    assert offenders([path for path in EVERYTHING if "tests" in Path(path).parts], naps) == {}


def test_every_function_is_annotated():
    def bare(path):
        found = []
        for function in functions(path):
            arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
            missing = [a.arg for a in arguments if a.annotation is None and a.arg not in ("self", "cls")]
            if missing or function.returns is None:
                found.append((function.name, missing))
        return found

    assert offenders(PRODUCT, bare) == {}
