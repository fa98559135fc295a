"""The project's Python files, for the tests of this folder."""

import ast
import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from lib.loading import uncollected

ROOT = Path(__file__).resolve().parents[2]
TEXT = "plugins/handoff-text"
PACKAGES = (
    "accounts",
    "config",
    "engine",
    "handoff",
    "integrations",
    "lib",
    "operations",
    "runs",
    "steps",
    "tasks_inbox",
    "triggers",
    "workflows",
)

FOLDERS = (
    *PACKAGES,
    "benchmarks",
    "docs",
    "frontend",
    "plugins",
    "scripts",
    "sdks",
    "static/js",
    "templates",
    "tests",
)
KINDS = {".py", ".sql", ".md", ".ts", ".tsx", ".js", ".html", ".css", ".toml", ".json", ".proto"}

# What statements have statements in.
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def ours(*folders: str) -> list[str]:
    """Paths, relative to the root, of the Python files below `folders`, but for migrations."""
    found = (path.relative_to(ROOT) for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return sorted(str(path) for path in found if "migrations" not in path.parts)


EVERYTHING = ours(*PACKAGES, TEXT, "tests", "benchmarks", "scripts")
PRODUCT = ours(*PACKAGES, f"{TEXT}/src")


def section(page: str, heading: str) -> str:
    """What stands under a heading of a page, with the smaller headings in it."""
    _, marks, behind = re.split(
        rf"^(##+) {re.escape(heading)}\n", source(page), maxsplit=1, flags=re.MULTILINE
    )
    return re.split(rf"^#{{2,{len(marks)}}} ", behind, maxsplit=1, flags=re.MULTILINE)[0]


@cache
def texts() -> dict[str, str]:
    """Code and pages by their path: what somebody wrote, with the files in the root that aren't hidden."""
    found = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in KINDS]
    found += [path for path in ROOT.glob("*") if path.suffix in KINDS or path.name == "Makefile"]
    return {
        str(path.relative_to(ROOT)): path.read_text() for path in found if "node_modules" not in path.parts
    }


@cache
def source(path: str) -> str:
    return (ROOT / path).read_text()


def nodes(path: str, *words: str) -> tuple[ast.AST, ...]:
    """Everything in a file that has one of these words; of another, which isn't even parsed, nothing."""
    if any(word in source(path) for word in words):
        return tuple(ast.walk(ast.parse(source(path), path)))
    return ()


class Function(NamedTuple):
    """What rules say of a function; `bare` are its parameters without an annotation, `imports` are lines."""

    name: str
    lines: int
    decorators: frozenset[str]
    bare: tuple[str, ...]
    gives: bool
    imports: tuple[int, ...]


@cache
def functions(path: str) -> tuple[Function, ...]:
    """The functions of a file and those in them. Nothing of its tree stays: the trees of all files are two million
    objects, through which the collector of garbage would look again and again.
    """
    with uncollected():
        found = _statements(ast.parse(source(path), path))
        return tuple(
            _function(one) for one in found if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)
        )


def _statements(node: ast.AST) -> list[ast.AST]:
    """All below a node that are no expressions, which are nine of ten."""
    found = [node]
    for one in found:
        for block in _BLOCKS:
            found += getattr(one, block, ())
    return found


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Function:
    given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    imports = (one.lineno for one in _statements(node) if isinstance(one, ast.Import | ast.ImportFrom))
    return Function(
        node.name,
        lines=node.end_lineno - node.lineno + 1,
        decorators=_names(node.decorator_list),
        bare=tuple(one.arg for one in given if one.annotation is None and one.arg not in ("self", "cls")),
        gives=node.returns is not None,
        imports=tuple(imports),
    )


def _names(decorators: Iterable[ast.expr]) -> frozenset[str]:
    called = (one.func if isinstance(one, ast.Call) else one for one in decorators)
    return frozenset(one.attr if isinstance(one, ast.Attribute) else getattr(one, "id", "") for one in called)


def offenders(paths: Iterable[str], breaks: Callable[[str], Any]) -> dict[str, Any]:
    """What `breaks` gives for each of these paths, but for those for which it gives nothing."""
    return {path: found for path in paths if (found := breaks(path))}
