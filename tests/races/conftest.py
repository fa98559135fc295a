"""A stage with real connections; how often each race is run; and sound tables after each."""

import pytest

from tests import invariants
from tests.races.staging import stage
from tests.timing import clock

__all__ = ["clock"]


@pytest.fixture(params=[5, pytest.param(200, marks=pytest.mark.soak)], ids=["", "soak"])
def rounds(request):
    """Each race is won and lost many times."""
    return range(request.param)


@pytest.fixture(autouse=True)
def _stage(transactional_db):
    with stage():
        yield
    assert invariants.broken() == {}
