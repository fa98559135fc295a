"""Signals over REST: 202, 200 for a duplicate, 409 for a run that is over, by run or by business key (R-125, R-131)."""

import pytest

from tests import factories as make

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

SIGNAL = {"name": "paid", "signal_id": "evt_1", "payload": {"amount": 40}}


@pytest.fixture
def waiting(api):
    """A workflow whose only step waits to be paid."""
    nodes = [{"id": "paid", "type": "signal", "params": {"name": "paid", "timeout_seconds": 3600}}]
    definition = {"name": "order", "nodes": nodes, "business_key": "{{ input.order }}"}
    assert api.post("/api/v1/workflows", {"name": "order", "definition": definition}).status_code == 201
    assert api.post("/api/v1/workflows/order/publish", {}).status_code == 201


def test_a_signal_is_taken_once_and_the_run_says_what_it_waits_for(api, waiting):
    run = api.post("/api/v1/runs", {"workflow": "order", "input": {"order": "o-1"}}).json()
    make.work()
    shown = api.get(f"/api/v1/runs/{run['id']}").json()
    assert shown["status"] == "WAITING"
    assert shown["waiting_for"].startswith(
        "Wait for a signal (paid) waits for the signal paid, at most until "
    )
    path = f"/api/v1/runs/{run['id']}/signals"
    first, again = api.post(path, SIGNAL), api.post(path, SIGNAL)
    went = {"delivered": [{"run": run["id"], "node": "paid", "index": None}], "kept": False}
    assert (first.status_code, first.json()) == (202, {"run_id": run["id"], "duplicate": False, **went})
    assert (again.status_code, again.json()) == (200, {"run_id": run["id"], "duplicate": True, **went})
    assert api.get(f"/api/v1/runs/{run['id']}").json()["output"] == {"amount": 40}
    late = api.post(path, SIGNAL | {"signal_id": "evt_2"})
    assert (late.status_code, late.json()["error"]["code"]) == (409, "run_ended")


def test_a_signal_finds_its_run_by_business_key(api, waiting):
    run = api.post("/api/v1/runs", {"workflow": "order", "input": {"order": "o-1"}}).json()
    sent = api.post("/api/v1/signals", SIGNAL | {"workflow": "order", "business_key": "o-1"})
    assert (sent.status_code, sent.json()["run_id"]) == (202, run["id"])
    make.work()
    assert api.get(f"/api/v1/runs/{run['id']}").json()["status"] == "COMPLETED"
    for wrong in ({"workflow": "order", "business_key": "o-2"}, {"workflow": "none", "business_key": "o-1"}):
        assert api.post("/api/v1/signals", SIGNAL | wrong).status_code == 404


def test_a_start_brings_its_signal_whether_the_run_is_new_or_not(api, waiting):
    body = {"workflow": "order", "input": {"order": "o-1"}}
    first = api.post("/api/v1/runs", body | {"signal": {"name": "other", "signal_id": "a"}})
    again = api.post("/api/v1/runs", body | {"signal": SIGNAL})
    third = api.post("/api/v1/runs", body | {"signal": SIGNAL})
    assert [first.status_code, again.status_code, third.status_code] == [201, 200, 200]
    make.work()
    assert api.get(f"/api/v1/runs/{first.json()['id']}").json()["output"] == {"amount": 40}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": ""}, "name"),
        ({"signal_id": None}, "signal_id"),
        ({"else": 1}, "else"),
        ({"name": "x" * 201}, "name"),
    ],
)
def test_what_is_no_signal_is_refused_by_name(api, waiting, change, field):
    run = api.post("/api/v1/runs", {"workflow": "order", "input": {"order": "o-1"}}).json()
    answer = api.post(f"/api/v1/runs/{run['id']}/signals", SIGNAL | change)
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)
