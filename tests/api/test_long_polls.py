"""Polls that wait, over real HTTP: what becomes of them and of their jobs when clients or the server leave."""

import json
import time
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
from django.db import connection, transaction

from accounts import services
from config.embedded.processes import wait_until
from tests import factories as make
from tests.serving import served, site

__all__ = ["site"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.processes]

MORE_THAN_THREADS = 40


@pytest.fixture
def worker(site, people):
    """Makes waiting polls of a worker of the tenant `ours`."""
    return Worker(site, people.token("worker"))


class Worker:
    def __init__(self, address, token):
        self.address = urlsplit(address).netloc
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def polls(self, queue="mine", wait_seconds=20):
        """A poll whose answer is still to come."""
        body = {"worker_id": "w", "queues": [queue], "max_jobs": 1, "wait_seconds": wait_seconds}
        connection_ = HTTPConnection(self.address, timeout=15)
        connection_.request("POST", "/api/v1/jobs/poll", json.dumps(body), self.headers)
        return connection_

    def until_heard(self):
        """Whatever was sent before this is known to the server's event loop."""
        other = HTTPConnection(self.address, timeout=15)
        other.request("GET", "/healthz")
        assert answer(other)[0] == 200


def answer(connection_):
    got = connection_.getresponse()
    body = got.read()
    connection_.close()
    return got.status, body


def jobs_of(connection_):
    status, body = answer(connection_)
    assert status == 200, body
    return json.loads(body)["jobs"]


def start(people, queue="mine", *, many=1):
    job = {"id": "a", "type": "job", "queue": queue}
    return make.start(make.graph([job], []), *[{}] * many, tenant=people.tenant())


def step(run_id):
    found = make.steps(run_id)["a"]
    return found.status, found.attempt


def test_a_waiting_poll_gets_the_job_that_comes(worker, people):
    waiting = worker.polls()
    (run_id,) = start(people)
    (job,) = jobs_of(waiting)
    assert job["run_id"] == run_id


def test_a_poll_that_waited_in_vain_is_answered_with_nothing(worker):
    assert jobs_of(worker.polls(wait_seconds=0.3)) == []


def test_a_bad_poll_is_refused_at_once(worker):
    status, body = answer(worker.polls(queue="default"))
    assert (status, json.loads(body)["error"]["code"]) == (400, "reserved_queue")


def test_nothing_is_leased_for_clients_that_left(worker, people):
    for _ in range(3):
        left = worker.polls()
        worker.until_heard()
        left.close()
    (abandoned,) = start(people)
    # Whoever waits is looked for at the same time, and this one waits for some looks.
    assert jobs_of(worker.polls("another", wait_seconds=1)) == []

    assert step(abandoned) == ("QUEUED", 0)
    (job,) = jobs_of(worker.polls())
    assert (job["run_id"], job["attempt"]) == (abandoned, 1)


def test_what_was_leased_while_its_client_left_is_given_back_uncounted(worker, people):
    (run_id,) = start(people)
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("LOCK TABLE runs_stepexecution IN SHARE MODE")
        left = worker.polls()
        wait_until(_somebody_waits_for_the_table, 10, "the claim")
        left.close()
        worker.until_heard()

    wait_until(lambda: make.history(run_id)[-1:] == ["STEP_RELEASED a"], 10, "the job to be given back")
    assert step(run_id) == ("QUEUED", 0)


def _somebody_waits_for_the_table():
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'runs_stepexecution'::regclass"
        )
        return cursor.fetchone() is not None


def test_polls_that_wait_hold_no_thread(worker, people):
    waiting = [worker.polls() for _ in range(MORE_THAN_THREADS)]
    worker.until_heard()
    assert jobs_of(worker.polls("another", wait_seconds=0)) == []

    runs = start(people, many=MORE_THAN_THREADS)
    found = [job["run_id"] for poll in waiting for job in jobs_of(poll)]
    assert sorted(found) == sorted(runs)


def test_a_web_process_that_ends_answers_the_polls_that_wait(people):
    with served() as (address, process):
        worker = Worker(address, people.token("worker"))
        waiting = worker.polls()
        worker.until_heard()
        process.terminate()
        assert jobs_of(waiting) == []
        process.wait(5)


def test_a_poll_ends_within_five_seconds_when_its_token_is_revoked(worker, people):
    lasting, shut_out = worker.polls(), worker.polls("other")
    worker.until_heard()
    services.revoke_token(people.tenant().pk, people.principal("worker").token)
    for waiting in (shut_out, lasting):
        began = time.monotonic()
        status, body = answer(waiting)
        assert (status, json.loads(body)["error"]["code"]) == (401, "authentication_failed")
        assert time.monotonic() - began < 15
