"""The self-check against a real server (SECURITY "Durability")."""

import pytest
from django.db import connection

from config.startup import pending_migrations, server_problems, unknown_migrations

pytestmark = pytest.mark.django_db


def test_a_server_that_breaks_a_promise_is_named_with_what_to_do():
    # The server of the tests is fast because it is unsafe.
    problems = " ".join(server_problems())
    assert "fsync=off: set it to on." in problems
    assert "full_page_writes=off: set it to on." in problems
    assert "synchronous_commit=off: set it to on." in problems


def test_a_migrated_database_has_nothing_pending_and_nothing_unknown():
    assert pending_migrations() == []
    assert unknown_migrations() == []


def test_a_migration_of_a_later_version_is_unknown():
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES ('runs', '9999_later', now())"
        )
    assert unknown_migrations() == ["runs.9999_later"]
