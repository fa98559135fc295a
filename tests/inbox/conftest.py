"""The clock; and after each test of this folder the tables must be sound."""

import pytest

from tests import invariants
from tests.people import People
from tests.timing import clock

__all__ = ["clock"]


@pytest.fixture(autouse=True)
def _sound(db):
    yield
    assert invariants.broken() == {}


@pytest.fixture
def people(db):
    """Makes tenants, users and tokens."""
    return People()
