import pytest

from handoff.steps import StepError, execute
from handoff.testing import problems_of
from handoff_shout import SHOUT


def shout(text, **params):
    return execute(SHOUT, params, {"text": text}, run_id="r", node="n", attempt=1, idempotency_key="r:n")


def test_handoff_takes_it():
    assert problems_of(SHOUT) == []


def test_it_shouts():
    assert shout("fire", marks=3) == {"text": "FIRE!!!"}


def test_nothing_is_not_shouted():
    with pytest.raises(StepError, match="is empty"):
        shout(" ")
