"""Callers of the API: two tenants, tokens of every role."""

import pytest
from django.db import transaction
from rest_framework.test import APIClient

from accounts.roles import TOKEN_ROLES
from tests.api.furnishing import has_everything
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


@pytest.fixture(scope="module")
def furnished(django_db_setup, django_db_blocker):
    """The tenants of a module's tests, ours with one of everything and its ids; each test goes back to it."""
    with django_db_blocker.unblock(), transaction.atomic():
        people = People()
        people.client("admin", tenant="theirs")
        for role in TOKEN_ROLES:
            people.token(role)
        people.ids = has_everything(people.client("admin"))
        yield people
        transaction.set_rollback(True)


@pytest.fixture
def ours(furnished, db):
    """A client whose tenant has what the addresses of the matrix name, and their ids."""
    client = furnished.client("admin")
    client.ids = furnished.ids
    return client
