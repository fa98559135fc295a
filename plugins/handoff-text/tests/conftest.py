"""The sample articles, and one way to run a step."""

from pathlib import Path

import pytest

from handoff.steps import execute
from handoff_text import STEP_TYPES

HERE = Path(__file__).parent
# The English article is also the example of the tour in Handoff's README.md.
ENGLISH = HERE.parents[2] / "docs" / "examples" / "cities_and_heat.txt"
GERMAN = HERE / "articles" / "moore.de.txt"
TYPES = {step_type.name: step_type for step_type in STEP_TYPES}


@pytest.fixture(scope="session")
def english():
    return ENGLISH.read_text()


@pytest.fixture(scope="session")
def german():
    return GERMAN.read_text()


@pytest.fixture(scope="session")
def run_step():
    def run(name, payload, /, **params):
        return execute(TYPES[name], params, payload, run_id="r", node="n", attempt=1, idempotency_key="r:n")

    return run
