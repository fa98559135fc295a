"""Probes of `/readyz`: many of them at once, and how soon they show a change."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.test import Client

from config import health
from lib import named_sql
from lib.shared_answers import SharedAnswers
from runs.reading.readiness import QUEUES
from runs.store import hot

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def clock(monkeypatch):
    """The time by which answers are kept, in seconds; nothing is kept of an earlier test."""
    now = [0.0]
    shared = SharedAnswers(
        health._answer_probes, seconds=health._SHARED_SECONDS, keeps=health._is_ready, clock=lambda: now[0]
    )
    monkeypatch.setattr(health, "_shared_readiness", shared)
    return now


def probe(_=None):
    try:
        return Client().get("/readyz").status_code
    finally:
        connection.close()


def be_ready(settings):
    settings.HANDOFF_DISPATCH = "polling"
    for queue in QUEUES:
        hot.worker_seen(worker=f"of {queue}", queue=queue, host="here", pid=1)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO runs_duty (name, begun_at, begun_by, done_at) "
            "VALUES ('timers', now(), 'x', clock_timestamp())"
        )


def test_probes_at_once_cost_as_much_as_one_for_each_thread_at_most(clock, monkeypatch, settings):
    be_ready(settings)
    executed = []
    monkeypatch.setattr(named_sql, "watchers", [executed.append])
    probe()
    alone = len(executed)
    executed.clear()
    clock[0] += 1
    with ThreadPoolExecutor(20) as threads:
        assert list(threads.map(probe, range(400))) == [200] * 400
    # One on a quiet machine: whoever waits for half a second asks for itself.
    assert alone <= len(executed) <= 20 * alone


def test_a_failure_shows_after_a_second_and_its_end_at_once(clock, settings):
    settings.HANDOFF_DISPATCH = "polling"
    assert probe() == 503
    be_ready(settings)
    assert probe() == 200
    hot.workers_forget("of engine")
    clock[0] += 0.9
    assert probe() == 200
    clock[0] += 0.1
    assert probe() == 503
