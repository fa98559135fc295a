"""Jobs by the rochallor API: workers show no lease, and nothing that they say of a job they had is refused."""

from datetime import UTC, datetime, timedelta

import orjson
import pytest
from django.db import connection

from lib.waiting import with_attempt
from runs.models import Run, StepExecution
from tests import factories as make
from tests import rochallor
from tests.altered import altered
from tests.store.watching import watching
from workflows.models import WorkflowVersion

pytestmark = pytest.mark.django_db
STRANGE = "019a0000-0000-7000-8000-000000000001"
"""An id that nobody has."""


@pytest.fixture
def retried(engine):
    """As `engine`, with a service that may be tried three times."""
    engine.upload(rochallor.document(rochallor.service("a", "end", retryCount=2)))
    return engine


def due_now():
    """Have no retry wait."""
    StepExecution.unsafe_all_tenants.update(available_at=datetime(2020, 1, 1, tzinfo=UTC))


def lose_leases():
    """Have every lease run out, and be swept."""
    StepExecution.unsafe_all_tenants.filter(status="RUNNING").update(
        lease_expires_at=datetime.now(UTC) - timedelta(minutes=5), solo=True
    )
    make.leases_lost()
    due_now()


def test_a_job_has_what_their_workers_read(linear):
    instance = linear.start(variables={"amount": 5})
    [job] = linear.poll("a")
    assert set(job) == {
        *("id", "instanceId", "stepExecutionId", "jobType", "status", "workerId", "lockedAt"),
        *("lockExpiresAt", "retriesRemaining", "variables", "createdAt"),
    }
    assert (job["instanceId"], job["jobType"], job["status"]) == (instance, "a", "LOCKED")
    assert (job["workerId"], job["retriesRemaining"]) == ("w", 0)
    assert job["variables"] == {"amount": 5}
    locked, expires = (datetime.fromisoformat(job[name]) for name in ("lockedAt", "lockExpiresAt"))
    assert expires - locked == timedelta(seconds=30)
    assert linear.poll("a") == []
    linear.complete(job, {"more": 1})
    [second] = linear.poll("b")
    assert second["variables"] == {"amount": 5, "more": 1}


def test_none_is_null_and_at_once(linear):
    sent = {"workerId": "w", "jobTypes": ["a"], "maxJobs": None}
    assert linear.post("jobs/poll", sent) == {"jobs": None}


def test_a_worker_may_ask_for_many_types_and_jobs(linear):
    for _ in range(70):
        linear.start()
    types = [f"type-{number}" for number in range(60)]
    assert len(linear.poll(*types, "a", "a")) == 64
    assert len(linear.poll(*types, "a")) == 6


def test_a_poll_whose_client_has_left_is_undone_and_costs_no_attempt(linear):
    linear.start()
    scope, attempt = with_attempt({})
    sent = {"workerId": "w", "jobTypes": ["a"]}
    answer = linear.client.post("/v1/jobs/poll", sent, "application/json", **{"asgi.scope": scope})
    assert len(answer.json()["jobs"]) == 1
    assert linear.poll("a") == []
    attempt.undo()
    [job] = linear.poll("a")
    assert StepExecution.unsafe_all_tenants.get(pk=job["stepExecutionId"]).attempt == 1


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"workerId": "", "jobTypes": ["a"]},
        {"workerId": "w", "jobTypes": []},
        {"workerId": "w", "jobTypes": None},
        {"workerId": "w", "jobTypes": [1]},
        {"workerId": "w", "jobTypes": "a"},
        {"workerId": "w", "jobTypes": ["default"]},
        {"workerId": "w", "jobTypes": ["a"], "maxJobs": -1},
        {"workerId": "w", "jobTypes": ["a"], "maxJobs": 1.5},
        {"workerId": "w", "jobTypes": ["x" * 257]},
    ],
)
def test_a_poll_that_is_refused(linear, sent):
    assert linear.post("jobs/poll", sent, 400)["error"] == "bad-request"


