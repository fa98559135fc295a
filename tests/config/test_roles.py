"""Two roles on a server of one's own: what each may do, and what the doctor says where there is one."""

from urllib.parse import urlsplit, urlunsplit

import pytest
from django.conf import settings
from django.db import connection
from django.db.utils import ProgrammingError

from config import doctor, roles

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def worker():
    """Whether the owner's role of the tests can make another one decides whether there is one to try."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user")
        assert cursor.fetchone() == (False,)
    return settings.DATABASES["default"]["USER"]


def test_where_one_role_does_all_the_doctor_names_what_it_could_change(worker):
    assert roles.changeable() == sorted(roles.APPEND_ONLY)
    (finding,) = doctor._roles()
    assert (finding.level, "may change evidence" in finding.text) == ("warn", True)


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
        for table in roles.APPEND_ONLY:
            cursor.execute("SELECT to_regclass(%s) IS NOT NULL", [table])
            assert cursor.fetchone() == (True,), table
    with pytest.raises(ProgrammingError, match='role "nobody-has-this-name" does not exist'):
        roles.grant("nobody-has-this-name")
