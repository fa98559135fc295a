"""Jobs: the life of a step whose worker is somewhere else (C-5, H-4, H-17)."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now
from django.utils.dateparse import parse_datetime

from lib.waiting import with_attempt
from runs.api import polls
from runs.models import StepExecution
from tests import factories
from tests.altered import altered

pytestmark = pytest.mark.django_db
POLL = {"worker_id": "w1", "queues": ["card"], "max_jobs": 10}


@pytest.fixture
def worker(people):
    """A client with a worker's token; its tenant has a run that waits for its first job."""
    admin = people.client("admin")
    nodes = [
        {"id": "charge", "type": "job", "queue": "card", "params": {"amount": "{{ input.amount }}"}},
        {"id": "done", "type": "noop"},
    ]
    nodes[0]["retry"] = {"max_retries": 1, "base_seconds": 0}
    document = {"name": "pay", "nodes": nodes, "edges": [{"from": "charge", "to": "done"}]}
    admin.post("/api/v1/workflows", {"name": "pay", "definition": document})
    assert admin.post("/api/v1/workflows/pay/publish").status_code == 201
    client = people.client("worker")
    client.run = admin.post("/api/v1/runs", {"workflow": "pay", "input": {"amount": 5}}).json()["id"]
    return client


def poll(worker, **more):
    answer = worker.post("/api/v1/jobs/poll", POLL | more)
    assert answer.status_code == 200, answer.json()
    return answer.json()["jobs"]


def say(worker, job, verb, **body):
    answer = worker.post(f"/api/v1/jobs/{job['id']}/{verb}", {"lease_token": job["lease_token"]} | body)
    assert answer.status_code == 200, answer.json()
    return answer.json()


def lose_lease(job):
    StepExecution.unsafe_all_tenants.filter(pk=job["id"]).update(
        lease_expires_at=Now() - timedelta(seconds=1)
    )


def requeue(job):
    """What the sweep does with a lost lease."""
    StepExecution.unsafe_all_tenants.filter(pk=job["id"]).update(
        status="QUEUED", worker=None, lease_expires_at=None
    )


def test_a_job_is_leased_to_one_worker(worker):
    (job,) = poll(worker)
    assert set(job) == {
        "id", "run_id", "workflow", "node", "type", "params", "input", "attempt", "max_attempts",
        "lease_token", "lease_expires_at", "idempotency_key",
        "approval", "files", "retries_remaining", "progress",
        "traceparent", "tracestate",
    }  # fmt: skip
    assert (job["run_id"], job["workflow"], job["node"], job["type"]) == (worker.run, "pay", "charge", "job")
    assert (job["params"], job["input"]) == ({"amount": 5}, {"amount": 5})
    assert (job["attempt"], job["max_attempts"]) == (1, 2)
    assert "T" in job["lease_expires_at"]
    assert parse_datetime(job["lease_expires_at"]).tzinfo
    assert poll(worker, worker_id="w2") == []
    assert poll(worker, queues=["other"]) == []


def test_completing_a_job_moves_its_run(worker):
    (job,) = poll(worker)
    assert say(worker, job, "complete", output={"receipt": "r1"}) == {"applied": True}
    factories.work()
    assert factories.run(worker.run).output == {"receipt": "r1"}


def test_completing_twice_changes_nothing(worker):
    (job,) = poll(worker)
    say(worker, job, "complete", output=1)
    assert say(worker, job, "complete", output=1) == {"applied": True, "duplicate": True}
    assert say(worker, job, "complete", output=2) == {"applied": False, "reason": "completed_otherwise"}
    assert factories.steps(worker.run)["charge"].output == 1


def test_a_late_completion_counts_while_nobody_else_was_given_the_job(worker):
    (job,) = poll(worker)
    lose_lease(job)
    requeue(job)
    assert say(worker, job, "complete", output="late")["applied"] is True


