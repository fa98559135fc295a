"""The sample articles, and one way to run a step."""

from pathlib import Path

import pytest

from steps.base import execute
from steps.catalogue import CATALOGUE

ROOT = Path(__file__).parents[2]
# The English article is also the example of the tour in README.md.
ENGLISH = ROOT / "docs" / "examples" / "cities_and_heat.txt"
GERMAN = ROOT / "tests" / "articles" / "moore.de.txt"


@pytest.fixture(scope="session")
def english():
    return ENGLISH.read_text()


@pytest.fixture(scope="session")
def german():
    return GERMAN.read_text()


@pytest.fixture(scope="session")
def run_step():
    def run(name, given, /, **params):
        return execute(CATALOGUE[name], params, given, run_id="r", node="n", attempt=1, idempotency_key="r:n")

    return run
