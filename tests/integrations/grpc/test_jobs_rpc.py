"""`handoff.v1.Jobs` against a real process, and beside the REST API."""

import json
import time
from datetime import UTC, timedelta
from threading import Thread

import grpc
import pytest
from django.db.models.functions import Now

from accounts import services
from config.embedded.processes import wait_until
from runs.models import StepExecution
from tests.altered import altered
from tests.integrations.grpc.speaking import told

POLL = {"worker_id": "w1", "queues": ["card"], "max_jobs": 10}


def refused(ask, **fields):
    """What is told of a call that is refused; a stream says so when it is read."""
    with pytest.raises(grpc.RpcError) as caught:
        list(ask(**fields))
    return told(caught.value)


def running():
    return StepExecution.unsafe_all_tenants.filter(status="RUNNING").count()


def held(job):
    return {"job_id": job.id, "lease_token": job.lease_token}


def test_a_job_is_polled_kept_and_completed(speak, start):
    [run] = start(n=1)
    worker = speak("worker")
    [job] = worker.jobs("PollJobs", **POLL).jobs
    assert (job.run_id, job.workflow, job.node, job.type) == (run, "pay", "charge", "job")
    assert json.loads(job.input) == {"amount": 0, "n": 1}
    beat = worker.jobs("HeartbeatJob", **held(job), progress={"at": 0.5}, log=[{"text": "half"}])
    assert beat.applied
    assert beat.lease_expires_at.ToMilliseconds() >= job.lease_expires_at.ToMilliseconds()
    for told_at, answer in ((time.time(), beat), (time.time(), job)):
        assert told_at - 20 < answer.sent_at.ToDatetime(tzinfo=UTC).timestamp() <= told_at
    word = {**held(job), "output": {"big": 2**53, "none": None}, "variables": {"paid": True}}
    assert worker.jobs("CompleteJob", **word).applied
    again = worker.jobs("CompleteJob", **word)
    assert (again.applied, again.duplicate) == (True, True)
    shown = speak("admin").runs("GetRun", run_id=run)
    assert shown.status == "COMPLETED"
    assert json.loads(shown.steps[0].output) == {"big": 2**53, "none": None}
    assert json.loads(shown.variables)["paid"]["value"] is True


def test_an_attempt_fails_and_another_one_is_given_back(speak, start):
    start()
    worker = speak("worker")
    [job] = worker.jobs("PollJobs", **POLL).jobs
    error = {"code": "Declined", "message": "no money", "details": {"left": 1}}
    assert worker.jobs("FailJob", **held(job), error=error, retryable=True).applied
    [job] = worker.jobs("PollJobs", **POLL, wait_seconds=5.0).jobs
    assert (job.attempt, job.retries_remaining) == (2, 0)
    assert worker.jobs("ReleaseJob", **held(job)).applied
    [job] = worker.jobs("PollJobs", **POLL).jobs
    assert job.attempt == 2


def test_an_altered_token_has_no_say(speak, start):
    start()
    worker = speak("worker")
    [job] = worker.jobs("PollJobs", **POLL).jobs
    error = {"code": "Declined", "message": "no money"}
    for token in altered(job.lease_token):
        forged = {"job_id": job.id, "lease_token": token}
        assert not worker.jobs("HeartbeatJob", **forged).applied
        assert not worker.jobs("CompleteJob", **forged, output=1).applied
        assert not worker.jobs("FailJob", **forged, error=error, retryable=False).applied
        assert not worker.jobs("ReleaseJob", **forged).applied
    assert worker.jobs("CompleteJob", **held(job), output=1).applied


def test_both_doors_tell_the_same_of_a_job(speak, start, people):
    start(deep={"list": [1, 2.5, "three", None]})
    by_rest = people.client("worker").post("/api/v1/jobs/poll", POLL).json()["jobs"][0]
    worker = speak("worker")
    worker.jobs("ReleaseJob", job_id=by_rest["id"], lease_token=by_rest["lease_token"])
    [job] = worker.jobs("PollJobs", **POLL).jobs
    for name in ("id", "run_id", "workflow", "node", "type", "attempt", "max_attempts", "retries_remaining"):
        assert getattr(job, name) == by_rest[name], name
    for name in ("params", "input", "progress"):
        assert json.loads(getattr(job, name)) == by_rest[name], name
    assert job.idempotency_key == by_rest["idempotency_key"]
    # Over REST the header `Date` says it.
    assert {field.name for field in job.DESCRIPTOR.fields} == by_rest.keys() | {"sent_at"}


@pytest.mark.parametrize("max_jobs", [0, 1_001, 2_000_000_000])
def test_a_stream_of_more_than_a_thousand_jobs_at_once_is_refused_and_says_so(speak, max_jobs):
    problem = refused(
        speak("worker").jobs, method="StreamJobs", worker_id="w", queues=["card"], max_jobs=max_jobs
    )
    assert (problem["status"], problem["field"]) == ("INVALID_ARGUMENT", "max_jobs")


