"""A workflow that runs itself ends soon, and the API says why (fault 8)."""

import pytest

from runs.models import Run
from tests import factories as make
from tests.api.hooks import publish

pytestmark = pytest.mark.django_db


def finished(api, name):
    answer = api.post("/api/v1/runs", {"workflow": name, "input": {}})
    assert answer.status_code == 201, answer.content
    make.work()
    return api.get(f"/api/v1/runs/{answer.json()['id']}").json()


def test_three_steps_that_run_their_own_workflow_end_with_few_runs(api, settings):
    settings.HANDOFF_TREE_OPEN_RUNS = 30
    nodes = [{"id": one, "type": "subworkflow", "params": {"workflow": "itself"}} for one in "abc"]
    publish(api, {"name": "itself", "nodes": nodes})
    run = finished(api, "itself")
    assert run["status"] == "FAILED"
    error = run["error"]
    assert (error["code"], error["details"]["error"]["reason"]) == ("ChildFailed", "too_many_open")
    assert "30 runs are open" in error["message"]
    assert "HANDOFF_TREE_OPEN_RUNS" in error["message"]
    assert Run.unsafe_all_tenants.count() < 150
    assert not Run.unsafe_all_tenants.filter(completed_at=None).exists()


def test_a_chain_of_children_ends_at_the_depth(api, settings):
    settings.HANDOFF_TREE_DEPTH = 4
    publish(
        api,
        {"name": "itself", "nodes": [{"id": "a", "type": "subworkflow", "params": {"workflow": "itself"}}]},
    )
    error = finished(api, "itself")["error"]
    assert error["details"]["error"]["reason"] == "too_deep"
    assert "HANDOFF_TREE_DEPTH" in error["message"]
    assert Run.unsafe_all_tenants.count() == 5


def test_a_child_of_a_test_run_is_followed_by_none(api):
    publish(api, {"name": "next", "nodes": [{"id": "x", "type": "noop"}]})
    publish(api, {"name": "child", "nodes": [{"id": "x", "type": "noop"}], "next_workflow": "next"})
    step = {"id": "a", "type": "subworkflow", "params": {"workflow": "child"}}
    api.post("/api/v1/workflows", {"name": "outer", "definition": {"name": "outer", "nodes": [step]}})
    answer = api.post("/api/v1/workflows/outer/trials", {"input": {}, "live": ["a"]})
    make.work()
    assert api.get(f"/api/v1/runs/{answer.json()['id']}").json()["status"] == "COMPLETED"
    assert not Run.unsafe_all_tenants.filter(is_test=False).exists()
    assert Run.unsafe_all_tenants.count() == 2
