"""A signal finds its step below the run from each door: REST, key, broadcast, start, webhook, `/v1/`, page (R-125)."""

import pytest
from django.test import Client

from integrations.orchestration import ids
from lib.uuid7 import uuid7
from runs.models import Run, StepExecution
from tests import factories as make
from tests.api.hooks import SIGNAL, publish
from tests.webhooks import Sender

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

PAID = {"id": "paid", "type": "signal", "params": {"name": "paid"}}
STEPS = {"steps": [{"id": "x", "type": "noop"}, PAID]}
KEY = {"business_key": "{{ input.order }}"}
CHILD = {"name": "payment", "nodes": [PAID]}
SUB = {"id": "sub", "type": "subworkflow", "params": {"workflow": "payment"}}
SHAPES = {
    "loop": [{"id": "c", "type": "loop", "params": {"body": STEPS, "count": 1}}],
    "map": [{"id": "c", "type": "map", "params": {"items": "{{ input.items }}", "body": STEPS}}],
    "subworkflow": [SUB],
    "child of a child": [
        {"id": "c", "type": "map", "params": {"items": "{{ input.items }}", "body": {"steps": [SUB]}}}
    ],
}


def order(api, shape="map"):
    publish(api, CHILD)
    publish(api, {"name": "order", "nodes": SHAPES[shape], **KEY})


def started(api, items=(1,), key="o-1"):
    body = {"workflow": "order", "input": {"order": key, "items": [*items]}}
    run = api.post("/api/v1/runs", body).json()["id"]
    make.work()
    return run


def by_run(api, run):
    answer = api.post(f"/api/v1/runs/{run}/signals", {"name": "paid", "signal_id": "s", "payload": 1})
    assert (answer.status_code, answer.json()["kept"]) == (202, False)


def by_key(api, run):
    body = {"name": "paid", "signal_id": "s", "payload": 1, "workflow": "order", "business_key": "o-1"}
    answer = api.post("/api/v1/signals", body).json()
    assert (answer["run_id"], len(answer["delivered"])) == (run, 1)


def by_broadcast(api, run):
    body = {"name": "paid", "signal_id": "s", "payload": 1, "business_key": "o-1"}
    answer = api.post("/api/v1/signals/broadcast", body).json()
    assert answer == {"sent": 1, "duplicates": 0, "refused": [], "next": None}


def by_start(api, run):
    body = {"workflow": "order", "input": {"order": "o-1", "items": [1]}}
    signal = {"name": "paid", "signal_id": "s", "payload": 1}
    answer = api.post("/api/v1/runs", {**body, "signal": signal}).json()
    assert (answer["id"], answer["signal"]["kept"], len(answer["signal"]["delivered"])) == (run, False, 1)


def by_orchestration(api, run):
    body = {"signalName": "paid", "signalId": "s", "payload": 1}
    assert api.post(f"/v1/workflows/{ids.shown_run(run)}/signals", body).json()["signalProcessed"] is True


def by_webhook(api, run):
    mapping = SIGNAL | {"payload": "{{ body.amount }}"}
    hook = {"name": "shop", "workflow": "order", "action": "signal", "mapping": mapping}
    made = api.post("/api/v1/webhooks", hook).json()
    answer = Sender(Client(enforce_csrf_checks=True), made).send({"order": "o-1", "amount": 1})
    assert (answer.status_code, answer.json()["run_id"], answer.json()["kept"]) == (202, run, False)


def by_page(api, run):
    client = Client()
    client.force_login(make.a_member("op", "operator", "ours"))
    sent = client.post(f"/runs/{run}/signal", {"name": "paid", "payload": "1"}, follow=True)
    assert "The signal paid was sent." in sent.text


DOORS = [by_run, by_key, by_broadcast, by_start, by_orchestration, by_webhook, by_page]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_from_each_door_a_signal_finds_its_step(api, door, shape):
    order(api, shape)
    run = started(api)
    door(api, run)
    make.work()
    assert api.get(f"/api/v1/runs/{run}").json()["status"] == "COMPLETED"
    assert {step.output for step in StepExecution.unsafe_all_tenants.filter(node="paid")} == {1}


def test_the_answer_says_where_a_signal_went_or_that_it_is_kept(api):
    order(api)
    run = started(api, (1, 2))
    below = [str(one.pk) for one in make.children_of(run)]
    path = f"/api/v1/runs/{run}/signals"

    def sent(**more):
        answer = api.post(path, {"name": "paid", "signal_id": uuid7(), **more})
        assert answer.status_code == 202, answer.json()
        return answer.json()

    assert sent(index=1)["delivered"] == [{"run": below[1], "node": "paid", "index": 1}]
    assert sent(child=below[0])["delivered"] == [{"run": below[0], "node": "paid", "index": 0}]
    later = sent(name="later", all=True)
    assert (later["delivered"], later["kept"]) == ([], True)


@pytest.mark.parametrize(
    ("address", "status", "code", "field"),
    [
        ({"child": "x"}, 400, "invalid", "child"),
        ({"child": "00000000-0000-0000-0000-000000000000"}, 404, "not_found", "child"),
        ({"index": -1}, 400, None, "index"),
        ({"index": "1"}, 400, None, "index"),
        ({"index": 7}, 409, "no_such_item", "index"),
        ({"all": 1}, 400, None, "all"),
    ],
)
def test_an_address_that_fits_nothing_is_refused_by_name(api, address, status, code, field):
    order(api)
    run = started(api)
    answer = api.post(f"/api/v1/runs/{run}/signals", {"name": "paid", "signal_id": "s", **address})
    error = answer.json()["error"]
    assert (answer.status_code, error["field"]) == (status, field)
    assert code is None or error["code"] == code


@pytest.mark.parametrize("index", [0, 9])
def test_a_round_that_is_over_or_never_comes_is_refused_by_run_and_by_key(api, index):
    rounds = {"id": "c", "type": "loop", "params": {"body": STEPS, "count": 3}}
    publish(api, {"name": "order", "nodes": [rounds], **KEY})
    run = started(api)
    body = {"name": "paid", "signal_id": "s"}
    assert api.post(f"/api/v1/runs/{run}/signals", {**body, "index": 0}).json()["kept"] is False
    make.work()
    by_key = {"workflow": "order", "business_key": "o-1"}
    for path, more in ((f"/api/v1/runs/{run}/signals", {}), ("/api/v1/signals", by_key)):
        answer = api.post(path, {**body, **more, "signal_id": "t", "index": index})
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "no_such_item")


def test_a_signal_that_nobody_waits_for_is_not_processed(api):
    order(api)
    run = started(api)
    body = {"signalName": "later", "signalId": "s"}
    assert api.post(f"/v1/workflows/{ids.shown_run(run)}/signals", body).json()["signalProcessed"] is False


def test_a_child_run_shows_the_business_key_and_is_not_taken_for_its_root(api):
    order(api, "subworkflow")
    run = started(api)
    (child,) = Run.unsafe_all_tenants.filter(parent_id=run)
    assert api.get(f"/api/v1/runs/{child.pk}").json()["business_key"] == "o-1"
    body = {"name": "paid", "signal_id": "s", "workflow": "payment", "business_key": "o-1"}
    assert api.post("/api/v1/signals", body).status_code == 404
