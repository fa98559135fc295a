"""The builder's page has the other pages' style sheets, too: a class has its look from one of them."""

import re
from pathlib import Path

from config.features import ROOMS
from tests.architecture.sources import ROOT

OF_THE_PAGES = sorted(ROOT.glob("static/css/*.css"))
OF_FEATURES = sorted(path for room in ROOMS for path in ROOT.glob(f"{room}/*/static/**/*.css"))
OF_THE_BUILDER = sorted(ROOT.glob("frontend/src/style/*.css"))
PASSED_OVER = re.compile(r"/\*.*?\*/|\([^()]*\)", re.DOTALL)
"""Comments, and what stands in parentheses: it narrows a selector, and begins none."""
PAGES = ("accounts", "lib", "runs", "static/js", "tasks_inbox", "templates", "workflows")
"""What names classes of the pages, but for features."""


def classes(paths: list[Path]) -> set[str]:
    """Classes with which a selector begins: they apply wherever somebody uses the name."""
    sheets = [PASSED_OVER.sub("", path.read_text()) for path in paths]
    selectors = [
        one for sheet in sheets for group in re.findall(r"([^{};]+)\{", sheet) for one in group.split(",")
    ]
    return {found[1] for one in selectors if (found := re.match(r"\s*\.([\w-]+)", one))}


def test_no_class_of_the_pages_is_another_of_the_builder():
    pages, builder = classes(OF_THE_PAGES + OF_FEATURES), classes(OF_THE_BUILDER)
    assert min(len(pages), len(builder)) > 100
    assert pages & builder == set()


def test_a_class_that_only_a_feature_uses_has_its_look_in_its_folder():
    files = [
        path
        for folder in PAGES
        for path in (ROOT / folder).rglob("*.*")
        if path.suffix in (".html", ".py", ".js")
    ]
    texts = "\n".join(path.read_text() for path in files)
    # A class may be put together: `mark-{{ part.kind }}`.
    names, beginnings = set(re.findall(r"[\w-]+", texts)), tuple(re.findall(r"([\w-]+-)\{", texts))
    assert {name for name in classes(OF_THE_PAGES) - names if not name.startswith(beginnings)} == set()
