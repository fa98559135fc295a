"""What the tests of features have for tests that are of all of Handoff."""

from collections.abc import Mapping
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


def words(module: str, name: str) -> str:
    """The words in the texts of this name in these modules, for one more text."""
    return "".join(f"{getattr(one, name, '')} " for one in modules(module))


def table(module: str, name: str) -> dict[Any, Any]:
    """All that is in the dictionaries of this name in these modules."""
    return {key: value for one in modules(module) for key, value in getattr(one, name, {}).items()}


def joined(own: Mapping[str, str], module: str, name: str) -> dict[str, str]:
    """A dictionary of words, with those that the dictionaries of this name in these modules have, too."""
    texts = dict(own)
    for one in modules(module):
        for key, text in getattr(one, name, {}).items():
            texts[key] = f"{texts.get(key, '')} {text}"
    return texts
