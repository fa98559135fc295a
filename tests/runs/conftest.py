"""The clock; and after each test of this folder the tables must be sound."""

import psycopg
import pytest
from django.db import connection

from lib import named_sql
from tests import invariants
from tests.timing import clock

__all__ = ["clock"]


@pytest.fixture(autouse=True)
def _sound(db):
    yield
    assert invariants.broken() == {}


@pytest.fixture
def before(monkeypatch):
    """Do something before the first statement of a name."""

    def install(name, act):
        def watch(statement):
            if statement == name and not done:
                done.append(statement)
                act()

        done = []
        monkeypatch.setattr(named_sql, "watchers", [watch])

    return install


def lose_the_connection():
    """As when PostgreSQL restarts."""
    with psycopg.connect(
        connection.connection.info.dsn, password=connection.connection.info.password
    ) as other:
        other.execute("SELECT pg_terminate_backend(%s)", [connection.connection.info.backend_pid])
