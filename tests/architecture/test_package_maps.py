"""Each package's README.md is a true map of it."""

import re
from pathlib import Path

from tests.architecture.sources import PACKAGES, PRODUCT, ROOT, TEXT, offenders

MOST_LINES = 60
MAPS = sorted(
    str(path.relative_to(ROOT)) for name in (*PACKAGES, TEXT) for path in (ROOT / name).rglob("README.md")
)
_LISTED = re.compile(r"`([\w/]+\.py)`")


def _map_of(module: Path) -> Path | None:
    """The nearest README.md at or above the module, inside its package."""
    for folder in module.parents:
        if folder == ROOT:
            return None
        if (folder / "README.md").exists():
            return folder / "README.md"
    return None


def test_each_package_opens_with_a_map():
    assert [package for package in PACKAGES if not (ROOT / package / "README.md").exists()] == []


def test_each_module_is_on_the_map_of_its_package():
    def is_nowhere(path):
        module = ROOT / path
        page = _map_of(module)
        if page is None:
            return "the package has no README.md"
        name = str(module.relative_to(page.parent))
        folders = {f"`{parent}/`" for parent in Path(name).parents if str(parent) != "."}
        text = page.read_text()
        is_there = f"`{name}`" in text or any(folder in text for folder in folders)
        return None if is_there else f"not in {page.relative_to(ROOT)}"

    assert offenders([path for path in PRODUCT if not path.endswith("__init__.py")], is_nowhere) == {}


def test_a_map_is_short_and_names_nothing_that_is_gone():
    def wrong(path):
        page = ROOT / path
        lines = page.read_text().splitlines()
        named = {
            name for line in lines if line.startswith("|") for name in _LISTED.findall(line.split("|")[1])
        }
        gone = {name for name in named if not (page.parent / name).exists()}
        return gone | ({f"{len(lines)} lines"} if len(lines) > MOST_LINES else set())

    assert len(MAPS) >= len(PACKAGES)
    assert offenders(MAPS, wrong) == {}
