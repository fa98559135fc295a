"""What is too large to be kept later is refused where it comes in, with 413 and the name of the field."""

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from runs.limits import SIGNAL_BYTES
from runs.models import Run, Signal
from steps.limits import MAX_INPUT_BYTES, MAX_OUTPUT_BYTES, RUN_INPUT_BYTES
from tests import factories as make
from tests.api.hooks import make_hook, order, publish
from tests.webhooks import Sender

__all__ = ["make_hook", "order"]
pytestmark = [pytest.mark.django_db, pytest.mark.slow]

RUNS = "/api/v1/runs"
TOO_LARGE_INPUT = {"text": "x" * RUN_INPUT_BYTES}
ASK = {"id": "ask", "type": "human.form", "params": {"title": "?", "form": {"type": "object"}}}


@pytest.fixture
def flow(api):
    """A published workflow: a job on the queue `mine`, and a step that takes texts only."""
    nodes = [{"id": "work", "type": "job", "queue": "mine"}, {"id": "clean", "type": "text.clean"}]
    edges = [{"from": "work", "to": "clean"}]
    publish(api, {"name": "flow", "nodes": nodes, "edges": edges})


def refused(answer, field, limit):
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["field"]) == (413, "too_large", field)
    assert f"{limit:,}" in error["message"]


def a_job(api, run):
    body = {"worker_id": "w", "queues": ["mine"], "max_jobs": 1}
    (job,) = api.people.client("worker").post("/api/v1/jobs/poll", body).json()["jobs"]
    assert job["run_id"] == run
    return job


def answered(api, job, verb, **body):
    worker = api.people.client("worker")
    return worker.post(f"/api/v1/jobs/{job['id']}/{verb}", {"lease_token": job["lease_token"], **body})


@pytest.fixture
def api(people):
    client = people.client("admin")
    client.people = people
    return client


def started(api, given=1):
    return api.post(RUNS, {"workflow": "flow", "input": given}).json()["id"]


@pytest.mark.parametrize(
    ("path", "body", "field", "limit"),
    [
        (RUNS, {"input": TOO_LARGE_INPUT}, "input", RUN_INPUT_BYTES),
        (
            f"{RUNS}/batch",
            {"items": [{"input": 1}, {"input": TOO_LARGE_INPUT}]},
            "items[1].input",
            RUN_INPUT_BYTES,
        ),
        (f"{RUNS}/batch", {"items": [{"input": TOO_LARGE_INPUT}]}, "items[0].input", RUN_INPUT_BYTES),
        (
            RUNS,
            {
                "input": 1,
                "signal": {"name": "paid", "signal_id": "s-1", "payload": "x" * SIGNAL_BYTES},
            },
            "signal.payload",
            SIGNAL_BYTES,
        ),
    ],
)
def test_a_start_that_would_fail_at_its_first_step_is_none(api, flow, path, body, field, limit):
    refused(api.post(path, {"workflow": "flow", **body}), field, limit)
    assert not Run.unsafe_all_tenants.exists()


def test_the_largest_input_that_is_taken_passes_through_a_step(api):
    publish(api, make.chain("noop"))
    given = {"text": "x" * (RUN_INPUT_BYTES - len('{"text":""}'))}
    run = api.post(RUNS, {"workflow": "chain", "input": given}).json()["id"]
    make.work()
    assert make.run(run).status == "COMPLETED"


def test_the_form_of_a_page_says_it_at_the_input(api, flow):
    client = Client()
    client.force_login(User.objects.get(username="admin-of-ours"))
    body = {"input_kind": "text", "input": TOO_LARGE_INPUT["text"], "business_key": "", "once": ""}
    answer = client.post(reverse("workflow-start", args=["flow"]), body)
    assert answer.status_code == 422
    assert f"{RUN_INPUT_BYTES:,} bytes" in answer.content.decode()
    assert not Run.unsafe_all_tenants.exists()


@pytest.mark.parametrize(
    ("action", "mapping", "field", "limit"),
    [
        ("start", {"input": ["{{ body.t }}"] * 5}, "mapping.input", RUN_INPUT_BYTES),
        (
            "signal",
            {"business_key": "k", "signal_name": "paid", "payload": ["{{ body.t }}"] * 2},
            "mapping.payload",
            SIGNAL_BYTES,
        ),
    ],
)
def test_what_a_mapping_makes_of_a_message(make_hook, action, mapping, field, limit):
    hook = Sender(Client(), make_hook(action=action, mapping=mapping))
    refused(hook.send({"t": "x" * 900_000}), field, limit)
    assert not Run.unsafe_all_tenants.exists()


