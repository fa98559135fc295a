"""`scripts/map` has something to print of each module: a docstring whose first sentence is short."""

import runpy

from tests.architecture.sources import PACKAGES, PRODUCT, ROOT, offenders

MOST_CHARACTERS = 200
purpose = runpy.run_path(str(ROOT / "scripts" / "map"))["purpose"]


def test_each_module_says_in_a_sentence_what_it_is_for():
    def wrong(path):
        module = ROOT / path
        said = purpose(module) if module.stat().st_size else "nothing is in it"
        return None if 0 < len(said) <= MOST_CHARACTERS else f"{len(said)} characters"

    assert offenders(PRODUCT, wrong) == {}


def test_each_package_has_a_page():
    assert [package for package in PACKAGES if not (ROOT / package / "README.md").exists()] == []
