"""Mending runs as a client does it: resume on a version, rerun from a step, retry with another input, skip."""

import pytest

from tests import factories

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
URL = "/api/v1/runs"

BROKEN = [
    {"id": "first", "type": "noop"},
    {"id": "fails", "type": "text.clean", "retry": "none"},
    {"id": "last", "type": "noop"},
]
EDGES = [{"from": "first", "to": "fails"}, {"from": "fails", "to": "last"}]


def publish(api, nodes, edges=EDGES):
    definition = {"name": "flow", "nodes": nodes, "edges": edges}
    if api.post("/api/v1/workflows", {"name": "flow", "definition": definition}).status_code == 409:
        tag = api.get("/api/v1/workflows/flow/draft").headers["ETag"]
        put = api.put("/api/v1/workflows/flow/draft", {"definition": definition}, HTTP_IF_MATCH=tag)
        assert put.status_code == 200, put.json()
    assert api.post("/api/v1/workflows/flow/publish").status_code == 201


@pytest.fixture
def failed(api):
    """A client, and the id of its run of which the second step failed: its input is no text."""
    publish(api, BROKEN)
    run = api.post(URL, {"workflow": "flow", "input": {"n": 1}}).json()
    factories.work()
    assert api.get(f"{URL}/{run['id']}").json()["status"] == "FAILED"
    return api, run["id"]


def ended(api, run_id):
    factories.work()
    run = api.get(f"{URL}/{run_id}").json()
    return run, {step["node"]: step for step in run["steps"]}


def test_a_retry_with_another_input(failed):
    api, run_id = failed
    answer = api.post(f"{URL}/{run_id}/steps/fails/retry", {"input": {"text": " x "}, "reason": "typo"})
    assert answer.status_code == 200
    assert answer.json()["status"] == "RUNNING"
    run, steps = ended(api, run_id)
    assert (run["status"], run["output"], steps["fails"]["input"]) == (
        "COMPLETED",
        {"text": "x"},
        {"text": " x "},
    )
    events = api.get(f"{URL}/{run_id}/history?order=asc").json()["results"]
    (edited,) = [event for event in events if "input_digest" in event["payload"]]
    assert (edited["type"], edited["node"]) == ("STEP_REQUEUED", "fails")
    assert (edited["payload"]["by"], edited["payload"]["reason"]) == ("admin-of-ours", "typo")


def test_a_step_tells_what_may_be_done_to_it_and_nothing_else_may(failed):
    api, run_id = failed
    verbs = {step["node"]: step["verbs"] for step in api.get(f"{URL}/{run_id}").json()["steps"]}
    assert verbs == {"first": ["rerun"], "fails": ["retry", "skip", "rerun"], "last": []}
    listed = api.get(f"{URL}/{run_id}/steps").json()["results"]
    assert {step["node"]: step["verbs"] for step in listed} == verbs
    for node in ("first", "last"):
        refused = [
            api.post(f"{URL}/{run_id}/steps/{node}/{verb}", {"output": 1} if verb == "skip" else {})
            for verb in ("retry", "skip")
        ]
        assert [answer.status_code for answer in refused] == [409, 409]
    assert api.post(f"{URL}/{run_id}/steps/fails/skip", {"output": 1}).status_code == 200
    done = ended(api, run_id)[1]
    assert {node: step["verbs"] for node, step in done.items()} == {node: ["rerun"] for node in done}


def test_a_skip(failed):
    api, run_id = failed
    answer = api.post(f"{URL}/{run_id}/steps/fails/skip", {"output": {"text": "by hand"}})
    assert answer.status_code == 200
    run, steps = ended(api, run_id)
    assert (run["status"], run["output"]) == ("COMPLETED", {"text": "by hand"})
    assert (steps["fails"]["status"], steps["fails"]["cause"]) == ("SKIPPED", "operator")


def test_a_resume_on_a_newer_version(failed):
    api, run_id = failed
    fixed = [
        BROKEN[0],
        {"id": "fails", "type": "text.clean", "input": {"text": "n is {{ prev.n }}"}},
        BROKEN[2],
    ]
    publish(api, fixed)
    answer = api.post(f"{URL}/{run_id}/resume", {"version": 2})
    assert (answer.status_code, answer.json()["version"]) == (200, 2)
    assert ended(api, run_id)[0]["output"] == {"text": "n is 1"}


