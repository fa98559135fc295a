"""The numbers that keep files readable; they may be tightened, never loosened. A test names all that break its rule."""

import ast
from collections.abc import Callable, Iterable
from pathlib import Path

from tests.architecture.sources import EVERYTHING, PRODUCT, Function, functions, nodes, offenders, source

MOST_LINES_OF_A_FILE = 400
MOST_LINES_OF_A_FUNCTION = 60
MOST_LINES_OF_A_VIEW = 15
MOST_LINES_OF_A_PAGE = 25
NAMES_THAT_SAY_NOTHING = {"utils", "helpers", "common", "misc", "manager"}
SHOWS_A_PAGE = {"page", "login_not_required"}


def too_long(
    most: int, functions_of: Callable[[str], Iterable[Function]] = functions
) -> Callable[[str], dict[str, int]]:
    def found(path: str) -> dict[str, int]:
        return {f.name: f.lines for f in functions_of(path) if f.lines > most}

    return found


def test_a_file_can_be_read_in_one_sitting():
    assert offenders(EVERYTHING, lambda path: len(source(path).splitlines()) > MOST_LINES_OF_A_FILE) == {}


def test_a_function_fits_on_a_screen():
    assert offenders(EVERYTHING, too_long(MOST_LINES_OF_A_FUNCTION)) == {}


def test_a_view_is_short():
    views = [path for path in PRODUCT if Path(path).name == "views.py"]
    assert len(views) > 4
    assert offenders(views, too_long(MOST_LINES_OF_A_VIEW)) == {}


def test_a_page_is_short_wherever_it_is():
    def pages(path):
        return [f for f in functions(path) if SHOWS_A_PAGE & f.decorators]

    assert offenders(PRODUCT, too_long(MOST_LINES_OF_A_PAGE, pages)) == {}


def test_nothing_is_imported_inside_a_function():
    def inside(path):
        return [(f.name, f.imports) for f in functions(path) if f.imports]

    assert offenders([path for path in EVERYTHING if Path(path).name != "apps.py"], inside) == {}


def test_a_module_has_a_name_that_says_something():
    def empty_names(path):
        return NAMES_THAT_SAY_NOTHING & {part.removesuffix(".py") for part in Path(path).parts}

    assert offenders(EVERYTHING, empty_names) == {}


def test_no_test_sleeps():
    def naps(path):
        return [
            node.lineno
            for node in nodes(path, "sleep")
            if (isinstance(node, ast.Attribute) and node.attr == "sleep")
            or (isinstance(node, ast.ImportFrom) and any(name.name == "sleep" for name in node.names))
        ]

    assert offenders([path for path in EVERYTHING if "tests" in Path(path).parts], naps) == {}


def test_every_function_is_annotated():
    def bare(path):
        return [(f.name, f.bare) for f in functions(path) if f.bare or not f.gives]

    assert offenders(PRODUCT, bare) == {}
