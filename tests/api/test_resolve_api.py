"""Resolving a failed compensation over REST: what it answers, and what it refuses and how (R-140, R-256)."""

import pytest

from lib import named_sql
from tests import factories as make
from tests.inbox.asking import booking, undo_the_rest

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture
def stuck(api):
    """The task of a run that couldn't undo what it did."""
    definition = booking() | {"name": "booking"}
    assert api.post("/api/v1/workflows", {"name": "booking", "definition": definition}).status_code == 201
    assert api.post("/api/v1/workflows/booking/publish", {}).status_code == 201
    run = api.post("/api/v1/runs", {"workflow": "booking", "business_key": "B-7", "input": {}}).json()
    for queue in ("reserve", "charge"):
        make.complete(*make.claimed(queue), output={"of": queue})
    for queue in ("tell", "undo"):
        make.fail(*make.claimed(queue), code="Down")
    (task,) = api.get(f"/api/v1/tasks?run={run['id']}").json()["results"]
    return task


def path(task, verb="resolve"):
    return f"/api/v1/tasks/{task['id']}/{verb}"


@pytest.mark.parametrize(
    ("resolution", "ends"), [("retry", "COMPENSATED"), ("done", "COMPENSATED"), ("abandon", "FAILED")]
)
def test_an_operator_resolves_it_and_the_run_ends_as_was_said(api, people, stuck, resolution, ends):
    assert (stuck["kind"], stuck["status"], stuck["may_decide"]) == ("compensation", "OPEN", True)
    facts = api.get(f"/api/v1/tasks/{stuck['id']}").json()["facts"]
    assert {"label": "Business key", "value": "B-7"} in facts
    body = {"resolution": resolution, "reason": "seen to"}
    done = people.client("operator").post(path(stuck), body)
    assert done.status_code == 200, done.json()
    told = {key: done.json()[key] for key in ("status", "outcome", "decided_by", "comment", "may_decide")}
    assert told == {
        "status": "COMPLETED",
        "outcome": resolution,
        "decided_by": "operator-of-ours",
        "comment": "seen to",
        "may_decide": False,
    }
    undo_the_rest()
    assert api.get(f"/api/v1/runs/{stuck['run_id']}").json()["status"] == ends


def test_who_resolves_it_is_looked_up_once(api, stuck, monkeypatch):
    statements = []
    monkeypatch.setattr(named_sql, "watchers", [statements.append])
    assert api.post(path(stuck), {"resolution": "done"}).status_code == 200
    assert statements.count("who") == 1


def test_a_reason_is_not_needed(api, stuck):
    assert api.post(path(stuck), {"resolution": "done"}).json()["comment"] == ""


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "resolution"),
        ({"resolution": "ignore"}, "resolution"),
        ({"resolution": "done", "outcome": "done"}, "outcome"),
        ({"resolution": "done", "reason": 5}, "reason"),
        ({"resolution": "done", "reason": "x" * 2001}, "reason"),
    ],
)
def test_what_does_not_fit_names_its_field(api, stuck, body, field):
    answer = api.post(path(stuck), body)
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)


def test_who_comes_second_gets_a_409_with_who_and_how(api, people, stuck):
    assert people.client("operator").post(path(stuck), {"resolution": "done"}).status_code == 200
    error = api.post(path(stuck), {"resolution": "retry"})
    assert (error.status_code, error.json()["error"]["code"]) == (409, "decided_already")
    details = error.json()["error"]["details"]
    assert (details["decided_by"], details["outcome"]) == ("operator-of-ours", "done")


def test_who_may_not_and_what_is_none_is_refused(api, people, stuck):
    body = {"resolution": "done"}
    answer = people.client("approver").post(path(stuck), body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "not_a_candidate")
    answer = people.client("viewer").post(path(stuck), body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "forbidden")
    assert people.client("admin", "theirs").post(path(stuck), body).status_code == 404
    asks = {"id": "ask", "type": "human.approval", "params": {"title": "Refund?"}}
    definition = {"name": "ask", "nodes": [asks], "edges": []}
    api.post("/api/v1/workflows", {"name": "ask", "definition": definition})
    api.post("/api/v1/workflows/ask/publish", {})
    api.post("/api/v1/runs", {"workflow": "ask", "input": {}})
    make.work("engine")
    (approval,) = api.get("/api/v1/tasks?workflow=ask").json()["results"]
    answer = api.post(path(approval), body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "not_a_compensation")
    assert api.get(f"/api/v1/tasks/{stuck['id']}").json()["status"] == "OPEN"


def test_the_other_verbs_of_tasks(api, people, stuck):
    answer = api.post(path(stuck, "complete"), {"outcome": "done"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "is_a_compensation")
    assert "/resolve" in answer.json()["error"]["message"]
    operator = people.client("operator")
    assert operator.post(path(stuck, "claim"), {}).json()["assignee"] == "operator-of-ours"
    answer = api.post(path(stuck), {"resolution": "done"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "claimed")
    assert operator.post(path(stuck, "unclaim"), {}).json()["assignee"] is None
    assert api.post(path(stuck), {"resolution": "done"}).status_code == 200


def test_a_redriven_dead_letter_closes_it(api, people, stuck):
    (letter,) = [
        one for one in api.get("/api/v1/dead-letters").json()["results"] if one["node"] == stuck["node"]
    ]
    assert (
        people.client("operator").post(f"/api/v1/dead-letters/{letter['id']}/redrive", {}).status_code == 202
    )
    task = api.get(f"/api/v1/tasks/{stuck['id']}").json()
    assert (task["status"], task["outcome"], task["decided_by"]) == ("COMPLETED", "retry", "operator-of-ours")
