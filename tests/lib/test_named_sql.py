"""Statements by name: what of them goes to the server, and in which order their parameters do."""

from datetime import UTC, datetime

import psycopg
import pytest

from lib.named_sql import Statements, numbered

REMAINDER = """
-- name: remainder
-- As long as those that the driver would read anew at each call.
SELECT %(number)s::int %% %(by)s::int, %(number)s::int, '100 %%'
"""
TIMES = """
-- name: times
SELECT count(DISTINCT clock()), count(DISTINCT statement_clock()), max(clock()) FROM generate_series(1, 10000)
"""


def test_a_parameter_has_one_place_however_often_it_is_named():
    text, order = numbered("SELECT %(b)s, %(a)s, %(b)s WHERE '5 %%' = %(c)s")
    assert text == b"SELECT $1, $2, $1 WHERE '5 %' = $3"
    assert order == ["b", "a", "c"]


@pytest.mark.django_db
def test_a_statement_takes_its_parameters_by_name_whatever_their_order_and_its_length(tmp_path):
    (tmp_path / "some.sql").write_text(REMAINDER + "-- " + "x" * 10_000 + "\n")
    statements = Statements(tmp_path)
    for number in (17, 18):
        params = {"by": 5, "number": number, "unused": object()}
        assert statements.execute("remainder", params).fetchall() == [(number % 5, number, "100 %")]
    with pytest.raises(KeyError):
        statements.execute("remainder", {"by": 5})


@pytest.mark.django_db
def test_statements_of_several_tables_stand_there_once(tmp_path):
    (tmp_path / "some.sql").write_text("-- name: kind\nSELECT relkind FROM /* table */ LIMIT 1\n")
    assert Statements(tmp_path, table="pg_class").execute("kind", {}).fetchone() is not None
    with pytest.raises(psycopg.errors.UndefinedColumn):
        Statements(tmp_path, table="pg_namespace").execute("kind", {})


@pytest.mark.django_db
def test_a_statement_takes_the_time_of_the_server_but_where_one_is_given(tmp_path):
    (tmp_path / "some.sql").write_text(TIMES)
    statements = Statements(tmp_path)
    given = datetime(2026, 1, 2, tzinfo=UTC)
    assert statements.execute("times", {"now": given}).fetchone() == (1, 1, given)
    of_rows, of_statement, last = statements.execute("times", {"now": None}).fetchone()
    assert of_rows > of_statement == 1
    assert last > given