def test_a_completion_after_somebody_else_was_given_the_job_has_no_effect(worker):
    (job,) = poll(worker)
    requeue(job)
    (again,) = poll(worker, worker_id="w2")
    assert again["lease_token"] != job["lease_token"]
    assert again["idempotency_key"] == job["idempotency_key"]
    assert say(worker, job, "complete", output="stale") == {"applied": False, "reason": "lease_lost"}
    assert say(worker, job, "heartbeat")["applied"] is False
    assert say(worker, job, "release")["applied"] is False
    assert say(worker, again, "complete", output="right")["applied"] is True


def test_a_token_of_another_job_or_an_altered_one_opens_nothing(worker):
    (job,) = poll(worker)
    for verb, body in (
        ("complete", {"output": 1}),
        ("fail", {"error": {"code": "X", "message": "x"}, "retryable": True}),
        ("heartbeat", {}),
        ("release", {}),
    ):
        for token in ("x" * 22, *altered(job["lease_token"])):
            assert say(worker, job | {"lease_token": token}, verb, **body)["applied"] is False
    assert say(worker, job, "heartbeat")["applied"] is True


def test_a_job_that_was_given_back_can_t_be_completed_by_the_same_token(worker):
    (job,) = poll(worker)
    say(worker, job, "release")
    answer = worker.post(
        f"/api/v1/jobs/{job['id']}/complete", {"lease_token": job["lease_token"], "output": "after all"}
    )
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "stale_token")
    assert factories.steps(worker.run)["charge"].status == "QUEUED"


def test_a_closing_run_says_what_it_waits_for(worker, people):
    admin = people.client("admin")
    (job,) = poll(worker)
    assert admin.post(f"/api/v1/runs/{worker.run}/cancel").json()["status"] == "CANCELLING"
    waits_for = admin.get(f"/api/v1/runs/{worker.run}").json()["waiting_for"]
    assert waits_for.startswith(
        "It is cancelled once running steps have ended: External job (charge) waits for worker w1, whose lease ends "
    )
    say(worker, job, "release")
    run = admin.get(f"/api/v1/runs/{worker.run}").json()
    assert (run["status"], run["waiting_for"]) == ("CANCELLED", None)


def test_a_failure_is_tried_again_and_then_final(worker):
    error = {"code": "CardDown", "message": "No answer."}
    (job,) = poll(worker)
    assert say(worker, job, "fail", error=error, retryable=True)["applied"] is True
    (job,) = poll(worker)
    assert job["attempt"] == 2
    assert say(worker, job, "fail", error=error, retryable=True)["applied"] is True
    assert poll(worker) == []
    assert factories.run(worker.run).status == "FAILED"


def test_a_failure_that_is_not_retryable_is_final_at_once(worker):
    (job,) = poll(worker)
    say(worker, job, "fail", error={"code": "CardDeclined", "message": "No."}, retryable=False)
    run = factories.run(worker.run)
    assert (run.status, run.error["code"]) == ("FAILED", "CardDeclined")


def test_an_error_is_told_with_its_details_and_its_stack(worker, people):
    (job,) = poll(worker)
    error = {"code": "Boom", "message": "It broke.", "details": {"row": 7}, "stack": "at line 3\nat line 9"}
    sent = {"lease_token": job["lease_token"], "error": error, "retryable": False}
    assert worker.post(f"/api/v1/jobs/{job['id']}/fail", sent).json() == {"applied": True}
    kept = people.client("viewer").get(f"/api/v1/runs/{worker.run}").json()["steps"][0]["error"]
    assert kept == error | {"retryable": False}


def test_a_herd_of_polls_is_told_to_pause(worker, settings):
    settings.HANDOFF_POLLS_PER_SECOND = 3
    settings.HANDOFF_WEB_PROCESSES = 2
    polls._buckets.cache_clear()
    try:
        sent = {"worker_id": "w", "queues": ["other"], "max_jobs": 1}
        answers = [worker.post("/api/v1/jobs/poll", sent) for _ in range(6)]
        refused = [one for one in answers if one.status_code == 429]
        assert [one.status_code for one in answers[:3]] == [200, 200, 200]
        assert 1 <= len(refused) <= 3
        assert refused[0].json()["error"]["code"] == "throttled"
        assert 1 <= int(refused[0].headers["Retry-After"]) <= 5
        # One that waits asks again whenever there is news: that is the same poll.
        scope, _ = with_attempt({}, is_first=False)
        again = [worker.post("/api/v1/jobs/poll", sent, **{"asgi.scope": scope}) for _ in range(6)]
        assert [one.status_code for one in again] == [200] * 6
    finally:
        polls._buckets.cache_clear()


