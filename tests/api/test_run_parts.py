"""Parts of one run: its steps by status, with their queues, its timers and dead letters (R-039, R-085, R-203)."""

import pytest

from runs.api.run_ids import shown_run
from runs.models import StepExecution
from tests import factories as make
from tests.api.hooks import publish

pytestmark = pytest.mark.django_db

NODES = [
    {"id": "pay", "type": "job", "queue": "card"},
    {"id": "wait", "type": "wait", "params": {"seconds": 3600}},
    {"id": "clean", "type": "text.clean", "on_error": "continue"},
]


@pytest.fixture
def runs(api):
    """Two runs that wait for a job and a timer, and one that failed."""
    publish(api, {"name": "flow", "nodes": NODES, "edges": []})
    publish(api, {"name": "bad", "nodes": [{"id": "clean", "type": "text.clean"}]})
    started = [
        api.post("/api/v1/runs", {"workflow": name, "input": {}}).json()["id"]
        for name in ("flow", "flow", "bad")
    ]
    make.work()
    return started


def results(api, path, **params):
    answer = api.get(f"/api/v1/{path}", params)
    assert answer.status_code == 200, answer.content
    return answer.json()["results"]


def test_steps_by_status_with_their_queues(api, runs):
    rows = {row["node"]: row for row in results(api, f"runs/{runs[0]}/steps")}
    assert {name: row["queue"] for name, row in rows.items()} == {
        "pay": "card",
        "wait": "engine",
        "clean": "default",
    }
    assert [row["node"] for row in results(api, f"runs/{runs[0]}/steps", status="WAITING")] == ["wait"]
    assert [row["node"] for row in results(api, f"runs/{runs[0]}/steps", status="FAILED")] == ["clean"]
    assert results(api, f"runs/{runs[0]}/steps", status="SKIPPED", node="pay") == []
    refused = api.get(f"/api/v1/runs/{runs[0]}/steps", {"status": "failed"})
    assert (refused.status_code, refused.json()["error"]["field"]) == (400, "status")


def test_timers_and_dead_letters_of_a_run(api, runs):
    assert {row["run_id"] for row in results(api, "timers")} == {*runs[:2]}
    for spelling in (runs[0], shown_run(runs[0])):
        assert [row["run_id"] for row in results(api, "timers", run_id=spelling)] == [runs[0]]
    assert [row["run_id"] for row in results(api, "dead-letters", run_id=shown_run(runs[2]))] == [runs[2]]
    assert results(api, "dead-letters", run_id=runs[0]) == results(api, "timers", run_id=runs[2]) == []
    for path in ("timers", "dead-letters"):
        assert api.get(f"/api/v1/{path}", {"run_id": "x"}).json()["error"]["field"] == "run_id"


def test_a_dead_letter_and_its_step_say_after_how_many_retries_it_was_moved(api, runs):
    (letter,) = results(api, "dead-letters", run_id=runs[2])
    (step,) = results(api, f"runs/{runs[2]}/steps")
    message = "Moved to DLQ after 0 retries"
    assert (letter["error_message"], letter["retry_count"], letter["step_id"]) == (message, 0, step["id"])
    assert letter["moved_at"] == letter["created_at"]
    assert step["error_message"] == message
    assert step["error"] == letter["error"] != message
    # What its edges handle is no dead letter.
    (handled,) = results(api, f"runs/{runs[0]}/steps", status="FAILED")
    assert handled["error_message"] == handled["error"]["message"]


def test_it_counts_the_retries(api):
    node = {"id": "pay", "type": "job", "queue": "card", "retry": {"max_retries": 0}}
    publish(api, {"name": "once", "nodes": [node]})
    run = api.post("/api/v1/runs", {"workflow": "once", "input": {}}).json()["id"]
    StepExecution.unsafe_all_tenants.filter(run_id=run).update(attempt=3)
    make.fail(*make.claimed("card"))
    (step,) = results(api, f"runs/{run}/steps")
    assert step["error_message"] == "Moved to DLQ after 3 retries"
    assert step["error"]["message"] == "It went wrong."


def test_another_tenant_sees_none_of_them(people, api, runs):
    other = people.client("admin", tenant="theirs")
    assert results(other, "dead-letters", run_id=runs[2]) == results(other, "timers", run_id=runs[0]) == []
