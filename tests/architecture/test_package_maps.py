"""Each package's README.md is a true map of it."""

import re
from pathlib import Path

import pytest

from tests.architecture.sources import PACKAGES, PRODUCT, ROOT

MOST_LINES = 60
MAPS = sorted(path for name in PACKAGES for path in (ROOT / name).rglob("README.md"))
_LISTED = re.compile(r"`([\w/]+\.py)`")


def _map_of(module: Path) -> Path | None:
    """The nearest README.md at or above the module, inside its package."""
    for folder in module.parents:
        if folder == ROOT:
            return None
        if (folder / "README.md").exists():
            return folder / "README.md"
    return None


@pytest.mark.parametrize("package", PACKAGES)
def test_each_package_opens_with_a_map(package):
    assert (ROOT / package / "README.md").exists()


@pytest.mark.parametrize("path", [path for path in PRODUCT if not path.endswith("__init__.py")])
def test_each_module_is_on_the_map_of_its_package(path):
    module = ROOT / path
    page = _map_of(module)
    assert page is not None, "the package has no README.md"
    name = str(module.relative_to(page.parent))
    folders = {f"`{parent}/`" for parent in Path(name).parents if str(parent) != "."}
    text = page.read_text()
    assert f"`{name}`" in text or any(folder in text for folder in folders)


@pytest.mark.parametrize("page", MAPS, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_map_is_short_and_names_nothing_that_is_gone(page):
    text = page.read_text()
    assert len(text.splitlines()) <= MOST_LINES
    named = {
        name
        for line in text.splitlines()
        if line.startswith("|")
        for name in _LISTED.findall(line.split("|")[1])
    }
    assert {name for name in named if not (page.parent / name).exists()} == set()
