"""A stage with real connections; how often each race is run; and sound tables after each."""

from collections.abc import Iterator

import pytest
from django.db import connection

from tests import invariants
from tests.races.staging import stage
from tests.timing import clock

__all__ = ["clock"]

CONNECTIONS = 50
"""More than there are actors on any stage."""


@pytest.fixture(params=[5, pytest.param(200, marks=pytest.mark.soak)], ids=["", "soak"])
def rounds(request):
    """Each race is won and lost many times."""
    return range(request.param)


@pytest.fixture(scope="module", autouse=True)
def _connections(django_db_setup: None) -> Iterator[None]:
    """An actor goes on with the connection of one that has left: a new one costs more than what most actors do."""
    options = connection.settings_dict["OPTIONS"]
    connection.close()
    options["shared_connections"] = CONNECTIONS
    yield
    connection.close()
    connection.close_pool()
    del options["shared_connections"]


@pytest.fixture(autouse=True)
def _stage(transactional_db):
    with stage():
        yield
    assert invariants.broken() == {}
