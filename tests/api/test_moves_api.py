"""Open runs go on with another version, as a client asks for it (R-010)."""

from datetime import datetime

import pytest

from operations.bulk import work
from tests import factories as make
from tests.api.test_operators_api import publish

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

SIGNAL = {"id": "b", "type": "signal", "params": {"name": "paid"}}


@pytest.fixture
def waiting(api):
    """A client, and the ids of two runs that wait on version 1; version 2 does more, version 3 has no such step."""
    publish(api, [SIGNAL], [])
    runs = [api.post("/api/v1/runs", {"workflow": "flow", "input": {"n": n}}).json()["id"] for n in (1, 2)]
    make.work()
    publish(api, [SIGNAL, {"id": "c", "type": "noop"}], [{"from": "b", "to": "c"}])
    publish(api, [{"id": "c", "type": "noop"}], [])
    return api, runs


def test_a_dry_run_tells_and_changes_nothing(waiting):
    api, (run, _) = waiting
    answer = api.post(f"/api/v1/runs/{run}/migrate", {"version": 3, "dry_run": True})

    assert (answer.status_code, answer.json()["ok"]) == (200, False)
    assert [(one["code"], one["node"]) for one in answer.json()["problems"]] == [("step_gone", "b")]
    assert api.post(f"/api/v1/runs/{run}/migrate", {"version": 2, "dry_run": True}).json() == {
        "ok": True,
        "problems": [],
        "begins": [],
        "times": [],
        "parts": 0,
    }
    assert api.get(f"/api/v1/runs/{run}").json()["version"] == 1


def test_a_run_is_moved_or_refused_naming_the_step(waiting):
    api, (run, _) = waiting
    refused = api.post(f"/api/v1/runs/{run}/migrate", {"version": 3})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "does_not_fit")
    assert refused.json()["error"]["details"]["node"] == "b"
    assert api.post(f"/api/v1/runs/{run}/migrate", {"version": 9}).status_code == 404
    assert api.post(f"/api/v1/runs/{run}/migrate", {}).status_code == 400

    moved = api.post(f"/api/v1/runs/{run}/migrate", {"version": 2, "reason": "a fix"})

    assert (moved.status_code, moved.json()["version"]) == (200, 2)
    again = api.post(f"/api/v1/runs/{run}/migrate", {"version": 2})
    assert (again.status_code, again.json()["error"]["code"]) == (409, "same_version")
    events = api.get(f"/api/v1/runs/{run}/history").json()["results"]
    assert "RUN_MIGRATED" in [event["type"] for event in events]


def test_all_open_runs_of_a_version_are_moved_by_a_job_that_can_be_followed(waiting):
    api, runs = waiting
    answer = api.post("/api/v1/workflows/flow/migrate", {"from": 1, "to": 2})
    assert answer.status_code == 202, answer.json()
    job, place = answer.json(), answer.headers["Location"]
    assert (job["total"], job["pending"], job["moved"], job["from"], job["to"]) == (2, 2, 0, 1, 2)
    assert {one["run"] for one in job["results"]} == set(runs)

    work.work(60)

    job = api.get(place).json()
    assert (job["moved"], job["refused"], job["ended"], job["pending"]) == (2, 0, 0, 0)
    assert job["finished_at"] is not None
    assert {one["result"] for one in job["results"]} == {"moved"}
    assert api.get(f"{place}?result=refused").json()["results"] == []
    assert api.get(f"{place}?result=none").status_code == 400


def test_jobs_are_listed_and_one_that_goes_on_can_be_stopped(waiting):
    api, _ = waiting
    dry = api.post("/api/v1/workflows/flow/migrate", {"from": 1, "to": 2, "dry_run": True}).json()
    job = api.post("/api/v1/workflows/flow/migrate", {"from": 1, "to": 2}).json()

    stopped = api.post(f"/api/v1/bulk-jobs/{job['id']}/cancel", {})

    assert stopped.status_code == 200
    assert (stopped.json()["stopped"], stopped.json()["pending"]) == (2, 0)
    assert stopped.json()["finished_at"] is not None
    again = api.post(f"/api/v1/bulk-jobs/{job['id']}/cancel", {})
    assert (again.status_code, again.json()["error"]["code"]) == (409, "not_open")
    listed = api.get("/api/v1/bulk-jobs?workflow=flow").json()["results"]
    assert [(one["id"], one["total"], one["stopped_by"]) for one in listed] == [
        (job["id"], 2, stopped.json()["stopped_by"]),
        (dry["id"], 2, ""),
    ]
    assert api.get("/api/v1/bulk-jobs?workflow=none").json()["results"] == []