def test_what_fails_is_tried_again_as_often_as_it_says(retried):
    instance = retried.start()
    for left in (2, 1, 0):
        due_now()
        [job] = retried.poll("a")
        assert job["retriesRemaining"] == left
        retried.fail(job, retryable=True)
    assert retried.instance(instance)["status"] == "FAILED"


def test_a_completion_counts_once(linear):
    linear.start()
    [job] = linear.poll("a")
    for value in (1, 2):
        linear.complete(job, {"value": value})
    [second] = linear.poll("b")
    assert second["variables"] == {"value": 1}


def test_the_first_completion_counts_although_its_lease_was_lost_and_another_has_the_job(retried):
    instance = retried.start()
    [first] = retried.poll("a")
    lose_leases()
    [second] = retried.poll("a")
    assert first["id"] != second["id"]
    # A worker that lost its lease may not end the attempt of the other one.
    retried.fail(first, retryable=True)
    assert retried.instance(instance)["currentStepIds"] == ["a"]
    retried.complete(first, {"by": "the first"})
    retried.complete(second, {"by": "the second"})
    retried.fail(second, retryable=True)
    make.work("engine")
    ended = retried.instance(instance)
    assert (ended["status"], ended["variables"]) == ("COMPLETED", {"by": "the first"})


def test_a_completion_of_an_attempt_that_failed_changes_nothing(retried):
    instance = retried.start()
    [first] = retried.poll("a")
    retried.fail(first, retryable=True)
    due_now()
    [second] = retried.poll("a")
    retried.complete(first, {"by": "the first"})
    assert retried.instance(instance)["currentStepIds"] == ["a"]
    retried.complete(second, {"by": "the second"})
    make.work("engine")
    assert retried.instance(instance)["variables"] == {"by": "the second"}


def test_three_lost_leases_use_up_no_retry_and_a_fourth_does(linear):
    instance = linear.start()
    for _ in range(3):
        [job] = linear.poll("a")
        assert job["retriesRemaining"] == 0
        lose_leases()
        assert linear.instance(instance)["status"] == "ACTIVE"
    linear.poll("a")
    lose_leases()
    make.work("engine")
    failed = linear.instance(instance)
    assert (failed["status"], "lease" in failed["failureReason"]) == ("FAILED", True)


def test_a_handler_of_50_seconds_completes_without_a_retry_count(linear, clock):
    """A worker of theirs polls all the time, so it is given what it has in hand anew when the lease is over."""
    instance, held = linear.start(), []
    for _ in range(5):
        held += linear.poll("a")
        clock.advance(10)
        make.leases_lost()
    assert len(held) == 2
    linear.complete(held[0], {"done": 1})
    make.work("engine")
    [following] = linear.poll("b")
    assert following["variables"] == {"done": 1}
    linear.complete(held[1], {"done": 2})
    assert linear.history(instance)[0] == ("a", "COMPLETED")


LEASES = [
    ({"leaseSeconds": 120}, 0, 120),
    ({"leaseSeconds": {"a": 90}}, 0, 90),
    ({"leaseSeconds": {"a": 90}}, 600, 90),
    ({"leaseSeconds": {"b": 90}}, 600, 600),
    ({}, 600, 600),
    ({}, 0, 30),
]


@pytest.mark.parametrize(("metadata", "default", "seconds"), LEASES)
def test_a_lease_lasts_as_long_as_the_definition_or_the_environment_says(
    engine, settings, metadata, default, seconds
):
    settings.HANDOFF_V1_LEASE_SECONDS = default
    services = rochallor.service("a", "b"), rochallor.service("b", "end")
    document = rochallor.document(*services, metadata=metadata)
    uploaded = engine.upload(document)
    # The same again is the same version, and is given back as it was.
    assert engine.upload(document)["version"] == uploaded["version"]
    assert engine.get("definitions/flow").get("metadata", {}) == metadata
    engine.start()
    [job] = engine.poll("a")
    locked, expires = (datetime.fromisoformat(job[name]) for name in ("lockedAt", "lockExpiresAt"))
    assert expires - locked == timedelta(seconds=seconds)
    kept = StepExecution.unsafe_all_tenants.get(status="RUNNING")
    assert kept.lease_expires_at == expires


