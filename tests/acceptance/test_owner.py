"""A home from before there were two roles: its tables become the owner's, and everything goes on."""

import psycopg
import pytest

from config.embedded import postgres
from config.embedded.processes import wait_until
from tests.acceptance.conftest import end
from tests.acceptance.running import Handoff

TABLES = "SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'public'"


def as_before(one: Handoff) -> int:
    """One role owns everything, and there is no other; gives how many users there are."""
    server = postgres.Postgres(one.home / "postgres")
    server.prepare()
    process = server.start()
    wait_until(server.is_ready, 30, "PostgreSQL")
    password = (one.home / "postgres" / "superuser-password").read_text().strip()
    given = {"user": "postgres", "password": password, "autocommit": True}
    with psycopg.connect(server.url, **given) as connection:
        connection.execute("REASSIGN OWNED BY handoff_owner TO handoff")
        connection.execute("DROP OWNED BY handoff_owner")
        connection.execute("DROP ROLE handoff_owner")
        assert connection.execute(TABLES).fetchall() == [("handoff",)]
        [users] = connection.execute("SELECT count(*) FROM accounts_user").fetchone()
    process.send_signal(postgres.STOP_SIGNAL)
    process.wait(20)
    return users


@pytest.mark.exhaustive
def test_a_home_from_before_is_changed_at_its_next_start(home):
    if home.process is None:
        home.start_and_wait()
    end(home)
    users = as_before(home)
    home.start_again()
    with psycopg.connect(home.facts()["database_url"]) as connection:
        assert connection.execute(TABLES).fetchall() == [("handoff_owner",)]
        assert connection.execute("SELECT count(*) FROM accounts_user").fetchone() == (users,)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("TRUNCATE tasks_inbox_taskdecision")
    assert home.get("/readyz")[0] == 200
    assert users >= 1
