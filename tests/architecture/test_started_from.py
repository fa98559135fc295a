"""Whatever starts runs says what it is, and a test beside it shows that the run has it."""

import ast

from tests.architecture.sources import PRODUCT, nodes, offenders, ours, source

STARTS = {"start_workflow": "runs.commands.named_starts", "Terms": "runs.commands.starts"}
"""What starts runs, by where it is imported from."""
OF_RUNS = ours("tests/runs", "tests/api", "tests/web")


def silent_starts(path: str) -> list[int]:
    """The lines of calls that start runs and don't say from where."""
    found = nodes(path, *STARTS)
    imports = [node for node in found if isinstance(node, ast.ImportFrom)]
    names = {alias.name for node in imports for alias in node.names if STARTS.get(alias.name) == node.module}
    calls = [node for node in found if isinstance(node, ast.Call)]
    return [
        call.lineno
        for call in calls
        if isinstance(call.func, ast.Name)
        and call.func.id in names
        and "started_from" not in {keyword.arg for keyword in call.keywords}
    ]


def untested(path: str) -> list[str]:
    """What starts runs here and is in no test of the folder: for a feature its own."""
    doors = {
        f"StartedFrom.{node.attr}"
        for node in nodes(path, "StartedFrom.")
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "StartedFrom"
    }
    package, feature = path.split("/")[:2]
    tests = OF_RUNS if package == "runs" else ours(f"tests/{package}/{feature}")
    return sorted(
        door for door in doors - {"StartedFrom.choices"} if not any(door in source(test) for test in tests)
    )


def test_whatever_starts_runs_says_what_it_is():
    assert offenders(PRODUCT, silent_starts) == {}


def test_each_is_shown_by_a_test_beside_it():
    assert offenders(PRODUCT, untested) == {}