@pytest.mark.parametrize(
    ("lease", "place"),
    [
        (0, "metadata.leaseSeconds"),
        ("60", "metadata.leaseSeconds"),
        (90_000, "metadata.leaseSeconds"),
        ([60], "metadata.leaseSeconds"),
        ({"a": 0}, "metadata.leaseSeconds.a"),
        ({"a": True}, "metadata.leaseSeconds.a"),
        ({"x": 60}, "metadata.leaseSeconds.x"),
    ],
)
def test_a_lease_that_can_not_be_is_refused_at_its_place(engine, lease, place):
    document = rochallor.document(rochallor.service("a", "end"), metadata={"leaseSeconds": lease})
    refused = engine.post("definitions", document, 400)
    assert place in refused["reason"]


def test_a_definition_from_before_leases_had_an_allowance_is_still_given_back(linear):
    version = WorkflowVersion.unsafe_all_tenants.get(number=1)
    older = orjson.loads(orjson.dumps(version.definition))
    for node in older["nodes"]:
        if "retry" in node:
            assert node["retry"].pop("lost_leases") == 3
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        WorkflowVersion.unsafe_all_tenants.filter(pk=version.pk).update(definition=older)
        cursor.execute("SET session_replication_role = origin")
    assert [step["id"] for step in linear.get("definitions/flow")["steps"]][:2] == ["a", "b"]


@pytest.mark.parametrize("spelling", ["workerId", "workerID", "worker_id", "WorkerId"])
def test_a_worker_may_spell_its_id_as_it_likes(linear, spelling):
    linear.start()
    jobs = linear.post("jobs/poll", {spelling: "mine", "jobTypes": ["a"]})["jobs"]
    assert [job["workerId"] for job in jobs] == ["mine"]


def test_a_job_may_be_named_in_the_body(linear):
    instance = linear.start()
    [job] = linear.poll("a")
    linear.post("jobs/complete", {"id": job["id"], "workerID": "w", "variables": {"x": 1}}, 204)
    [second] = linear.poll("b")
    assert second["variables"] == {"x": 1}
    linear.post("jobs/fail", {"id": second["id"], "errorMessage": "boom", "retryable": False}, 204)
    assert linear.instance(instance)["status"] == "FAILED"
    for body in ({}, {"id": "none"}, {"id": f"{STRANGE}.x"}):
        assert linear.post("jobs/complete", body, 404)["error"] == "not-found"
        assert linear.post("jobs/fail", body, 404)["error"] == "not-found"


@pytest.mark.parametrize("path", ["nothing", "jobs", "jobs/x/y", "instances/none/other"])
def test_an_unknown_address_is_answered_in_their_words(linear, path):
    for method in ("GET", "POST", "PUT"):
        assert linear.call(method, path, status=404)["error"] == "not-found"


def test_a_fail_after_a_completion_costs_nothing(linear):
    instance = linear.start()
    [job] = linear.poll("a")
    linear.complete(job)
    linear.fail(job, retryable=True)
    assert linear.history(instance)[0] == ("a", "COMPLETED")


def test_a_late_completion_counts_while_nobody_else_has_the_job(retried):
    instance = retried.start()
    [job] = retried.poll("a")
    lose_leases()
    retried.complete(job, {"late": True})
    assert retried.history(instance)[0] in (("a", "COMPLETED"), ("a", "RUNNING"))


@pytest.mark.parametrize("how", ["cancelled", "failed", "gone"])
def test_what_is_said_of_an_instance_that_has_ended_is_heard(linear, how):
    instance = linear.start()
    [job] = linear.poll("a")
    if how == "cancelled":
        linear.post(f"instances/{instance}/cancel")
    elif how == "failed":
        linear.fail(job)
    else:
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL handoff.archiving = 'on'")
        StepExecution.unsafe_all_tenants.filter(run_id=instance).delete()
        Run.unsafe_all_tenants.filter(pk=instance).delete()
    linear.complete(job, {"late": True})
    linear.fail(job, retryable=True)


