"""Errors of others in a line, and those of ours with all that is known of them."""

import logging

import psycopg
import pytest
from django.db import DataError, OperationalError

from lib.messages import first_line
from lib.named_sql import log_database_error

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
