"""What the public engine's architecture page prints is sent here as it stands there (R-165)."""

import json

import pytest

from tests.integrations.rochallor.test_jobs import due_now

pytestmark = pytest.mark.django_db

STEP = """{
  "id": "credit-score",
  "type": "SERVICE_TASK",
  "jobType": "credit-score",
  "retryCount": 3
}"""
POLL = {"workerID": "worker-1", "jobTypes": ["credit-score"], "maxJobs": 64}


@pytest.fixture
def instance(engine):
    """An instance whose only step is the printed one."""
    steps = [json.loads(STEP) | {"nextStep": "end"}, {"id": "end", "name": "End", "type": "END"}]
    engine.upload({"id": "flow", "name": "Loan", "steps": steps})
    return engine.start()


def polled(engine):
    return engine.post("jobs/poll", POLL)["jobs"]


def test_a_plain_exception_is_retried_three_times_before_the_job_is_failed_for_good(engine, instance):
    for left in (3, 2, 1, 0):
        due_now()
        [job] = polled(engine)
        assert (job["jobType"], job["status"], job["retriesRemaining"]) == ("credit-score", "LOCKED", left)
        assert not polled(engine)
        assert engine.instance(instance)["status"] == "ACTIVE"
        engine.fail(job, retryable=True)
    due_now()
    assert not polled(engine)
    assert engine.instance(instance)["status"] == "FAILED"


def test_an_exception_that_is_not_retryable_skips_the_retries(engine, instance):
    [job] = polled(engine)
    engine.fail(job, retryable=False)
    due_now()
    assert not polled(engine)
    assert engine.instance(instance)["status"] == "FAILED"


def test_a_completed_job_is_handed_out_to_nobody_else_and_ends_the_instance(engine, instance):
    [job] = polled(engine)
    engine.complete(job, {"creditScore": 712})
    assert not polled(engine)
    done = engine.instance(instance)
    assert (done["status"], done["variables"]) == ("COMPLETED", {"creditScore": 712})