def test_a_step_that_a_timer_interrupted_is_failed_and_its_worker_is_heard(engine, clock):
    engine.upload(rochallor.TIMER_INTERRUPTS)
    instance = engine.start()
    [slow] = engine.poll("slow")
    clock.advance(2)
    make.tick()
    engine.complete(slow, {"late": True})
    engine.done("handler")
    assert engine.history(instance)[0] == ("slow", "FAILED")
    ended = engine.instance(instance)
    assert (ended["status"], ended["variables"]) == ("COMPLETED", {})


@pytest.mark.parametrize("job", ["none", STRANGE, f"{STRANGE}.", f"{STRANGE}.made-up.1.x", "%00", "é.é"])
def test_a_job_that_nobody_was_given_is_not_there(linear, job):
    assert linear.post(f"jobs/{job}/complete", {"workerId": "w"}, 404)["error"] == "not-found"
    assert linear.post(f"jobs/{job}/fail", {"workerId": "w"}, 404)["error"] == "not-found"


def test_a_job_id_with_an_altered_lease_was_given_to_nobody(linear):
    linear.start()
    [job] = linear.poll("a")
    step, _, token = job["id"].partition(".")
    for forged in altered(token):
        for verb in ("complete", "fail"):
            answer = linear.post(f"jobs/{step}.{forged}/{verb}", {"workerId": "w"}, 404)
            assert answer["error"] == "not-found"
    linear.complete(job)
    assert linear.poll("b")


def test_a_result_that_can_not_be_kept_fails_the_job_for_good(linear):
    instance = linear.start()
    [job] = linear.poll("a")
    linear.complete(job, {"long": "x" * (2 * 1024 * 1024)})
    ended = linear.instance(instance)
    assert ended["status"] == "FAILED"
    assert "larger" in ended["failureReason"]


def test_what_is_no_object_is_refused_and_costs_nothing(linear):
    linear.start()
    [job] = linear.poll("a")
    linear.post(f"jobs/{job['id']}/complete", {"variables": [1]}, 400)
    linear.post(f"jobs/{job['id']}/fail", {"retryable": "yes"}, 400)
    linear.complete(job)
    assert len(linear.poll("b")) == 1


def test_a_poll_needs_few_statements(linear):
    for _ in range(30):
        linear.start()
    linear.poll("b")
    with watching() as seen:
        assert len(linear.poll("a")) == 30
    assert seen.trips <= 8


ODD = [
    b'{"variables": {"a": "\\u0000"}}',
    b'{"variables": {"a": "\\ud83d"}}',
    b'{"variables": {"n": 1e400}}',
    b'{"variables": {"n": 123456789012345678901234567890}}',
    b"{",
    b"\xff",
    b'{"variables": {"a": "' + b"x" * (9 * 1024 * 1024) + b'"}}',
]


@pytest.mark.parametrize("body", ODD, ids=range(len(ODD)))
def test_a_result_that_can_not_be_read_fails_the_job_for_good(retried, body):
    instance = retried.start()
    [job] = retried.poll("a")
    answer = retried.client.generic("POST", f"/v1/jobs/{job['id']}/complete", data=body)
    assert answer.status_code == 204, answer.content
    told = retried.instance(instance)
    assert told["status"] == "FAILED"
    assert told["failureReason"].startswith("the result of the job can't be read: ")


@pytest.mark.parametrize("body", [b'{"errorMessage": "half \\ud83d", "retryable": false}', b"{"])
def test_a_failure_whose_reason_can_not_be_read_is_one_all_the_same(retried, body):
    instance = retried.start()
    for _ in range(3):
        [job] = retried.poll("a")
        answer = retried.client.generic("POST", f"/v1/jobs/{job['id']}/fail", data=body)
        assert answer.status_code == 204, answer.content
        due_now()
    told = retried.instance(instance)
    assert told["status"] == "FAILED"
    assert told["failureReason"].startswith("the worker's reason can't be read: ")


def test_whatever_a_client_accepts_is_answered_in_json(linear):
    linear.start()
    answer = linear.client.generic("GET", "/v1/instances", headers={"Accept": "text/plain"})
    assert answer.status_code == 200
    assert answer.json()["total"] == 1