def test_a_signal(api, flow):
    run = started(api)
    body = {"name": "paid", "signal_id": "s-1", "payload": "x" * SIGNAL_BYTES}
    refused(api.post(f"{RUNS}/{run}/signals", body), "payload", SIGNAL_BYTES)
    by_key = {**body, "workflow": "flow", "business_key": "k-1"}
    api.post(RUNS, {"workflow": "flow", "input": 1, "business_key": "k-1"})
    refused(api.post("/api/v1/signals", by_key), "payload", SIGNAL_BYTES)
    assert not Signal.unsafe_all_tenants.exists()


def test_an_output_that_is_too_large_leaves_the_job_with_its_worker(api, flow):
    run = started(api)
    job = a_job(api, run)

    refused(answered(api, job, "complete", output="x" * MAX_OUTPUT_BYTES), "output", MAX_OUTPUT_BYTES)

    assert make.steps(run)["work"].status == "RUNNING"
    assert answered(api, job, "heartbeat").json()["applied"] is True
    assert answered(api, job, "complete", output={"text": "less"}).json() == {"applied": True}
    make.work()
    assert make.run(run).status == "COMPLETED"


def test_a_worker_whose_output_was_too_large_may_fail_the_job_instead(api, flow):
    run = started(api)
    job = a_job(api, run)
    answered(api, job, "complete", output="x" * MAX_OUTPUT_BYTES)
    error = {"code": "TooMuch", "message": "It is too large."}
    assert answered(api, job, "fail", error=error, retryable=False).json() == {"applied": True}
    assert make.run(run).error["code"] == "TooMuch"


def test_an_error_that_is_too_long_is_kept_in_part_and_that_is_said(api, flow):
    run = started(api)
    job = a_job(api, run)
    error = {"code": "C" * 200, "message": "m" * 20_000, "details": {"trace": "t" * 100_000}}

    answer = answered(api, job, "fail", error=error, retryable=False)

    cut = ["error.code", "error.message", "error.details"]
    assert (answer.status_code, answer.json()) == (200, {"applied": True, "cut": cut})
    kept = make.steps(run)["work"].error
    assert (kept["code"], kept["cut"], len(kept["message"])) == ("C" * 100, cut, 10_000)
    assert kept["message"].startswith("mmm")
    assert kept["message"].endswith("… (cut: the message had 20,000 characters)")
    assert "details" not in kept


def test_an_error_that_fits_is_kept_whole(api, flow):
    run = started(api)
    error = {"code": "C" * 100, "message": "m" * 10_000, "details": {"line": 7}}
    answer = answered(api, a_job(api, run), "fail", error=error, retryable=False)
    assert answer.json() == {"applied": True}
    assert make.steps(run)["work"].error == {**error, "retryable": False}


def test_what_operators_give_a_step(api, flow):
    run = started(api)
    answered(api, a_job(api, run), "complete", output=1)
    make.work()
    assert make.run(run).status == "FAILED"
    step = f"{RUNS}/{run}/steps/clean"
    # Larger on the wire than a body may be; a number may be written in few characters that are many when kept.
    wide = [1e300] * (MAX_INPUT_BYTES // 300)
    refused(api.post(f"{step}/retry", {"input": wide}), "input", MAX_INPUT_BYTES)
    refused(api.post(f"{step}/skip", {"output": "x" * MAX_OUTPUT_BYTES}), "output", MAX_OUTPUT_BYTES)
    again = {"from_node": "clean", "input": wide}
    refused(api.post(f"{RUNS}/{run}/rerun", again), "input", MAX_INPUT_BYTES)
    again = {"from_node": "work", "input": TOO_LARGE_INPUT}
    refused(api.post(f"{RUNS}/{run}/rerun", again), "input", RUN_INPUT_BYTES)
    assert make.run(run).status == "FAILED"


def test_the_input_of_one_step_of_a_test(api, flow):
    body = {"only": "clean", "step_input": [1e300] * (MAX_INPUT_BYTES // 300)}
    refused(api.post("/api/v1/workflows/flow/trials", body), "step_input", MAX_INPUT_BYTES)


def test_the_data_of_a_task_and_its_draft(api):
    publish(api, make.graph([ASK], []))
    run = api.post(RUNS, {"workflow": "graph", "input": 1}).json()["id"]
    make.work()
    (task,) = api.get(f"/api/v1/tasks?run={run}").json()["results"]
    data = {"why": "x" * 1024 * 1024}
    body = {"outcome": task["outcomes"][0]["name"], "data": data}
    refused(api.post(f"/api/v1/tasks/{task['id']}/complete", body), "data", 1024 * 1024)
    refused(api.put(f"/api/v1/tasks/{task['id']}/draft", {"data": data}), "data", 1024 * 1024)