def test_weights_are_of_queues_that_are_asked(worker):
    sent = {
        "worker_id": "w",
        "queues": ["card", "other"],
        "max_jobs": 1,
        "weights": {"card": 3, "strange": 1},
    }
    answer = worker.post("/api/v1/jobs/poll", sent)
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "weights")
    for wrong in (0, "1", 1.5, True):
        answer = worker.post("/api/v1/jobs/poll", sent | {"weights": {"card": wrong}})
        assert answer.status_code == 400, wrong
    more = {"weights": {"card": 3}, "version": "1.0", "slots": 4}
    assert len(worker.post("/api/v1/jobs/poll", sent | more).json()["jobs"]) == 1


def test_a_heartbeat_renews_the_lease_and_tells_of_a_cancel(worker, people):
    (job,) = poll(worker)
    beat = say(worker, job, "heartbeat", progress={"done": 0.5})
    assert (beat["applied"], beat["cancel_requested"]) == (True, False)
    assert parse_datetime(beat["lease_expires_at"]) >= parse_datetime(job["lease_expires_at"])
    people.client("admin").post(f"/api/v1/runs/{worker.run}/cancel")
    assert say(worker, job, "heartbeat")["cancel_requested"] is True


def test_a_job_that_is_given_back_costs_no_attempt(worker):
    (job,) = poll(worker)
    assert say(worker, job, "release") == {"applied": True}
    (again,) = poll(worker)
    assert again["attempt"] == 1


@pytest.mark.parametrize("queue", ["default", "blocking", "engine", "ticks"])
def test_nobody_polls_a_queue_of_handoffs_own(worker, queue):
    answer = worker.post("/api/v1/jobs/poll", POLL | {"queues": ["card", queue]})
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "queues[1]")


def test_an_output_that_jsonb_could_not_hold_is_refused_at_the_door(worker):
    (job,) = poll(worker)
    raw = b'{"lease_token": "%s", "output": {"a": "\\u0000"}}' % job["lease_token"].encode()
    answer = worker.generic(
        "POST", f"/api/v1/jobs/{job['id']}/complete", raw, content_type="application/json"
    )
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "output.a")


def test_a_completion_sets_variables_of_the_run_and_the_run_tells_who_did(worker, people):
    (job,) = poll(worker)
    for bad in ({"1st": 1}, {"a b": 1}, [], dict.fromkeys([f"v{at}" for at in range(51)], 0)):
        asked = {"lease_token": job["lease_token"], "output": 1, "variables": bad}
        answer = worker.post(f"/api/v1/jobs/{job['id']}/complete", asked)
        assert answer.status_code == 400, answer.json()
    assert say(worker, job, "complete", output={"n": 1}, variables={"price": 7})["applied"]

    admin = people.client("admin")
    run = admin.get(f"/api/v1/runs/{worker.run}").json()
    price = run["variables"]["price"]
    assert {key: price[key] for key in ("value", "set_by", "index", "overlaps")} == {
        "value": 7,
        "set_by": "charge",
        "index": None,
        "overlaps": [],
    }
    assert admin.get("/api/v1/runs").json()["results"][0]["variables"] == {}


def test_variables_of_over_64_kib_are_refused_and_the_lease_goes_on(worker):
    (job,) = poll(worker)
    much = {"lease_token": job["lease_token"], "output": 1, "variables": {"text": "x" * 70_000}}
    answer = worker.post(f"/api/v1/jobs/{job['id']}/complete", much)
    assert answer.status_code == 413, answer.json()
    assert say(worker, job, "complete", output=1)["applied"]