def test_a_verb_is_done_to_all_runs_that_a_search_finds(waiting):
    api, runs = waiting
    asked = {"verb": "cancel", "query": "workflow:flow input.n:1", "reason": "a typo"}
    dry = api.post("/api/v1/bulk-jobs", asked | {"dry_run": True})
    assert (dry.status_code, dry.json()["total"], dry.json()["verb"]) == (202, 1, "cancel")
    answer = api.post("/api/v1/bulk-jobs", asked)
    work.work(60)

    job = api.get(answer.headers["Location"]).json()
    assert (job["done"], job["refused"], job["from"], job["query"]) == (1, 0, None, asked["query"])
    assert [(one["run"], one["result"]) for one in job["results"]] == [(runs[0], "done")]
    found = api.get("/api/v1/runs?query=status:cancelled+input.n:1").json()["results"]
    assert [run["id"] for run in found] == [runs[0]]
    for wrong, field in (
        ({"query": "siemens"}, "query"),
        ({"query": "status:none"}, "query"),
        ({"verb": "delete"}, "verb"),
    ):
        refused = api.post("/api/v1/bulk-jobs", asked | wrong)
        assert (refused.status_code, refused.json()["error"]["field"]) == (400, field)
    assert api.get("/api/v1/runs?query=waiting:soon").json()["error"]["field"] == "query"


def test_what_can_not_be_asked_is_refused(waiting):
    api, _ = waiting
    for body, status in (
        ({"from": 1}, 400),
        ({"from": 1, "to": 9}, 404),
        ({"from": 2, "to": 2}, 409),
        ({"from": "x", "to": 2}, 400),
    ):
        assert api.post("/api/v1/workflows/flow/migrate", body).status_code == status
    assert api.post("/api/v1/workflows/none/migrate", {"from": 1, "to": 2}).status_code == 404


def test_a_wait_that_is_to_be_shorter_is_over_at_once(api):
    def wait(duration):
        return {"id": "w", "type": "wait", "params": {"duration": duration}}

    publish(api, [wait("P1D")], [])
    run = api.post("/api/v1/runs", {"workflow": "flow", "input": {}}).json()["id"]
    make.work()
    publish(api, [wait("PT0.001S")], [])
    checked = api.post(f"/api/v1/runs/{run}/migrate", {"version": 2, "dry_run": True}).json()
    (time,) = checked["times"]
    old, new = datetime.fromisoformat(time["old"]), datetime.fromisoformat(time["new"])
    assert (checked["ok"], time["node"], time["kind"], time["place"]) == (True, "w", "wait", [])
    assert (old - new).total_seconds() == 86_400 - 0.001
    assert api.post(f"/api/v1/runs/{run}/migrate", {"version": 2}).status_code == 200
    make.tick()
    make.work()
    assert api.get(f"/api/v1/runs/{run}").json()["status"] == "COMPLETED"


def test_items_are_named_that_do_not_fit(api):
    def mapped(*steps):
        return {"id": "m", "type": "map", "params": {"items": [1, 2], "body": {"steps": list(steps)}}}

    publish(api, [mapped(SIGNAL)], [])
    run = api.post("/api/v1/runs", {"workflow": "flow", "input": {}}).json()["id"]
    make.work()
    publish(api, [mapped(SIGNAL, {"id": "c", "type": "noop"})], [])
    publish(api, [mapped({"id": "c", "type": "noop"}, {"id": "d", "type": "noop"})], [])
    address = f"/api/v1/runs/{run}/migrate"
    assert api.post(address, {"version": 2, "dry_run": True}).json()["parts"] == 2
    refused = api.post(address, {"version": 3})
    assert refused.status_code == 409
    first, second = refused.json()["error"]["details"]["problems"]
    assert first["message"].startswith("Item 0 of m: Wait for a signal (b) is in progress")
    assert second["place"] == [{"node": "m", "index": 1}]
    assert api.post(address, {"version": 2}).json()["version"] == 2
