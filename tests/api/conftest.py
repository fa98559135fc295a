"""Callers of the API: two tenants, tokens of every role."""

import pytest
from rest_framework.test import APIClient

from tests.people import People


@pytest.fixture
def people(db):
    """Makes tenants, users and tokens."""
    return People()


@pytest.fixture
def api(people):
    """A client with the token of an admin of the tenant `ours`."""
    return people.client("admin")


@pytest.fixture
def anonymous():
    return APIClient()
