"""Connections that don't wait for ever, and a pool that finds out by itself what is dead (real servers)."""

import os
import signal
import time
from contextlib import contextmanager

import psycopg
import pytest
from django.conf import settings
from django.db import OperationalError, connection, transaction

from config import environment
from config.database import patience
from config.database.base import DatabaseWrapper
from config.database.connection import PatientConnection
from config.database.pool import Pool
from config.embedded import postgres
from config.embedded.postgres import Postgres
from config.embedded.processes import wait_until

pytestmark = pytest.mark.slow


@contextmanager
def within(seconds):
    began = time.monotonic()
    yield
    assert time.monotonic() - began < seconds


def connect():
    return PatientConnection.connect(settings.DATABASE_URL, autocommit=True)


def _ask_for_ever(one):
    while True:
        one.execute("SELECT pg_sleep(0.05)")


@pytest.fixture
def pool():
    pool = Pool(connect, 1)
    yield pool
    pool.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server of one's own, to be stopped and killed."""
    server = Postgres(tmp_path_factory.mktemp("own"), {"fsync": "off"})
    server.prepare()
    process = server.start()
    wait_until(server.is_ready, 30, "PostgreSQL")
    server.make_database()
    yield server, process
    process.kill()
    process.wait(20)
    server.clean_up()


def test_what_handoffs_role_owned_before_there_were_two_becomes_the_owners(server):
    one, _ = server
    with psycopg.connect(one.owner_url) as connection:
        connection.execute(f"GRANT CREATE ON SCHEMA public TO {postgres.ROLE}")
    with psycopg.connect(one.url) as connection:
        connection.execute("CREATE TABLE of_before ()")
    one.make_database()
    with psycopg.connect(one.url) as connection:
        owner = connection.execute(
            "SELECT tableowner FROM pg_tables WHERE tablename = 'of_before'"
        ).fetchone()
    assert owner == (postgres.OWNER,)


def test_a_statement_without_an_answer_fails_and_its_connection_is_given_up():
    one = connect()
    one.longest_wait = 0.2
    with within(2), pytest.raises(psycopg.OperationalError, match="not answered within"):
        one.execute("SELECT pg_sleep(30)")
    assert one.closed


def test_a_deadline_holds_for_all_that_a_thread_asks():
    with connect() as one:
        with within(2), pytest.raises(psycopg.OperationalError), patience.at_most(0.3):
            _ask_for_ever(one)
        assert patience.left() is None


def test_who_gives_a_connection_back_lets_the_next_one_have_it(pool):
    first = pool.take()
    pool.give(first)
    assert pool.take() is first
    pool.give(first)


def test_a_connection_that_the_server_has_closed_is_replaced_unseen(pool):
    dead = pool.take()
    pool.give(dead)
    with connect() as other:
        other.execute("SELECT pg_terminate_backend(%s)", [dead.info.backend_pid])
        gone = "SELECT count(*) FROM pg_stat_activity WHERE pid = %s"
        wait_until(lambda: other.execute(gone, [dead.info.backend_pid]).fetchone() == (0,), 5, "the end")
    living = pool.take()
    assert living.execute("SELECT 1").fetchone() == (1,)
    pool.give(living)


def test_a_connection_in_a_transaction_is_nobody_elses(pool):
    one = pool.take()
    one.execute("BEGIN")
    pool.give(one)
    assert one.closed
    pool.give(pool.take())


def test_who_finds_no_connection_free_is_told_so_in_time(pool):
    taken = pool.take()
    with within(1), pytest.raises(psycopg.OperationalError, match="in use"), patience.at_most(0.1):
        pool.take()
    pool.give(taken)


def test_a_connect_that_fails_leaves_its_place_free():
    def refuse():
        raise psycopg.OperationalError("no")

    pool = Pool(refuse, 1)
    for _ in range(3):
        with pytest.raises(psycopg.OperationalError, match="no"), patience.at_most(0.1):
            pool.take()


@pytest.mark.django_db
def test_django_gives_its_connection_back_to_the_pool():
    options = {**connection.settings_dict["OPTIONS"], "shared_connections": 1}
    described = {**connection.settings_dict, "NAME": "postgres", "OPTIONS": options, "CONN_MAX_AGE": 0}
    one, other = DatabaseWrapper(described, "one"), DatabaseWrapper(described, "one")
    try:
        backends = set()
        for wrapper in (one, other):
            with wrapper.cursor() as cursor:
                cursor.execute("SELECT pg_backend_pid()")
                backends.add(cursor.fetchone())
            wrapper.close()
        assert len(backends) == 1
    finally:
        one.close_pool()


def test_a_server_that_hangs_costs_seconds_and_one_that_was_killed_nothing(server):
    own, process = server
    pool = Pool(lambda: PatientConnection.connect(own.url, autocommit=True, connect_timeout=2), 2)
    idle = pool.take()
    pool.give(idle)
    backend = idle.info.backend_pid
    os.kill(backend, signal.SIGSTOP)
    process.send_signal(signal.SIGSTOP)
    try:
        held = pool.take()
        with within(2), pytest.raises(psycopg.OperationalError), patience.at_most(0.2):
            held.execute("SELECT 1")
        pool.give(held)
        with within(4), pytest.raises(psycopg.OperationalError):
            pool.take()
    finally:
        os.kill(backend, signal.SIGCONT)
        process.send_signal(signal.SIGCONT)
    living = pool.take()
    pool.give(living)
    process.kill()
    process.wait(20)
    wait_until(lambda: not living.is_alive(), 5, "the end of its server process")
    with within(1), pytest.raises(psycopg.OperationalError):
        pool.take()


@pytest.mark.django_db
def test_the_orm_says_operational_error():
    with pytest.raises(OperationalError), patience.at_most(0.1), connection.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(5)")


@pytest.mark.django_db(transaction=True)
def test_a_thread_whose_connection_was_closed_by_the_server_goes_on_with_a_new_one():
    connection.close()
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    lost = connection.connection
    with connect() as other:
        other.execute("SELECT pg_terminate_backend(%s)", [lost.info.backend_pid])
    wait_until(lambda: not lost.is_alive(), 5, "the end")
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        assert cursor.fetchone() == (1,)


@pytest.mark.django_db
def test_a_server_that_dies_while_a_request_ends_spoils_no_answer(monkeypatch):
    """Django asks whether the connection is as it was, and connects for that where it was lost since we looked."""
    nowhere = environment.database_of("postgresql://nobody@127.0.0.1:1/nothing")
    wrapper = DatabaseWrapper({**connection.settings_dict, **nowhere, "CONN_MAX_AGE": 0}, "lost")
    wrapper.connection = object()
    looks = iter([False])
    monkeypatch.setattr(wrapper, "_is_dead", lambda: next(looks, wrapper.connection is not None))
    monkeypatch.setattr(wrapper, "_close", lambda: None)
    wrapper.close_if_unusable_or_obsolete()
    assert wrapper.connection is None
