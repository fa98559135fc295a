"""README.md leads to every page of the docs, and says of Pythons what `pyproject.toml` says."""

import re
import tomllib

from tests.architecture.sources import ROOT, section

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
_PYTHON = re.compile(r"^\| (3\.\d+) \| (.+?) \|", re.MULTILINE)
_CLASSIFIER = re.compile(r"Programming Language :: Python :: (3\.\d+)")


def test_every_page_of_the_docs_is_among_those_to_read_on():
    linked = set(re.findall(r"\]\(docs/([^)/]+\.md)\)", section("README.md", "Where to read on")))
    assert linked == {page.name for page in (ROOT / "docs").glob("*.md")}


def test_a_python_is_classified_where_it_was_tried():
    pythons = dict(_PYTHON.findall(section("README.md", "Which Pythons")))
    tried = [python for python, said in pythons.items() if "not yet tried" not in said]
    assert _CLASSIFIER.findall("\n".join(PROJECT["classifiers"])) == tried
    oldest, newest = (int(python.removeprefix("3.")) for python in (min(pythons), max(pythons)))
    assert PROJECT["requires-python"] == f">=3.{oldest},<3.{newest + 1}"
