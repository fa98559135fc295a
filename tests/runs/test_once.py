"""Duties of the clock: one process does each at a time, and whoever dies has let go of it."""

import zlib
from contextlib import suppress

import psycopg
import pytest
from django.db import connection

from runs.maintenance.once import alone

pytestmark = pytest.mark.django_db


def may(duty):
    with alone(duty) as mine:
        return mine


@pytest.mark.parametrize("how", ["commits", "dies"])
def test_a_duty_is_done_by_one_at_a_time_and_nobody_keeps_it(how):
    """H-33: the lock is the transaction's, not the session's. What is done twice all the same does no harm (H-40)."""
    ours = connection.connection.info
    # A connection that was broken off says so when it is closed.
    with suppress(psycopg.OperationalError), psycopg.connect(ours.dsn, password=ours.password) as other:
        took = other.execute("SELECT pg_try_advisory_xact_lock(%s)", [zlib.crc32(b"timers")]).fetchone()
        assert took == (True,)
        assert may("leases")
        assert not may("timers")
        if how == "commits":
            other.commit()
        else:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [other.info.backend_pid])
        assert may("timers")
