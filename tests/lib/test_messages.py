"""Errors of others in a line, and those of ours with all that is known of them."""

import logging

import psycopg
import pytest
from django.db import DataError, Error, OperationalError, connection, transaction

from lib.database_errors import is_away, is_no_text, log_database_error
from lib.messages import first_line

log = logging.getLogger("tests.messages")


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (ValueError("one\ntwo"), "one"),
        (ValueError("\n one\ntwo"), "one"),
        (ValueError(), "ValueError"),
        (ValueError(" \n"), "ValueError"),
    ],
)
def test_an_error_is_its_first_line_or_its_name(error, line):
    assert first_line(error) == line


@pytest.mark.parametrize("error", [OperationalError("gone\nreally"), psycopg.OperationalError("gone")])
def test_a_database_that_is_away_is_a_line(caplog, error):
    log_database_error(log, "The drain", error)
    (record,) = caplog.records
    assert (record.getMessage(), record.exc_info) == ("The drain lost the database (gone)", None)


@pytest.mark.parametrize("error", [DataError("too long"), psycopg.errors.UndefinedColumn("x")])
def test_a_defect_of_ours_keeps_its_traceback(caplog, error):
    log_database_error(log, "The drain", error)
    (record,) = caplog.records
    assert record.getMessage() == "The drain failed in the database"
    assert record.exc_info[1] is error


def raised(statement, *, by_orm):
    """What the database raises for a statement, through Django or as `.sql` files get it."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout = '20ms'")
            (cursor if by_orm else connection.connection).execute(statement)
    except (Error, psycopg.Error) as error:
        return error
    raise AssertionError("nothing was raised")


@pytest.mark.django_db
@pytest.mark.parametrize("by_orm", [True, False])
def test_a_statement_that_took_too_long_is_no_database_that_is_away(by_orm):
    assert not is_away(raised("SELECT pg_sleep(5)", by_orm=by_orm))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("statement", "no_text"),
    [("SELECT '\"\\u0000\"'::jsonb", True), ("SELECT 1 / 0", False), ("SELECT 'x'::int", False)],
)
def test_a_text_that_no_database_holds_is_told_from_a_defect_of_ours(statement, no_text):
    assert is_no_text(raised(statement, by_orm=True)) == no_text


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("by_orm", [True, False])
def test_a_session_that_the_server_ended_is_a_database_that_is_away(by_orm):
    error = raised("SELECT pg_terminate_backend(pg_backend_pid())", by_orm=by_orm)
    connection.close()
    assert is_away(error)


@pytest.mark.parametrize(
    ("kind", "away"),
    [
        (psycopg.errors.DeadlockDetected, False),
        (psycopg.errors.LockNotAvailable, False),
        (psycopg.errors.ProgramLimitExceeded, False),
        (psycopg.errors.TooManyConnections, True),
        (psycopg.errors.CannotConnectNow, True),
        (psycopg.errors.IdleInTransactionSessionTimeout, True),
        (psycopg.errors.DiskFull, True),
    ],
)
def test_what_the_server_says_tells_whether_it_is_away(kind, away):
    assert is_away(kind("x")) == away
