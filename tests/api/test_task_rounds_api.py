"""Over REST a task is returned and sent again, escalated, and decided so that it can be undone (R-146, R-148)."""

import pytest

from lib import named_sql
from tests.api.test_tasks_api import ask

__all__ = ["ask"]
pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def test_a_task_goes_back_comes_again_and_is_decided(api, people, ask):
    task = ask(facts={"Amount": "{{ input.amount }}"}, amendable=["Amount"])
    path = f"/api/v1/tasks/{task['id']}"
    bob = people.client("operator")
    missing = bob.post(f"{path}/return", {})
    assert (missing.status_code, missing.json()["error"]["field"]) == (400, "comment")
    back = bob.post(f"{path}/return", {"comment": "The receipt says 45."})
    assert back.status_code == 200
    assert (back.json()["returned_to"], back.json()["returned_by"]) == ("admin-of-ours", "operator-of-ours")
    refused = bob.post(f"{path}/complete", {"outcome": "approved"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "returned")
    wrong = api.post(f"{path}/resubmit", {"facts": {"Else": 1}})
    assert (wrong.status_code, wrong.json()["error"]["field"]) == (400, "facts.Else")
    again = api.post(f"{path}/resubmit", {"facts": {"Amount": 45}, "comment": "Right."})
    assert again.status_code == 200
    assert again.json()["changed"] == [{"label": "Amount", "before": 40, "after": 45}]
    assert again.json()["facts"] == [{"label": "Amount", "value": 45, "may_change": True}]
    kinds = [one["kind"] for one in api.get(f"{path}/comments").json()["results"]]
    assert kinds == ["returned", "resubmitted"]
    assert bob.post(f"{path}/complete", {"outcome": "approved"}).json()["status"] == "COMPLETED"


def test_a_task_is_escalated(api, people, ask):
    task = ask(candidates={"roles": ["admin"]})
    path = f"/api/v1/tasks/{task['id']}/escalate"
    people.member("operator")
    none = api.post(path, {"reason": "Help."})
    assert (none.status_code, none.json()["error"]["code"]) == (409, "no_level")
    unknown = api.post(path, {"reason": "Help.", "to": {"somebody": ["operator-of-ours"]}})
    assert unknown.status_code == 400
    asked = api.post(path, {"reason": "Help.", "to": {"users": ["operator-of-ours"]}})
    assert asked.json()["candidates"]["users"] == ["operator-of-ours"]


@pytest.mark.parametrize(
    ("verb", "body", "times"),
    [
        ("ask", {"text": "Which account?"}, 1),
        ("delegate", {"to": "operator-of-ours"}, 1),
        ("return", {"comment": "The receipt says 45.", "to": "operator-of-ours"}, 2),
        ("escalate", {"reason": "Help.", "to": {"users": ["operator-of-ours"]}}, 2),
    ],
)
def test_who_asks_is_looked_up_once_and_once_more_behind_a_lock(
    api, people, ask, monkeypatch, verb, body, times
):
    people.member("operator")
    task = ask(candidates={"roles": ["admin"]})
    body = body | (
        {"seen": api.get(f"/api/v1/tasks/{task['id']}").json()["shown_hash"]} if verb == "return" else {}
    )
    statements = []
    monkeypatch.setattr(named_sql, "watchers", [statements.append])
    answer = api.post(f"/api/v1/tasks/{task['id']}/{verb}", body)
    assert answer.status_code == 200, answer.json()
    assert statements.count("who") == times


def test_what_is_undoable_is_held_back_and_undone(api, ask):
    task = ask(undo_seconds=30)
    path = f"/api/v1/tasks/{task['id']}"
    held = api.post(f"{path}/complete", {"outcome": "approved", "undoable": True})
    assert (held.status_code, held.json()["status"], held.json()["held"]["outcome"]) == (
        200,
        "OPEN",
        "approved",
    )
    assert api.post(f"{path}/undo", {}).json()["held"] is None
    gone = api.post(f"{path}/undo", {})
    assert (gone.status_code, gone.json()["error"]["code"]) == (409, "nothing_to_undo")
    assert api.post(f"{path}/complete", {"outcome": "approved"}).json()["status"] == "COMPLETED"