def test_a_version_that_does_not_fit_is_refused_with_the_reason(failed):
    api, run_id = failed
    publish(api, BROKEN[1:], EDGES[1:])
    answer = api.post(f"{URL}/{run_id}/resume", {"version": 2})
    assert answer.status_code == 409
    error = answer.json()["error"]
    assert (error["code"], error["field"]) == ("does_not_fit", "version")
    assert "first has run, but this version has no such step" in error["message"]
    assert api.post(f"{URL}/{run_id}/resume", {"version": 3}).status_code == 404
    assert api.post(f"{URL}/{run_id}/resume", {"version": 1}).status_code == 200


def test_a_rerun_from_a_step(failed):
    api, run_id = failed
    answer = api.post(f"{URL}/{run_id}/rerun", {"from_node": "fails", "input": {"text": "y"}})
    assert answer.status_code == 201
    new = answer.json()
    assert answer.headers["Location"] == f"{URL}/{new['id']}"
    assert (new["rerun_of"], new["input"]) == (run_id, {"n": 1})
    run, steps = ended(api, new["id"])
    assert (run["status"], run["output"]) == ("COMPLETED", {"text": "y"})
    assert steps["first"]["kept_from"] is not None
    assert steps["fails"]["kept_from"] is None


@pytest.mark.parametrize(
    ("path", "body", "status", "field"),
    [
        ("steps/nowhere/retry", {}, 404, None),
        ("steps/first/retry", {}, 409, None),
        ("steps/last/skip", {"output": 1}, 409, "node"),
        ("steps/fails/skip", {}, 400, "output"),
        ("steps/fails/skip", {"output": 1, "index": 0}, 404, "index"),
        ("steps/fails/retry", {"index": 0}, 404, "index"),
        ("steps/fails/retry", {"inputs": {}}, 400, "inputs"),
        ("rerun", {}, 400, "from_node"),
        ("rerun", {"from_node": "nowhere"}, 400, "from_node"),
        ("rerun", {"from_node": "fails", "version": 9}, 404, "version"),
        ("resume", {"version": 0}, 400, "version"),
    ],
)
def test_what_is_wrong_is_named_and_nothing_changes(failed, path, body, status, field):
    api, run_id = failed
    before = api.get(f"{URL}/{run_id}").json()
    answer = api.post(f"{URL}/{run_id}/{path}", body)
    assert (answer.status_code, answer.json()["error"]["field"]) == (status, field), answer.json()
    assert api.get(f"{URL}/{run_id}").json() == before


def test_a_run_at_work_is_not_rerun(api):
    publish(api, BROKEN)
    run = api.post(URL, {"workflow": "flow", "input": {"n": 1}}).json()
    answer = api.post(f"{URL}/{run['id']}/rerun", {"from_node": "first"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "not_ended")


def test_what_undoes_a_step_is_tried_again_and_skipped_by_its_name(api):
    undo = {"type": "signal", "params": {"name": "undone"}}
    nodes = [{"id": "first", "type": "noop", "compensate": undo}, *BROKEN[1:]]
    publish(api, nodes)
    run_id = api.post(URL, {"workflow": "flow", "input": {"n": 1}}).json()["id"]
    factories.work()
    run = api.get(f"{URL}/{run_id}").json()
    assert run["status"] == "COMPENSATING"
    assert run["waiting_for"].endswith("Undo Do nothing (first) waits for the signal undone")
    refused = api.post(f"{URL}/{run_id}/steps/first:compensate/retry", {"input": {}})
    assert (refused.status_code, refused.json()["error"]["field"]) == (400, "input")
    assert api.post(f"{URL}/{run_id}/steps/first:compensate/retry").status_code == 409
    skipped = api.post(f"{URL}/{run_id}/steps/first:compensate/skip", {"output": {"by": "hand"}})
    assert (skipped.status_code, skipped.json()["status"]) == (200, "COMPENSATED")
    assert skipped.json()["steps"][-1]["output"] == {"by": "hand"}
