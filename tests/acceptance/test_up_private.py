"""A long home, and other users of the machine."""

import os
import stat
from pathlib import Path

import psycopg
import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from config import roles
from tests.acceptance.running import Handoff

NOBODY = 65_534


def _socket_folder(one: Handoff) -> Path:
    return Path(psycopg.conninfo.conninfo_to_dict(one.facts()["database_url"])["host"])


def _refused_to_another_user(url: str) -> bool:
    """Whether a process of the user nobody, who even knows the password, gets no connection."""
    pid = os.fork()
    if pid == 0:
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            psycopg.connect(url, connect_timeout=5).close()
        except psycopg.OperationalError:
            os._exit(0)
        except BaseException:
            os._exit(2)
        os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_the_socket_of_a_long_home_lies_in_a_private_folder(handoff):
    assert len(str(handoff.home)) == 110
    folder = _socket_folder(handoff)
    facts = folder.stat()
    assert not folder.is_relative_to(handoff.home)
    assert (stat.S_IMODE(facts.st_mode), facts.st_uid) == (0o700, os.geteuid())
    assert stat.S_IMODE(handoff.home.stat().st_mode) == 0o700


def test_the_database_of_a_long_home_refuses_another_user(handoff):
    if os.geteuid() == 0:
        assert _refused_to_another_user(handoff.facts()["database_url"])
    else:
        assert stat.S_IMODE(_socket_folder(handoff).stat().st_mode) & 0o077 == 0


@pytest.mark.parametrize("user", ["handoff", "postgres"])
@pytest.mark.parametrize("password", [None, "", "wrong"])
def test_the_database_refuses_whoever_has_no_password(handoff, user, password):
    given = {} if password is None else {"password": password}
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(
            host=str(_socket_folder(handoff)),
            port=5432,
            user=user,
            dbname="postgres",
            passfile="/dev/null",
            **given,
        )


EVIDENCE = roles.APPEND_ONLY


@pytest.mark.parametrize(
    "statement",
    [
        *(f"TRUNCATE {table}" for table in (*EVIDENCE, *roles.KEPT, "runs_stepexecution")),
        *(f"ALTER TABLE {table} DISABLE TRIGGER USER" for table in EVIDENCE),
        *(f"DELETE FROM {table}" for table in (*EVIDENCE, *roles.KEPT)),
        *(f"UPDATE {table} SET tenant_id = 0" for table in EVIDENCE),
        "DROP TABLE runs_runseal",
        "CREATE TABLE mine (word text)",
        "DELETE FROM django_migrations",
        "SET ROLE handoff_owner",
        "SET session_replication_role = replica",
    ],
)
def test_handoffs_own_role_can_change_neither_evidence_nor_the_schema_and_deletes_no_run(handoff, statement):
    with (
        psycopg.connect(handoff.facts()["database_url"]) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute(statement)


def test_the_database_listens_on_no_network_address(handoff):
    with psycopg.connect(handoff.facts()["database_url"]) as connection:
        assert connection.execute("SHOW listen_addresses").fetchone() == ("",)


def test_redis_refuses_whoever_has_no_password(handoff):
    port = int(handoff.facts()["redis_url"].rpartition(":")[2].split("/")[0])
    with (
        redis.Redis(port=port, retry=Retry(NoBackoff(), 0)) as client,
        pytest.raises(redis.AuthenticationError),
    ):
        client.ping()
