"""Heartbeats rewrite rows in place: no index is touched (docs/engine.md, "Leases")."""

import pytest
from django.db import connection

from runs.store import hot
from tests import factories as make

pytestmark = pytest.mark.django_db(transaction=True)

BEATS = 30
STEPS = 60


def updates():
    """(all updates, those that were heap-only) of steps so far."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute("SELECT 1")
        cursor.execute(
            "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'runs_stepexecution'"
        )
        return cursor.fetchone()


def test_heartbeats_are_heap_only_updates():
    """docs/engine.md, "Leases": none would be if lease columns were in an index."""
    make.start(make.chain("noop"), *[{}] * STEPS)
    rows = [{"id": step.id, "epoch": step.epoch} for step in make.claimed(limit=1000)]
    before, hot_before = updates()
    for _ in range(BEATS):
        hot.heartbeat(rows)
    after, hot_after = updates()

    assert after - before == STEPS * BEATS
    # With an index none of them would be. Nearly all are on a server of one's own. While any database of the server has
    # a transaction open that writes, as tests of another process have, old versions are not pruned, and only the fifth
    # of each page that the fill factor leaves free takes new ones.
    assert hot_after - hot_before >= 0.15 * STEPS * BEATS


def test_no_index_names_a_column_that_heartbeats_write():
    written = {"lease_expires_at", "progress", "hard_deadline"}
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexdef FROM pg_indexes WHERE tablename = 'runs_stepexecution'")
        definitions = [row[0] for row in cursor.fetchall()]
    assert [text for text in definitions for column in written if column in text] == []
