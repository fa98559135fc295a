"""Verbs on items and on child runs over REST: of a failed map one item is tried again, skipped, and so on."""

import pytest

from tests import factories as make

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

URL = "/api/v1/runs"
JOBS = {
    "id": "m",
    "type": "map",
    "params": {"items": "{{ input.l }}", "body": {"type": "job", "queue": "ch", "retry": "none"}},
}


@pytest.fixture
def run(api):
    """Starts a run of these nodes with a list of two; gives its address."""

    def start(*nodes, name="flow"):
        definition = {"name": name, "nodes": list(nodes), "edges": []}
        assert api.post("/api/v1/workflows", {"name": name, "definition": definition}).status_code == 201
        assert api.post(f"/api/v1/workflows/{name}/publish").status_code == 201
        started = api.post(URL, {"workflow": name, "input": {"l": [1, 2]}})
        make.work()
        return f"{URL}/{started.json()['id']}"

    return start


def jobs(api, queue="ch"):
    return api.post("/api/v1/jobs/poll", {"worker_id": "w", "queues": [queue], "max_jobs": 10}).json()["jobs"]


def complete(api, job, output):
    body = {"lease_token": job["lease_token"], "output": output}
    assert api.post(f"/api/v1/jobs/{job['id']}/complete", body).status_code == 200


def fail(api, job):
    body = {"lease_token": job["lease_token"], "error": {"code": "Boom", "message": "no"}, "retryable": False}
    assert api.post(f"/api/v1/jobs/{job['id']}/fail", body).status_code == 200


def verbs(api, address, node="m"):
    items = api.get(f"{address}/items", {"node": node}).json()["results"]
    return {item["index"]: item["verbs"] for item in items}


def test_one_item_of_a_failed_map_of_jobs_is_tried_again(api, run):
    address = run(JOBS)
    first, second = sorted(jobs(api), key=lambda job: job["input"])
    complete(api, first, "A")
    fail(api, second)
    assert api.get(address).json()["status"] == "FAILED"
    assert verbs(api, address) == {0: [], 1: ["retry", "resume", "skip"]}
    answer = api.post(f"{address}/steps/m/retry", {"index": 1, "reason": "it was down"})
    assert (answer.status_code, answer.json()["status"]) == (200, "PENDING")
    make.work()
    (again,) = jobs(api)
    assert again["idempotency_key"] == second["idempotency_key"]
    complete(api, again, "B")
    assert api.get(address).json()["output"] == {"results": ["A", "B"]}


def test_an_item_is_skipped(api, run):
    address = run(JOBS)
    first, second = sorted(jobs(api), key=lambda job: job["input"])
    complete(api, first, "A")
    fail(api, second)
    assert api.post(f"{address}/steps/m/skip", {"index": 1, "output": "by hand"}).status_code == 200
    make.work()
    assert api.get(address).json()["output"] == {"results": ["A", "by hand"]}


def test_items_are_cancelled_paused_and_unpaused(api, run):
    address = run({**JOBS, "params": {**JOBS["params"], "tolerate_failures": 1}})
    assert verbs(api, address)[0] == ["retry", "skip", "cancel", "pause"]
    assert api.post(f"{address}/steps/m/pause", {"index": 0}).status_code == 200
    assert verbs(api, address)[0] == ["skip", "cancel", "unpause"]
    held = api.get(f"{address}/items", {"node": "m"}).json()["results"][0]
    assert held["waiting_for"] == "an operator to unpause it"
    (other,) = jobs(api)
    assert verbs(api, address)[1] == ["cancel"]
    assert api.post(f"{address}/steps/m/cancel", {"index": 1}).status_code == 200
    late = api.post(
        f"/api/v1/jobs/{other['id']}/complete", {"lease_token": other["lease_token"], "output": 1}
    )
    assert late.status_code == 409 or not late.json()["applied"]
    assert api.post(f"{address}/steps/m/unpause", {"index": 0}).status_code == 200
    complete(api, *jobs(api), "A")
    results = api.get(address).json()["output"]["results"]
    assert (results[0], results[1]["error"]["code"]) == ("A", "ItemCancelled")


def test_what_is_refused_says_why(api, run):
    address = run(JOBS, {"id": "n", "type": "noop"})
    jobs(api)
    cases = [
        ("n/retry", {"index": 0}, 404, "not_found", "index"),
        ("m/retry", {"index": 2}, 404, "not_found", "index"),
        ("m/retry", {"index": 0, "input": 1}, 400, "invalid", "input"),
        ("m/skip", {"index": 0, "output": 1}, 409, "item_is_running", "index"),
        ("m/pause", {"index": 0}, 409, "item_is_running", "index"),
        ("m/resume", {"index": 0}, 409, "item_is_running", "index"),
        ("m/cancel", {}, 409, "no_child", "node"),
        ("m/cancel", {"index": -1}, 400, "min_value", "index"),
        ("nobody/cancel", {}, 404, "not_found", None),
    ]
    for path, body, status, code, field in cases:
        answer = api.post(f"{address}/steps/{path}", body)
        assert (answer.status_code, answer.json()["error"]["code"]) == (status, code), (path, body)
        assert answer.json()["error"]["field"] == field
        assert answer.json()["error"]["message"]


def test_of_one_item_it_is_said_that_there_is_one(api, run):
    one = {**JOBS, "params": {**JOBS["params"], "items": [1]}}
    answer = api.post(f"{run(one)}/steps/m/retry", {"index": 1})
    assert answer.json()["error"]["message"] == "m has only 1 item."


def test_the_run_of_a_subworkflow_is_paused_and_cancelled(api, run):
    child = {"name": "child", "nodes": [{"id": "a", "type": "job", "queue": "ch"}], "edges": []}
    assert api.post("/api/v1/workflows", {"name": "child", "definition": child}).status_code == 201
    assert api.post("/api/v1/workflows/child/publish").status_code == 201
    address = run({"id": "call", "type": "subworkflow", "retry": "none", "params": {"workflow": "child"}})
    begun = f"{URL}/{api.get(address).json()['steps'][0]['child_run']}"
    assert api.post(f"{address}/steps/call/pause").status_code == 200
    assert api.get(begun).json()["status"] == "PAUSED"
    refused = api.post(f"{address}/steps/call/pause")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "not_running")
    assert api.post(f"{address}/steps/call/unpause").status_code == 200
    assert api.post(f"{address}/steps/call/cancel").status_code == 200
    make.work()
    assert (api.get(begun).json()["status"], api.get(address).json()["status"]) == ("CANCELLED", "FAILED")
