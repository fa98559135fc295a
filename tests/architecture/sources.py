"""The project's Python files, for the tests of this folder."""

import ast
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
TEXT = "plugins/handoff-text"
PACKAGES = (
    "accounts",
    "config",
    "engine",
    "handoff",
    "lib",
    "outbox",
    "rpc",
    "runs",
    "s4",
    "steps",
    "tasks_inbox",
    "workflows",
)


def ours(*folders: str) -> list[str]:
    """Paths, relative to the root, of the Python files below `folders`, but for migrations."""
    found = (path.relative_to(ROOT) for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return sorted(str(path) for path in found if "migrations" not in path.parts)


EVERYTHING = ours(*PACKAGES, TEXT, "tests", "benchmarks", "scripts")
PRODUCT = ours(*PACKAGES, f"{TEXT}/src")


@cache
def source(path: str) -> str:
    return (ROOT / path).read_text()


@cache
def nodes(path: str) -> tuple[ast.AST, ...]:
    """Everything in a file: to walk a tree takes longer than to look at what it holds."""
    return tuple(ast.walk(ast.parse(source(path), path)))


def functions(path: str) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in nodes(path):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def offenders(paths: Iterable[str], breaks: Callable[[str], Any]) -> dict[str, Any]:
    """What `breaks` gives for each of these paths, but for those for which it gives nothing."""
    return {path: found for path in paths if (found := breaks(path))}
