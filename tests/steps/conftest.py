"""The sample articles, and one way to run a step."""

from pathlib import Path

import pytest

from steps.base import execute
from steps.catalogue import CATALOGUE

ARTICLES = Path(__file__).parent.parent / "articles"


@pytest.fixture(scope="session")
def english():
    return (ARTICLES / "cities_and_heat.en.txt").read_text()


@pytest.fixture(scope="session")
def german():
    return (ARTICLES / "moore.de.txt").read_text()


@pytest.fixture(scope="session")
def run_step():
    def run(name, given, /, **params):
        return execute(CATALOGUE[name], params, given, run_id="r", node="n", attempt=1, idempotency_key="r:n")

    return run
