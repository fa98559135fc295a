"""The builder's page has the other pages' style sheets, too: a class has its look from one of them."""

import re
from pathlib import Path

from tests.architecture.sources import ROOT

OF_THE_PAGES = ROOT / "static" / "css"
OF_THE_BUILDER = ROOT / "frontend" / "src" / "style"
PASSED_OVER = re.compile(r"/\*.*?\*/|\([^()]*\)", re.DOTALL)
"""Comments, and what stands in parentheses: it narrows a selector, and begins none."""


def classes(folder: Path) -> set[str]:
    """Classes with which a selector begins: they apply wherever somebody uses the name."""
    sheets = [PASSED_OVER.sub("", path.read_text()) for path in folder.glob("*.css")]
    selectors = [
        one for sheet in sheets for group in re.findall(r"([^{};]+)\{", sheet) for one in group.split(",")
    ]
    return {found[1] for one in selectors if (found := re.match(r"\s*\.([\w-]+)", one))}


def test_no_class_of_the_pages_is_another_of_the_builder():
    pages, builder = classes(OF_THE_PAGES), classes(OF_THE_BUILDER)
    assert min(len(pages), len(builder)) > 100
    assert pages & builder == set()
