"""The id of a run in both spellings, wherever a run is named below `/api/v1` and `/v1/instances`."""

import pytest

from runs.api.run_ids import shown_run
from tests import factories as make
from tests.api.hooks import publish

pytestmark = pytest.mark.django_db

SIGNAL = {"id": "s", "type": "signal", "params": {"name": "go"}}


@pytest.fixture
def run(api):
    publish(api, {"name": "waits", "nodes": [SIGNAL]})
    run_id = api.post("/api/v1/runs", {"workflow": "waits", "input": {"n": 1}}).json()["id"]
    make.work()
    return run_id


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/runs/{}",
        "/api/v1/runs/{}/steps",
        "/api/v1/runs/{}/history",
        "/api/v1/runs/{}/children",
        "/api/v1/runs/{}/items?node=s",
        "/api/v1/runs/{}/steps/s/logs",
        "/api/v1/runs/{}/compare/{}",
        "/api/v1/runs/{}/evidence",
        "/api/v1/requests/{}",
        "/api/v1/tasks?run={}",
        "/v1/instances/{}",
        "/v1/instances/{}/history",
    ],
)
def test_what_is_read_of_a_run_is_the_same_for_both_spellings(api, run, path):
    bare, prefixed = (api.get(path.format(one, one)) for one in (run, shown_run(run)))
    assert bare.status_code == prefixed.status_code == 200, prefixed.content
    if "evidence" not in path:
        assert bare.json() == prefixed.json()


def test_verbs_take_both_spellings(api, run):
    shown = shown_run(run)
    for verb in ("pause", "unpause"):
        answer = api.post(f"/api/v1/runs/{shown}/{verb}", {})
        assert (answer.status_code, answer.json()["id"]) == (200, run), verb
    bulk = api.post("/api/v1/runs/bulk", {"action": "cancel", "ids": [shown], "dry_run": True})
    assert [row["id"] for row in bulk.json()["results"]] == [run]
    sent = {"name": "other", "signal_id": "a"}
    assert api.post(f"/api/v1/runs/{shown}/signals", sent).json()["run_id"] == run
    no_child = api.post(f"/api/v1/runs/{shown}/signals", sent | {"child": shown})
    assert (no_child.status_code, no_child.json()["error"]["field"]) == (404, "child")
    everybody = {"name": "go", "signal_id": "b", "input": {"n": 1}, "after": shown}
    assert api.post("/api/v1/signals/broadcast", everybody).status_code == 200
    assert api.post(f"/v1/instances/{shown}/cancel", {"reason": "x"}).status_code == 200
    assert make.run(run).status == "CANCELLED"
    case = api.post("/api/v1/workflows/waits/test-cases/record", {"run_id": shown, "name": "one"})
    assert (case.status_code, case.json()["error"]["code"]) == (409, "not_ended")


@pytest.mark.parametrize(
    "name", ["wf_exec_1", "wf_exec_" + "0" * 27, "wf_exec_" + "v" * 26, "WF_EXEC_" + "0" * 26]
)
def test_what_names_no_run_is_a_404_in_a_path_and_a_400_in_a_field(api, name):
    assert api.get(f"/api/v1/runs/{name}").status_code == 404
    assert api.get(f"/v1/instances/{name}").status_code == 404
    answer = api.post("/api/v1/runs/bulk", {"action": "cancel", "ids": [name]})
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "ids[0]")
    assert api.get("/api/v1/tasks", {"run": name}).json()["error"]["field"] == "run"
