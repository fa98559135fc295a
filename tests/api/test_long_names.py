"""Names of workflows and ids of steps with 256 characters, at every door (R-016)."""

import pytest

from tests import factories as make
from tests.api.hooks import publish

pytestmark = pytest.mark.django_db

NAME = "w" * 256
JOB, ASK, SIGNAL, EACH = ("j" * 256, "a" * 256, "s" * 256, "m" * 256)
DEFINITION = {
    "name": NAME,
    "nodes": [
        {"id": JOB, "type": "job", "compensate": {"type": "noop"}},
        {
            "id": EACH,
            "type": "map",
            "params": {"items": [1], "body": {"steps": [{"id": "i" * 256, "type": "noop"}]}},
        },
        {"id": SIGNAL, "type": "signal", "params": {"name": "go"}},
        {
            "id": ASK,
            "type": "human.approval",
            "params": {"title": "Well?", "candidates": {"roles": ["admin"]}},
        },
    ],
    "edges": [
        {"from": JOB, "to": EACH},
        {"from": EACH, "to": SIGNAL, "when": f"steps.{JOB}.output.n == 1"},
        {"from": SIGNAL, "to": ASK},
    ],
}


@pytest.fixture
def run(api):
    publish(api, DEFINITION)
    run_id = api.post("/api/v1/runs", {"workflow": NAME, "business_key": "k", "input": {}}).json()["id"]
    make.work()
    (job,) = api.post("/api/v1/jobs/poll", {"worker_id": "w", "queues": [JOB], "max_jobs": 1}).json()["jobs"]
    report = {"lease_token": job["lease_token"], "output": {"n": 1}}
    assert api.post(f"/api/v1/jobs/{job['id']}/complete", report).status_code == 200
    make.work()
    return run_id


def test_a_run_of_it_is_started_signalled_decided_and_found(api, run):
    assert api.get("/api/v1/runs", {"workflow": NAME}).json()["results"][0]["id"] == run
    assert (
        api.get("/api/v1/runs", {"query": f"workflow:{NAME} step:{SIGNAL}"}).json()["results"][0]["id"] == run
    )
    assert len(api.get(f"/api/v1/runs/{run}/steps", {"node": EACH}).json()["results"]) == 1
    assert len(api.get(f"/api/v1/runs/{run}/items", {"node": EACH}).json()["results"]) == 1
    signal = {"workflow": NAME, "business_key": "k", "name": "go", "signal_id": "1"}
    assert api.post("/api/v1/signals", signal).status_code == 202
    make.work()
    (task,) = api.get("/api/v1/tasks", {"workflow": NAME}).json()["results"]
    decided = api.post(f"/api/v1/tasks/{task['id']}/complete", {"outcome": "approved"})
    assert decided.status_code == 200, decided.content
    make.work()
    assert api.get(f"/api/v1/runs/{run}").json()["status"] == "COMPLETED"


def test_it_is_undone(api, run):
    api.post(f"/api/v1/runs/{run}/cancel", {"compensate": True})
    make.work()
    assert make.steps(run)[f"{JOB}:compensate"].status == "COMPLETED"


def test_other_doors_take_the_name(api, run):
    assert (
        api.put(
            f"/api/v1/workflows/{NAME}/draft", {"definition": DEFINITION}, headers={"If-Match": "*"}
        ).status_code
        == 200
    )
    when = {"name": "daily", "workflow": NAME, "every_seconds": 3600}
    made = api.post("/api/v1/schedules", when)
    assert made.status_code == 201, made.content
    calls = {"id": "c", "type": "subworkflow", "params": {"workflow": NAME}}
    publish(api, {"name": "caller", "nodes": [calls]})
    assert api.get(f"/api/v1/workflows/{NAME}/export").status_code == 200
    renamed = api.post(
        f"/api/v1/workflows/{NAME}/rename-step", {"definition": DEFINITION, "from": JOB, "to": "z" * 256}
    )
    assert renamed.status_code == 200, renamed.content
    assert api.post("/v1/workflows", {"workflowType": NAME, "input": {}}).status_code in (201, 202)


@pytest.mark.parametrize("field", ["name", "id"])
def test_one_character_more_is_refused(api, field):
    definition = {"name": "n", "nodes": [{"id": "a", "type": "noop"}]}
    if field == "name":
        answer = api.post("/api/v1/workflows", {"name": "n" * 257, "definition": definition})
        assert (answer.status_code, answer.json()["error"]["field"]) == (400, "name")
    else:
        definition["nodes"][0]["id"] = "a" * 257
        problems = api.post("/api/v1/workflows/validate", {"definition": definition}).json()["problems"]
        assert [problem["severity"] for problem in problems] == ["error"]
