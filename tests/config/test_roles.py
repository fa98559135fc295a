"""Two roles on a server of one's own: what each may do, and what the doctor says where there is one."""

from contextlib import contextmanager
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.db.utils import ProgrammingError

from config import doctor, roles
from runs.integrity.verify import verify
from runs.maintenance import seals
from tests import factories as make
from tests.config.table_rights import RIGHTS
from tests.databases import WORKING_ROLE

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def worker():
    """Whether the owner's role of the tests can make another one decides whether there is one to try."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user")
        assert cursor.fetchone() == (False,)
    return settings.DATABASES["default"]["USER"]


def test_where_one_role_does_all_the_doctor_names_what_it_could_change(worker):
    assert roles.changeable() == sorted((*roles.APPEND_ONLY, *roles.KEPT))
    (finding,) = doctor._roles()
    assert (finding.level, "may delete or change runs and evidence" in finding.text) == ("warn", True)


def test_without_an_owner_the_connection_stays_what_it_was(worker, monkeypatch):
    monkeypatch.delenv(roles.OWNER_URL, raising=False)
    with roles.as_owner() as is_another:
        assert not is_another
        assert connection.settings_dict["USER"] == worker


def test_the_owners_connection_is_had_for_a_while_only(worker, monkeypatch):
    parts = urlsplit(settings.DATABASE_URL)
    name = connection.settings_dict["NAME"]
    monkeypatch.setenv(roles.OWNER_URL, urlunsplit(parts._replace(path=f"/{name}")))
    connection.settings_dict["USER"] = "somebody-else"
    try:
        with roles.as_owner() as is_another:
            assert is_another
            with connection.cursor() as cursor:
                cursor.execute("SELECT current_user, current_database()")
                assert cursor.fetchone() == (worker, name)
        assert connection.settings_dict["USER"] == "somebody-else"
        assert connection.connection is None
    finally:
        connection.settings_dict["USER"] = worker
        connection.close()


def test_what_is_granted_names_only_tables_that_there_are(worker):
    with connection.cursor() as cursor:
        for table in (*roles.APPEND_ONLY, *roles.KEPT):
            cursor.execute("SELECT to_regclass(%s) IS NOT NULL", [table])
            assert cursor.fetchone() == (True,), table
    with pytest.raises(ProgrammingError, match='role "nobody-has-this-name" does not exist'):
        roles.grant("nobody-has-this-name")


@pytest.mark.django_db
def test_of_every_table_the_working_role_has_the_rights_that_somebody_decided_on():
    roles.grant(WORKING_ROLE)
    expected = {table: rights.split() for rights, tables in RIGHTS.items() for table in tables.split()}
    with connection.cursor() as cursor:
        cursor.execute(_RIGHTS_OF_TABLES, [WORKING_ROLE])
        found = dict(cursor.fetchall())
    undecided = sorted(found.keys() - expected.keys())
    assert not undecided, "decide in tests/config/table_rights.py (and config/roles.py) what is never deleted"
    assert found == expected


_RIGHTS_OF_TABLES = """
SELECT c.relname, ARRAY(SELECT p.name FROM unnest(ARRAY[
           'SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER', 'MAINTAIN'])
           WITH ORDINALITY AS p(name, place) WHERE has_table_privilege(%s, c.oid, p.name) ORDER BY p.place)
  FROM pg_class c
 WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
"""


@contextmanager
def working():
    """What this connection does meanwhile it does as the role that works."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL ROLE {WORKING_ROLE}")
        yield cursor
        cursor.execute("RESET ROLE")


@pytest.mark.django_db
def test_the_working_role_deletes_and_empties_no_run_and_no_evidence():
    with connection.cursor() as cursor:
        # What somebody once granted is taken back.
        cursor.execute(f"GRANT ALL ON ALL TABLES IN SCHEMA public TO {WORKING_ROLE}")
    roles.grant(WORKING_ROLE)
    statements = [f"DELETE FROM {table}" for table in (*roles.APPEND_ONLY, *roles.KEPT)]
    statements += [f"TRUNCATE {table} CASCADE" for table in (*roles.APPEND_ONLY, *roles.KEPT)]
    statements += [f"UPDATE {table} SET tenant_id = 0" for table in roles.APPEND_ONLY]
    statements += [f"ALTER TABLE {table} DISABLE TRIGGER USER" for table in roles.KEPT]
    for statement in statements:
        refused = pytest.raises(ProgrammingError, match=r"permission denied|must be owner")
        with refused, transaction.atomic(), working() as cursor:
            cursor.execute(statement)
    with working():
        assert roles.complaint() is None
        (finding,) = doctor._roles()
        assert finding.level == "ok"


@pytest.mark.django_db
def test_runs_are_started_worked_on_and_resumed_by_the_working_role():
    roles.grant(WORKING_ROLE)
    with working():
        [run_id] = make.start(make.chain("noop", "noop"))
        make.work()
        assert make.run(run_id).status == "COMPLETED"
        [run_id] = make.start(make.chain("noop"))
        make.fail(*make.claimed())
        make.resume(run_id)
        make.work()
        seals.seal()
        assert make.run(run_id).status == "COMPLETED"
        assert list(verify([run_id])) == []


@pytest.mark.django_db
def test_one_role_that_does_all_deletes_no_run_by_mistake():
    [run_id] = make.start(make.chain("noop"))
    for statement in (f"DELETE FROM runs_run WHERE id = '{run_id}'", "TRUNCATE runs_run"):
        refused = pytest.raises(IntegrityError, match="never deleted")
        with refused, transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
