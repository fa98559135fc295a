"""What keeps Handoff from starting is one clear line, and nothing is left running."""

import os
import signal

import psycopg
import pytest

from config.embedded import postgres
from config.embedded.processes import living_in, wait_until
from tests.acceptance.running import Handoff


@pytest.fixture
def handoff(tmp_path):
    return Handoff(tmp_path / "home")


HANGS_IN_ITS_ENDING = """
import os, time

ended = os._exit

def hangs(code):
    if code:
        time.sleep(600)
    ended(code)

os._exit = hangs
"""


def _in_its_database(handoff: Handoff, *statements: str) -> None:
    """Run statements as the superuser of the home's database, before Handoff first starts."""
    handoff.home.mkdir(mode=0o700)
    server = postgres.Postgres(handoff.home / "postgres")
    server.prepare()
    process = server.start()
    wait_until(server.is_ready, 30, "PostgreSQL")
    server.make_database()
    password = (handoff.home / "postgres" / "superuser-password").read_text().strip()
    with psycopg.connect(server.url, user="postgres", password=password, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)
    process.send_signal(postgres.STOP_SIGNAL)
    process.wait(20)


def test_a_schema_from_the_future(handoff):
    _in_its_database(
        handoff,
        "CREATE TABLE django_migrations (id bigserial PRIMARY KEY, app text, name text, applied timestamptz)",
        "INSERT INTO django_migrations (app, name, applied) VALUES ('runs', '9999_from_the_future', now())",
        "ALTER TABLE django_migrations OWNER TO handoff",
    )
    [line] = handoff.refusal()
    assert line.startswith("Handoff cannot start: The database was written by a later Handoff")
    assert "runs.9999_from_the_future" in line
    assert living_in(handoff.home / "postgres" / "data", "postgres") == []


@pytest.mark.exhaustive
def test_a_server_that_may_lose_what_it_accepted(handoff):
    _in_its_database(
        handoff, "ALTER SYSTEM SET fsync = off", "ALTER ROLE handoff SET synchronous_commit = off"
    )
    [line] = handoff.refusal()
    assert "fsync=off" in line
    assert "synchronous_commit=off" in line


@pytest.mark.exhaustive
def test_a_password_file_that_is_empty(handoff):
    handoff.home.mkdir(mode=0o700)
    (handoff.home / "admin-password").write_text("")
    assert any("admin-password is empty; put a password in it" in line for line in handoff.refusal())


def test_a_home_that_cannot_be_written(handoff):
    handoff.home.write_text("a file where the folder should be")
    [line] = handoff.refusal()
    assert line.startswith(f"Handoff cannot start: The home {handoff.home} cannot be written")


@pytest.mark.exhaustive
def test_a_home_below_something_that_is_no_folder(tmp_path):
    handoff = Handoff(tmp_path / "home", HANDOFF_HOME="/dev/null/home")
    [line] = handoff.refusal()
    assert line.startswith("Handoff cannot start: The home /dev/null/home cannot be written")


def test_a_port_that_is_no_number(tmp_path):
    [line] = Handoff(tmp_path / "home", HANDOFF_PORT="eighty").refusal()
    assert line == "Handoff cannot start: HANDOFF_PORT must be a number from 1 to 65535, not 'eighty'."


def test_a_given_database_that_does_not_answer_and_nothing_embedded_beside_it(tmp_path):
    url = "postgresql://nobody@127.0.0.1:1/none"
    handoff = Handoff(tmp_path / "home", DATABASE_URL=url, REDIS_URL=os.environ["REDIS_URL"])
    [line] = handoff.refusal()
    assert line.startswith("Handoff cannot start: The database does not answer")
    assert {path.name for path in handoff.home.iterdir()} == {
        "secret-key",
        "master-key",
        "supervisor.lock",
        "run",
    }


@pytest.mark.exhaustive
def test_the_reason_is_said_though_the_preparation_hangs_after_it(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(HANGS_IN_ITS_ENDING)
    url = "postgresql://nobody@127.0.0.1:1/none"
    given = {"DATABASE_URL": url, "REDIS_URL": os.environ["REDIS_URL"], "PYTHONPATH": str(tmp_path)}
    handoff = Handoff(tmp_path / "home", **given)
    handoff.start()
    wait_until(lambda: "CommandError: The database does not answer" in handoff.said(), 30, handoff.said)
    assert not handoff.ended()
    handoff.process.send_signal(signal.SIGTERM)
    handoff.process.wait(30)
    assert "Handoff has stopped" in handoff.said()
