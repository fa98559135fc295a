"""Bulk jobs while others have the same runs: requests that wait, operators at once, versions that change."""

import time
from contextlib import contextmanager

import pytest
from django.db import transaction
from django.test import Client

from operations.bulk import service, work
from operations.bulk.limits import ITEM_ATTEMPTS, WAITED_SECONDS
from operations.bulk.models import BulkItem
from runs.models import DeadLetter, Run
from tests import factories as make
from tests.races.staging import Actor, me

ALL = 60.0
"""Seconds for whatever a bulk job has left, also on a busy machine."""


def dead(count):
    """Open dead letters, one for each run, the oldest first."""
    make.start(make.graph([{"id": "a", "retry": "none"}], []), *[{}] * count)
    make.fail(*make.claimed())
    return list(DeadLetter.unsafe_all_tenants.filter(resolution=None).order_by("-id")[:count])[::-1]


def client_of(role):
    client = Client()
    client.force_login(make.a_member("olga", role))
    return client


@contextmanager
def locked(run):
    """Somebody has the run until the block ends."""

    def hold():
        with transaction.atomic():
            Run.unsafe_all_tenants.select_for_update().get(pk=run)
            me().halt()

    actor = Actor(hold).until_halted()
    yield
    actor.end()


def results(job):
    rows = BulkItem.unsafe_all_tenants.filter(job_id=job.pk).order_by("id")
    return list(rows.values_list("result", "code"))


def reviewed(client):
    """The dry run that retries all open dead letters."""
    client.post("/operations/dead-letters/together", {"verb": "retry", "all": "1"})
    return service.jobs_of(DeadLetter.unsafe_all_tenants.first().tenant_id).first()


@pytest.mark.parametrize("which", [0, 2])
def test_a_request_puts_an_item_off_whose_run_is_locked_and_does_the_others(which):
    letters, olga = dead(3), client_of("operator")
    dry = reviewed(olga)
    with locked(letters[which].run_id):
        began = time.monotonic()
        page = olga.post(f"/bulk-jobs/{dry.pk}/go", {"reason": "it is back"}, follow=True)
        assert time.monotonic() - began < 2 * WAITED_SECONDS
        job = service.jobs_of(dry.tenant_id).first()
        left = ("pending", "")
        assert results(job) == [left if place == which else ("done", "") for place in range(3)]
        assert "2 of 3 dead letters retried" in page.text
        tries = BulkItem.unsafe_all_tenants.filter(job_id=job.pk, result="pending").values_list(
            "tries", flat=True
        )
        assert list(tries) == [1]
    work.work(ALL, job.pk)
    assert results(job) == [left if place == which else ("done", "") for place in range(3)]
    work.work(ALL)
    assert results(job) == [("done", "")] * 3


def test_a_request_waits_for_many_locked_runs_no_longer_than_for_one():
    letters, olga = dead(ITEM_ATTEMPTS), client_of("operator")
    dry = reviewed(olga)

    def hold():
        with transaction.atomic():
            runs = Run.unsafe_all_tenants.filter(pk__in=[letter.run_id for letter in letters])
            list(runs.order_by("pk").select_for_update())
            me().halt()

    actor = Actor(hold).until_halted()
    began = time.monotonic()
    olga.post(f"/bulk-jobs/{dry.pk}/go", {"reason": "it is back"})
    assert time.monotonic() - began < 2 * WAITED_SECONDS
    job = service.jobs_of(dry.tenant_id).first()
    assert results(job) == [("pending", "")] * ITEM_ATTEMPTS
    actor.end()
    work.work(ALL)
    assert results(job) == [("done", "")] * ITEM_ATTEMPTS