@pytest.mark.parametrize(
    ("method", "fields"),
    [
        ("PollJobs", {"queues": ["card"], "max_jobs": 1}),
        ("PollJobs", {**POLL, "max_jobs": 101}),
        ("PollJobs", {**POLL, "queues": ["card", "default"]}),
        ("PollJobs", {**POLL, "weights": {"other": 2}}),
        ("CompleteJob", {"job_id": "0" * 32, "lease_token": "x"}),
        ("FailJob", {"job_id": "0" * 32, "lease_token": "x", "error": {"code": "E"}, "retryable": True}),
        ("HeartbeatJob", {"job_id": "0" * 32}),
        ("ReleaseJob", {"job_id": "0" * 32, "lease_token": "x"}),
    ],
)
def test_both_doors_refuse_the_same_with_the_same_field(speak, people, method, fields):
    path = {"PollJobs": "poll"}.get(
        method
    ) or f"{'0' * 8}-{'0' * 4}-{'0' * 4}-{'0' * 4}-{'0' * 12}/" + method[:-3].lower()
    body = {name: value for name, value in fields.items() if name != "job_id"}
    answer = people.client("worker").post(f"/api/v1/jobs/{path}", body)
    error = answer.json()["error"]
    assert refused(speak("worker").jobs, method=method, **fields) == {
        "status": {400: "INVALID_ARGUMENT", 404: "NOT_FOUND"}[answer.status_code],
        "code": error["code"],
        "field": error["field"],
    }


def test_what_is_no_json_is_refused_with_its_place(speak, start):
    start()
    worker = speak("worker")
    [job] = worker.jobs("PollJobs", **POLL).jobs
    for raw, field in ((b"{", "output"), (b'{"a": [1, NaN]}', "output.a[1]"), (b"", "output")):
        assert refused(worker.jobs, method="CompleteJob", **held(job), output=raw) == {
            "status": "INVALID_ARGUMENT",
            "code": "bad_json",
            "field": field,
        }
    assert (
        refused(worker.jobs, method="CompleteJob", job_id="no-id", lease_token="x", output=1)["status"]
        == "NOT_FOUND"
    )


def test_who_asks_is_asked_for_at_every_call(speak, start, people):
    start()
    nobody = speak(None)
    assert refused(nobody.jobs, method="PollJobs", **POLL)["status"] == "UNAUTHENTICATED"
    assert refused(nobody.jobs, method="StreamJobs", **POLL)["status"] == "UNAUTHENTICATED"
    assert (
        refused(speak(token="hfk_local_no_token").jobs, method="PollJobs", **POLL)["status"]
        == "UNAUTHENTICATED"
    )
    basic = {"authorization": "Basic YTpi"}
    assert refused(nobody.jobs, method="PollJobs", metadata=basic, **POLL)["code"] == "authentication_failed"
    viewer = speak("viewer")
    assert refused(viewer.jobs, method="PollJobs", **POLL) == {
        "status": "PERMISSION_DENIED",
        "code": "forbidden",
        "field": None,
    }
    assert refused(speak("worker").runs, method="GetRun", run_id="0" * 32)["status"] == "PERMISSION_DENIED"
    key = {"idempotency-key": "k"}
    assert (
        refused(speak("worker").jobs, method="PollJobs", metadata=key, **POLL)["field"] == "idempotency-key"
    )


def test_no_tenant_has_the_jobs_of_another(speak, start):
    start()
    [job] = speak("worker").jobs("PollJobs", **POLL).jobs
    theirs = speak("worker", tenant="theirs")
    assert not theirs.jobs("PollJobs", **POLL).jobs
    assert refused(theirs.jobs, method="CompleteJob", **held(job), output=1)["status"] == "NOT_FOUND"
    assert refused(theirs.jobs, method="HeartbeatJob", **held(job))["status"] == "NOT_FOUND"


def test_a_poll_waits_for_a_job_and_no_longer_than_its_deadline(speak, start):
    worker = speak("worker")
    began = time.monotonic()
    assert not worker.jobs("PollJobs", **POLL, wait_seconds=20.0, seconds=1.5).jobs
    assert time.monotonic() - began < 1.5
    got = []
    waiting = Thread(target=lambda: got.extend(worker.jobs("PollJobs", **POLL, wait_seconds=15.0).jobs))
    waiting.start()
    start()
    waiting.join(15)
    assert len(got) == 1


