"""A sample a minute tells how things stand: lock waits, workers, what is ready, what processes have counted."""

import socket
from datetime import timedelta

import pytest
from django.db import connection

from lib import process_metrics
from operations.dispatch import sampling, store
from operations.dispatch.models import DispatchSample
from runs.commands import jobs
from runs.store import hot, meters
from tests import factories as make
from tests.operations.dispatch.factories import CALM, kept, samples
from tests.races.staging import blocked
from tests.store.watching import watching
from tests.timing import clock

__all__ = ["clock"]
pytestmark = pytest.mark.django_db

JOB = make.graph([{"id": "charge", "type": "job", "queue": "card"}], [])


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    """The processes share no folder."""
    monkeypatch.delenv(process_metrics.VARIABLE, raising=False)


def sample():
    DispatchSample.objects.all().delete()
    assert sampling.sample() == 1
    return DispatchSample.objects.get()


def poll(worker="w1", many=1):
    return jobs.poll(tenant=make.a_tenant().pk, worker=worker, queues=["card"], max_jobs=many)


def test_it_tells_how_things_stand():
    make.start(JOB, *[{}] * 4)
    poll()
    poll("w2")
    hot.worker_seen(worker="a", queue="default", host=socket.gethostname(), pid=1)
    hot.worker_seen(worker="b", queue="engine", host="elsewhere", pid=1)
    hot.worker_seen(worker="c", queue="ticks", host="elsewhere", pid=2)
    one = sample()
    assert (one.processes, one.processes_here, one.outside, one.ready) == (2, 1, 2, 2)
    assert (one.host, one.lock_waits, one.hidden_sessions) == (socket.gethostname(), 0, 0)
    assert (one.finished, one.claims, one.contended, one.empty) == (None, None, None, None)


def test_an_external_worker_that_beats_is_there_and_one_that_is_silent_is_not(clock):
    make.start(JOB, {}, {})
    poll()
    clock.advance(200)
    assert sample().outside == 0
    poll("w2")
    assert sample().outside == 1


def test_what_all_processes_have_counted_is_kept_with_it(monkeypatch):
    counted = meters.Totals(finished=7, claims=3, contended=1, empty=5)
    monkeypatch.setattr(meters, "totals", lambda: counted)
    one = sample()
    assert (one.finished, one.claims, one.contended, one.empty) == counted


def test_the_counts_are_those_that_prometheus_is_told(monkeypatch):
    monkeypatch.setattr(process_metrics, "are_shared", lambda: True)
    before = meters.totals()
    meters.polled([])
    meters.polled([], is_contended=True)
    meters.polled([(0, 2)])
    meters.ended(["COMPLETED", "FAILED", "WAITING"])
    after = meters.totals()
    assert tuple(now - then for now, then in zip(after, before, strict=True)) == (2, 1, 1, 1)


def test_a_duty_that_is_done_twice_counts_once(clock):
    assert sampling.sample() == 1
    clock.advance(20)
    assert sampling.sample() == 0
    clock.advance(40)
    assert sampling.sample() == 1


def test_after_a_day_a_sample_is_gone(clock):
    kept(samples((3, CALM), began=clock.now - timedelta(days=1, minutes=2)))
    assert sampling.sample() == 3
    assert [one.at for one in DispatchSample.objects.order_by("at")] == [
        clock.now - timedelta(days=1),
        clock.now,
    ]


def test_it_takes_three_statements_however_much_there_is():
    make.start(JOB, *[{}] * 30)
    with watching() as seen:
        sampling.sample()
    assert seen.named == ["count_queues", "keep_dispatch_sample", "forget_dispatch_samples"]


def test_samples_are_read_as_they_were_kept(clock):
    made = samples((5, CALM), began=clock.now)
    kept(made)
    assert store.samples_since(clock.now - timedelta(minutes=1)) == made
    assert store.samples_since(clock.now) == made[1:]


@pytest.mark.django_db(transaction=True)
def test_sessions_that_wait_for_a_lock_are_counted():
    def locked():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(815)")

    locked()
    waits = blocked(locked)
    assert sample().lock_waits == 1
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_unlock(815)")
    waits.end()
    assert sample().lock_waits == 0
