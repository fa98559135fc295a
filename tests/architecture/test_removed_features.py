"""Without the folder of a feature, its line of `INSTALLED_APPS` and its tests, Handoff is one without the feature."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from config.features import features
from tests.architecture.sources import PACKAGES, ROOT, TEXT

pytestmark = [pytest.mark.exhaustive, pytest.mark.timeout(900)]

# The supervisor starts its relay, and health and metrics tell of it.
OF_THE_SERVER = "integrations.broker"
FEATURES = tuple(feature.name for feature in features() if feature.name != OF_THE_SERVER)
LEFT_BEHIND = shutil.ignore_patterns(".*", "node_modules", "__pycache__", "frontend", "benchmarks")
CHOSEN = (
    "tests/api/test_audited.py::test_each_route_that_changes_something_records_it_or_says_why_not",
    "tests/api/test_authorisation.py::test_routes_and_scopes_are_those_that_somebody_has_reviewed",
    "tests/api/test_limits.py",
    "tests/api/test_schema.py",
    "tests/api/test_repeated_verbs.py::test_every_route_that_changes_something_says_what_a_second_call_does",
    "tests/config/test_routes.py",
    "tests/crash/test_crash_points.py::test_whatever_point_a_worker_dies_at_every_run_ends_as_it_should[chain]",
    "tests/runs/test_chain.py",
    "tests/runs/test_duties.py",
    "tests/sdk/test_generated.py",
    "tests/store/test_plans.py",
    "tests/web/test_operations_pages.py",
    "tests/web/test_run_list.py",
    "tests/web/test_workflow_pages.py",
    "tests/workflows/test_examples.py",
)
"""What has to do with what features add to: routes and their lists, crash points, duties, statements, pages."""
LOADS_ALL = f"""
import importlib, pathlib, django
django.setup()
from django.urls import get_resolver
get_resolver().url_patterns
for package in {PACKAGES!r}:
    for path in sorted(pathlib.Path(package).rglob("*.py")):
        if "migrations" not in path.parts and path.stem not in ("settings_production", "kafka", "__main__"):
            name = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
            importlib.import_module(name)
"""


def without(feature: str, folder: Path) -> Path:
    """A copy of the tree without a feature; what of the tests names it goes with it."""
    tree = folder / "handoff"
    shutil.copytree(ROOT, tree, ignore=LEFT_BEHIND)
    place = feature.replace(".", "/")
    shutil.rmtree(tree / place)
    shutil.rmtree(tree / "tests" / place)
    settings = tree / "config" / "settings.py"
    line = f'    "{feature}",\n'
    assert settings.read_text().count(line) == 1
    settings.write_text(settings.read_text().replace(line, ""))
    others = others_with(feature, tree)
    assert tree / "tests" / "conftest.py" not in others, "all tests would need the feature"
    for path in others:
        path.unlink()
    return tree


def others_with(feature: str, tree: Path) -> set[Path]:
    """The tests of other folders that need a feature, or others that do: they are of both, and go with either."""
    imports = {path: names_of(path) for path in (tree / "tests").rglob("*.py")}
    gone, lost = {feature, f"tests.{feature}"}, set()
    while more := {
        path for path in imports.keys() - lost if any(is_within(name, gone) for name in imports[path])
    }:
        lost |= more
        gone |= {".".join(path.relative_to(tree).with_suffix("").parts) for path in more}
    return lost


def is_within(name: str, modules: set[str]) -> bool:
    return any(name == module or name.startswith(f"{module}.") for module in modules)


def names_of(path: Path) -> set[str]:
    """The modules that a file imports."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{each.name}" for each in node.names)}
        elif isinstance(node, ast.Import):
            names |= {each.name for each in node.names}
    return names


def test_nothing_else_of_the_product_names_a_feature():
    """Neither code nor pages: only the settings, and the tests of features."""
    found = {
        (str(path.relative_to(ROOT)), feature)
        for feature in FEATURES
        for package in (*PACKAGES, f"{TEXT}/src")
        for path in (ROOT / package).rglob("*.py")
        if feature.replace(".", "/") not in str(path)
        and any(is_within(name, {feature}) for name in names_of(path))
    }
    assert found == set()


@pytest.mark.parametrize("feature", FEATURES)
def test_without_a_feature_the_rest_loads_checks_and_works(feature, tmp_path):
    tree = without(feature, tmp_path)

    def run(*command: str, given: str = "", seconds: float = 120) -> str:
        result = subprocess.run(
            [sys.executable, *command],
            cwd=tree,
            input=given,
            env=os.environ | {"DJANGO_SETTINGS_MODULE": "config.settings"},
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
        assert result.returncode == 0, f"{result.stdout[-4_000:]}\n{result.stderr[-4_000:]}"
        return result.stdout

    run("manage.py", "check")
    run("-c", LOADS_ALL)
    # As `make api` writes them anew.
    run("sdks/python/generate.py", given=run("manage.py", "spectacular", "--format", "openapi-json"))
    run("-m", "tests.api.authorisation_matrix")
    run("-m", "tests.api.limits")
    chosen = [path for path in CHOSEN if (tree / path.partition("::")[0]).exists()]
    assert len(chosen) > len(CHOSEN) / 2
    run("-m", "pytest", "-q", *chosen, seconds=600)
