"""What the tests of features have for tests that are of all of Handoff."""

from importlib import import_module
from pathlib import Path
from typing import Any

from config.features import features

TESTS = Path(__file__).parent


def names(module: str) -> list[str]:
    """The full names of the modules of this name in the folders of the features' tests."""
    folders = [feature.name for feature in features()]
    return [
        f"tests.{folder}.{module}"
        for folder in folders
        if (TESTS / folder.replace(".", "/") / f"{module}.py").exists()
    ]


def modules(module: str) -> list[Any]:
    """The same, imported."""
    return [import_module(name) for name in names(module)]