def test_who_leaves_leaves_no_job_leased(speak, start, pay):
    worker = speak("worker")
    from_stream = worker.jobs("StreamJobs", worker_id="w", queues=["card"], max_jobs=5)
    from_stream.initial_metadata()
    from_stream.cancel()
    start(3)
    assert len(worker.jobs("PollJobs", **POLL, wait_seconds=5.0).jobs) == 3


def test_a_stream_gives_as_many_jobs_as_a_worker_has_room_for(speak, start):
    start(5)
    worker = speak("worker")
    stream = worker.jobs("StreamJobs", worker_id="w", queues=["card"], max_jobs=2)
    first, second = next(stream), next(stream)
    assert first.id != second.id
    assert running() == 2
    assert worker.jobs("CompleteJob", **held(first), output=1).applied
    third = next(stream)
    assert running() == 2
    assert worker.jobs("FailJob", **held(second), error={"code": "E", "message": ""}, retryable=False).applied
    assert worker.jobs("ReleaseJob", **held(third)).applied
    assert {next(stream).id, next(stream).id}.isdisjoint({first.id, second.id})
    stream.cancel()


def test_a_stream_has_room_for_what_was_ended_elsewhere_or_lost(speak, start, people):
    start(3)
    worker, rest = speak("worker"), people.client("worker")
    stream = worker.jobs("StreamJobs", worker_id="w", queues=["card"], max_jobs=1)
    first = next(stream)
    body = {"lease_token": first.lease_token, "output": 1}
    assert rest.post(f"/api/v1/jobs/{first.id}/complete", body).json()["applied"]
    second = next(stream)
    StepExecution.unsafe_all_tenants.filter(pk=second.id).update(
        status="QUEUED", worker=None, lease_expires_at=None
    )
    assert next(stream).id != first.id
    stream.cancel()


def test_a_stream_wakes_for_a_new_job(speak, start):
    worker = speak("worker")
    stream = worker.jobs("StreamJobs", worker_id="w", queues=["card"], max_jobs=2)
    stream.initial_metadata()
    start()
    began = time.monotonic()
    assert next(stream).node == "charge"
    assert time.monotonic() - began < 5
    stream.cancel()


def test_a_stream_ends_with_its_token(speak, people):
    worker = speak("worker")
    stream = worker.jobs("StreamJobs", worker_id="w", queues=["card"], max_jobs=2)
    stream.initial_metadata()
    public_id = services.authenticate_token(people.token("worker")).token
    services.revoke_token(people.tenant().pk, public_id)
    with pytest.raises(grpc.RpcError) as caught:
        next(stream)
    assert told(caught.value)["status"] == "UNAUTHENTICATED"


def test_a_token_has_so_many_streams(speak):
    worker = speak("worker")
    streams = [worker.jobs("StreamJobs", worker_id="w", queues=["card"], max_jobs=1) for _ in range(51)]
    refusals = [told(error) for error in map(_refusal_of, streams) if error is not None]
    assert [(one["status"], one["code"]) for one in refusals] == [("RESOURCE_EXHAUSTED", "throttled")]
    for stream in streams:
        stream.cancel()


def _refusal_of(stream):
    """Why a stream was not opened; None where it was."""
    try:
        stream.initial_metadata()
        return stream if stream.done() and stream.code() is not grpc.StatusCode.OK else None
    except grpc.RpcError as error:
        return error


def test_jobs_that_were_leased_for_who_left_come_back(speak, start, monkeypatch):
    """A poll whose client leaves while it is answered: its jobs are there for the next one."""
    start(4)
    worker = speak("worker")
    for _ in range(20):
        future = worker.jobs("StreamJobs", worker_id="gone", queues=["card"], max_jobs=4)
        future.cancel()
    jobs = []
    wait_until(lambda: jobs.extend(worker.jobs("PollJobs", **POLL).jobs) or len(jobs) == 4, 10, "the jobs")


def test_a_poll_gives_what_a_client_takes_and_the_rest_goes_back(speak, start):
    start(50, text="x" * 90_000)
    worker = speak("worker")
    first = worker.jobs("PollJobs", worker_id="w", queues=["card"], max_jobs=100).jobs
    assert 30 < len(first) < 50
    assert running() == len(first)
    second = worker.jobs("PollJobs", worker_id="w", queues=["card"], max_jobs=100).jobs
    assert len({job.id for job in (*first, *second)}) == 50
    assert {job.attempt for job in second} == {1}


def test_a_lease_that_is_over_is_told(speak, start):
    start()
    worker = speak("worker")
    [job] = worker.jobs("PollJobs", **POLL).jobs
    StepExecution.unsafe_all_tenants.filter(pk=job.id).update(
        status="CANCELLED", lease_expires_at=Now() - timedelta(seconds=1)
    )
    answer = worker.jobs("HeartbeatJob", **held(job))
    assert (answer.applied, answer.reason, answer.cancel_requested) == (False, "lease_lost", True)
