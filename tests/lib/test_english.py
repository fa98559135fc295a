"""A number and its noun agree."""

import re
from pathlib import Path

import pytest

from lib.english import counted

ROOT = Path(__file__).parents[2]
_SINCE_AGO = re.compile(r"[Ss]ince (?:</span>)?\{% time_element [\w.]+ %\}")


@pytest.mark.parametrize(
    ("count", "words"), [(0, "0 steps"), (1, "1 step"), (2, "2 steps"), (1000, "1,000 steps")]
)
def test_a_number_says_whether_its_noun_is_a_plural(count, words):
    assert counted(count, "step") == words


def test_a_plural_may_be_irregular():
    assert (counted(1, "person", "people"), counted(2, "person", "people")) == ("1 person", "2 people")


def test_no_page_says_since_of_how_long_ago_something_was():
    """Since when is a moment: "since just now" is none."""
    pages = [
        path
        for folder in ROOT.glob("[!.]*")
        if folder.is_dir()
        for path in folder.rglob("templates/**/*.html")
    ]
    pages = [path for path in pages if "node_modules" not in path.parts] + [
        *(ROOT / "templates").rglob("*.html")
    ]
    assert len(pages) > 100
    assert [path.name for path in pages if _SINCE_AGO.search(path.read_text())] == []
