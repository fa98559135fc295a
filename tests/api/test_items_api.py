"""The items of a container over REST: counts, filter, pages."""

import pytest

from tests import factories as make
from tests.runs.test_items import failing_at
from tests.store.watching import watching

pytestmark = pytest.mark.django_db


def test_items_with_counts(api):
    run_id = failing_at(2, 5, tenant=make.a_tenant("ours"))
    answer = api.get(f"/api/v1/runs/{run_id}/items", {"node": "each", "limit": 2})
    assert answer.status_code == 200
    assert answer.json()["counts"] == {"COMPLETED": 4, "FAILED": 1}
    assert [(one["index"], one["input"]) for one in answer.json()["results"]] == [(0, 0), (1, 1)]
    assert answer.json()["after"] == 1
    failed = api.get(f"/api/v1/runs/{run_id}/items", {"node": "each", "status": "FAILED"}).json()
    assert [one["error"]["code"] for one in failed["results"]] == ["ExpressionError"]


def test_a_step_without_items_has_none(api):
    run_id = failing_at(0, 1, tenant=make.a_tenant("ours"))
    assert api.get(f"/api/v1/runs/{run_id}/items", {"node": "after"}).json()["results"] == []
    assert api.get(f"/api/v1/runs/{run_id}/items", {"node": "nobody"}).status_code == 404
    assert api.get(f"/api/v1/runs/{run_id}/items").status_code == 400


def test_the_step_says_how_far_it_is(api):
    run_id = failing_at(2, 5, tenant=make.a_tenant("ours"))
    steps = {step["node"]: step for step in api.get(f"/api/v1/runs/{run_id}").json()["steps"]}
    assert steps["each"]["items"] == {"total": 5, "begun": 5, "ended": 5, "failed": 1, "rounds": False}
    assert steps["after"]["items"] is None


def test_what_an_item_waits_for_is_told_from_the_end_of_its_tree(api):
    ask = {
        "id": "ask",
        "type": "human.approval",
        "params": {"title": "OK?", "candidates": {"roles": ["admin"]}},
    }
    body = {
        "steps": [ask, {"id": "x", "type": "noop"}],
        "edges": [{"from": "ask", "to": "x", "default": True}],
    }

    def cost(items):
        run_id = make.start(make.mapped(body), {"items": [*range(items)]}, tenant=make.a_tenant("ours"))[0]
        make.work()
        with watching() as seen:
            rows = api.get(f"/api/v1/runs/{run_id}/items", {"node": "each"}).json()["results"]
        assert len(rows) == items
        for row in rows:
            assert row["waiting_for"].endswith(": an admin to decide “OK?”")
        return seen.trips

    # What is read once for a process comes first.
    assert cost(3) >= cost(1) == cost(7)
