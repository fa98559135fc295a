"""The routes under /v1/: what clients of an orchestration platform were told to send is sent here, letter by letter."""

import json
import re
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from integrations.orchestration import ids
from lib.uuid7 import uuid7
from runs.models import Run, StartedFrom, StepExecution
from tests import factories as make
from tests.altered import altered
from tests.api.hooks import publish
from workflows.versions.examples import examples

pytestmark = pytest.mark.django_db

# The examples of the source, as they stand there.
START = """{
  "workflowType": "order_fulfillment",
  "tenantId": "tenant_1120a",
  "businessKey": "order_uuid_9921c",
  "input": {
    "orderId": "order_uuid_9921c",
    "customerId": "cust_88291",
    "amountCents": 15000
  }
}"""
STARTED = """{
  "workflowId": "wf_exec_001a2b3c",
  "status": "RUNNING",
  "currentState": "STARTED",
  "createdAt": "2026-06-07T11:26:00Z"
}"""
SIGNAL = """{
  "signalName": "payment_webhook_received",
  "signalId": "sig_uniq_7761a",
  "payload": {
    "paymentStatus": "SUCCESS",
    "transactionId": "txn_88192a"
  }
}"""
SIGNALLED = """{
  "workflowId": "wf_exec_001a2b3c",
  "signalProcessed": true
}"""
POLL = """{
  "workerId": "worker_host_08a",
  "taskQueue": "order_processing_queue"
}"""
POLLED = """{
  "taskId": "task_99182a",
  "workflowId": "wf_exec_001a2b3c",
  "activityType": "charge_credit_card",
  "input": {
    "customerId": "cust_88291",
    "amountCents": 15000
  },
  "attemptLimit": 5,
  "leaseDurationSeconds": 30
}"""
ORDER = {
    "name": "order_fulfillment",
    "nodes": [
        {
            "id": "charge_credit_card",
            "type": "job",
            "queue": "order_processing_queue",
            "retry": {"max_retries": 4, "base_seconds": 0, "jitter": 0},
            "params": {
                "customerId": "{{ input.customerId }}",
                "amountCents": "{{ input.amountCents }}",
            },
        },
        {"id": "await_payment", "type": "signal", "params": {"name": "payment_webhook_received"}},
    ],
    "edges": [{"from": "charge_credit_card", "to": "await_payment"}],
}


@pytest.fixture
def shop(people):
    """A client of the examples' tenant, which has the workflow."""
    client = people.client("admin", tenant="tenant_1120a")
    publish(client, ORDER)
    return client


@pytest.fixture
def worker(people):
    return people.client("worker", tenant="tenant_1120a")


def post(client, path, text):
    return client.generic("POST", f"/v1{path}", text.encode(), content_type="application/json")


def shape(value):
    """The fields of an answer with the types of what is in them."""
    if isinstance(value, dict):
        return {name: shape(inner) for name, inner in value.items()}
    return type(value).__name__


def started(client, text=START):
    answer = post(client, "/workflows", text)
    assert answer.status_code == 201, answer.json()
    return answer.json()["workflowId"]


def polled(client):
    answer = post(client, "/activities/poll", POLL)
    assert answer.status_code == 200, answer.content
    return answer.json()


def say(client, verb, task, **more):
    return post(client, f"/activities/{verb}", json.dumps({"taskId": task, **more}))


def test_the_example_of_a_start(shop):
    answer = post(shop, "/workflows", START)
    row = answer.json()
    assert answer.status_code == 201
    assert shape(row) == shape(json.loads(STARTED))
    assert (row["status"], row["currentState"]) == ("RUNNING", "STARTED")
    assert re.fullmatch(r"wf_exec_[0-9a-v]{26}", row["workflowId"])
    assert row["createdAt"].endswith("Z")
    assert abs(datetime.fromisoformat(row["createdAt"]) - datetime.now(UTC)) < timedelta(minutes=5)
    assert answer.headers["Location"] == f"/v1/workflows/{row['workflowId']}"


def test_the_example_of_a_start_again_is_the_same_execution(shop):
    first = post(shop, "/workflows", START).json()
    again = post(shop, "/workflows", START)
    assert (again.status_code, again.json()["workflowId"]) == (200, first["workflowId"])
    other = json.loads(START) | {"input": {}}
    mismatch = post(shop, "/workflows", json.dumps(other))
    assert (mismatch.status_code, mismatch.json()["inputMismatch"]) == (200, True)


def test_the_examples_of_a_poll_and_of_a_signal_and_all_between(shop, worker):
    workflow = started(shop)
    assert Run.unsafe_all_tenants.get().started_from == StartedFrom.ORCHESTRATION
    task = polled(worker)
    example = json.loads(POLLED)
    assert {name: shape(task[name]) for name in example} == shape(example)
    told = {name: task[name] for name in example if name not in ("taskId", "workflowId")}
    assert told == {name: example[name] for name in told}
    assert task["workflowId"] == workflow
    assert post(worker, "/activities/poll", POLL).status_code == 204

    beat = say(worker, "heartbeat", task["taskId"], workerId="worker_host_08a").json()
    assert (beat["applied"], beat["cancelRequested"]) == (True, False)
    done = say(worker, "complete", task["taskId"], result={"charge": "ch_1"})
    assert (done.status_code, done.json()) == (200, {"taskId": task["taskId"], "applied": True})
    make.work("engine")
    seen = shop.get(f"/v1/workflows/{workflow}").json()
    assert (seen["status"], seen["currentState"]) == ("WAITING", "await_payment")
    assert seen["context"] == {"charge_credit_card": {"charge": "ch_1"}}

    answer = post(shop, f"/workflows/{workflow}/signals", SIGNAL)
    assert (answer.status_code, shape(answer.json())) == (200, shape(json.loads(SIGNALLED)))
    assert answer.json() == {"workflowId": workflow, "signalProcessed": True}
    again = post(shop, f"/workflows/{workflow}/signals", SIGNAL)
    assert (again.status_code, again.json()["duplicate"]) == (200, True)
    make.work("engine")
    ended = shop.get(f"/v1/workflows/{workflow}").json()
    assert (ended["status"], ended["currentState"]) == ("SUCCEEDED", "COMPLETED")
    assert (ended["workflowType"], ended["tenantId"]) == ("order_fulfillment", "tenant_1120a")
    assert ended["output"] == json.loads(SIGNAL)["payload"]


def test_an_attempt_that_failed_is_followed_by_another_and_its_worker_has_no_say_any_more(shop, worker):
    started(shop)
    first = polled(worker)
    failed = say(worker, "fail", first["taskId"], errorMessage="The bank is away.")
    assert (failed.status_code, failed.json()["applied"]) == (200, True)
    second = polled(worker)
    assert (second["attempt"], second["attemptLimit"]) == (2, 5)
    assert second["idempotencyKey"] == first["idempotencyKey"]
    assert second["taskId"] != first["taskId"]
    late = say(worker, "complete", first["taskId"], result="late")
    assert (late.status_code, late.json()["applied"], late.json()["reason"]) == (200, False, "lease_lost")
    assert say(worker, "complete", second["taskId"]).json()["applied"]


@pytest.mark.parametrize(
    ("verb", "more"), [("complete", {}), ("fail", {"errorMessage": "No."}), ("heartbeat", {})]
)
def test_a_task_id_with_an_altered_lease_has_no_say(shop, worker, verb, more):
    started(shop)
    task = polled(worker)["taskId"]
    job, token = ids.task_named(task)
    for forged in altered(token):
        answer = say(worker, verb, ids.shown_task(job, forged), **more)
        assert (answer.status_code, answer.json()["applied"]) == (200, False)
    assert say(worker, verb, task, **more).json()["applied"]


def test_a_failure_that_no_attempt_would_mend_ends_it(shop, worker):
    workflow = started(shop)
    say(
        worker,
        "fail",
        polled(worker)["taskId"],
        errorMessage="No such card.",
        errorCode="Card",
        retryable=False,
    )
    seen = shop.get(f"/v1/workflows/{workflow}").json()
    assert (seen["status"], seen["error"]["code"]) == ("FAILED", "Card")
    ended = post(shop, f"/workflows/{workflow}/signals", SIGNAL)
    assert (ended.status_code, ended.json()["error"]["code"]) == (409, "run_ended")


def test_another_tenant_is_not_there(shop, people):
    text = START.replace("tenant_1120a", "tenant_other")
    people.client("admin", tenant="tenant_other")
    answer = post(shop, "/workflows", text)
    assert (answer.status_code, answer.json()["error"]["field"]) == (404, "tenantId")
    stranger = people.client("admin", tenant="tenant_other")
    workflow = started(shop)
    assert stranger.get(f"/v1/workflows/{workflow}").status_code == 404
    assert post(stranger, f"/workflows/{workflow}/signals", SIGNAL).status_code == 404
    task = polled(people.client("worker", tenant="tenant_1120a"))["taskId"]
    for verb, more in (("complete", {}), ("fail", {"errorMessage": ""}), ("heartbeat", {})):
        answer = say(people.client("worker", tenant="tenant_other"), verb, task, **more)
        assert answer.status_code == 404, verb
    assert StepExecution.unsafe_all_tenants.get(node="charge_credit_card").status == "RUNNING"


def test_who_may_start_and_not_read_is_told_the_id(shop, people):
    starter = people.client("admin", tenant="tenant_1120a", scopes=frozenset({"runs:start"}))
    answer = post(starter, "/workflows", START)
    assert (answer.status_code, set(answer.json())) == (201, {"workflowId"})


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/workflows", {"workflowType": "order_fulfillment"}, "input"),
        ("/workflows", {"workflowType": "order_fulfillment", "input": {}, "version": 1}, "version"),
        ("/activities/poll", {"workerId": "w"}, "taskQueue"),
        ("/activities/poll", {"workerId": "w", "taskQueue": "default"}, "taskQueue"),
        ("/activities/complete", {"result": 1}, "taskId"),
        ("/activities/fail", {"taskId": "task_x"}, "errorMessage"),
    ],
)
def test_a_bad_body_is_refused_by_the_name_of_its_field(people, shop, path, body, field):
    client = shop if path == "/workflows" else people.client("worker", tenant="tenant_1120a")
    answer = post(client, path, json.dumps(body))
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)


@pytest.mark.parametrize("name", ["wf_exec_1", "wf_exec_" + "0" * 27, "nothing", "wf_exec_" + "V" * 26, "é"])
def test_an_id_that_is_none_is_not_found(shop, name):
    assert shop.get(f"/v1/workflows/{name}").status_code == 404


def test_a_bare_uuid_will_do(shop):
    workflow = started(shop)
    bare = ids.run_named(workflow)
    assert shop.get(f"/v1/workflows/{bare}").json()["workflowId"] == workflow


def test_what_is_no_route_is_said_in_json(shop):
    answer = shop.get("/v1/nothing")
    assert (answer.status_code, answer.json()) == (
        404,
        {"error": "not-found", "reason": "There is no such route."},
    )


def test_an_execution_says_when_anything_last_happened_to_it(shop, worker):
    workflow = started(shop)
    first = shop.get(f"/v1/workflows/{workflow}").json()
    assert first["createdAt"] <= first["updatedAt"]
    say(worker, "complete", polled(worker)["taskId"], result={})
    second = shop.get(f"/v1/workflows/{workflow}").json()
    assert second["updatedAt"] > first["updatedAt"]


ACTIVITY = {
    "id": "charge_credit_card",
    "type": "job",
    "taskQueue": "order_processing_queue",
    "attemptLimit": 5,
    "leaseDurationSeconds": 40,
    "compensate": {"type": "job", "name": "refund_payment", "taskQueue": "refunds", "attemptLimit": 2},
}


@pytest.mark.parametrize("shape", ["nodes", "steps"])
def test_options_of_activities_and_the_name_of_what_undoes_one(people, worker, shape):
    shop = people.client("admin", tenant="tenant_1120a")
    stop = {"id": "stop", "type": "job", "queue": "stops", "attemptLimit": 1}
    chain = {"edges": [{"from": ACTIVITY["id"], "to": "stop"}]} if shape == "nodes" else {}
    publish(shop, {"name": "order_fulfillment", shape: [ACTIVITY, stop], **chain})
    started(shop)
    task = polled(worker)
    assert {name: task[name] for name in ("taskQueue", "attemptLimit", "leaseDurationSeconds")} == {
        "taskQueue": "order_processing_queue",
        "attemptLimit": 5,
        "leaseDurationSeconds": 40,
    }
    say(worker, "complete", task["taskId"], result={})
    stopped = post(worker, "/activities/poll", json.dumps({"workerId": "w", "taskQueue": "stops"})).json()
    assert stopped["attemptLimit"] == 1
    say(worker, "fail", stopped["taskId"], errorMessage="no", retryable=False)
    make.work()
    undo = post(worker, "/activities/poll", json.dumps({"workerId": "w", "taskQueue": "refunds"})).json()
    assert (undo["activityType"], undo["attemptLimit"]) == ("refund_payment", 2)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"queue": "other"}, "nodes[0].taskQueue"),
        ({"lease_seconds": 3}, "nodes[0].leaseDurationSeconds"),
        ({"retry": "none"}, "nodes[0].attemptLimit"),
        ({"attemptLimit": 0}, "nodes[0].attemptLimit"),
        ({"attemptLimit": True}, "nodes[0].attemptLimit"),
        ({"compensate": {"type": "job", "attemptLimit": "2"}}, "nodes[0].compensate.attemptLimit"),
    ],
)
def test_options_that_contradict_each_other_are_refused_at_their_place(shop, change, field):
    definition = {"name": "orders", "nodes": [ACTIVITY | change]}
    assert shop.post("/api/v1/workflows", {"name": "orders", "definition": definition}).status_code == 201
    answer = shop.post("/api/v1/workflows/orders/publish", {})
    assert answer.status_code == 422, answer.json()
    assert field in json.dumps(answer.json())


def test_the_shipped_order_fulfilment_takes_the_first_request_as_it_is_printed(people):
    shop = people.client("admin", tenant="tenant_1120a")
    shipped = next(one.definition for one in examples() if one.name == "order_fulfillment")
    publish(shop, shipped)
    answer = post(shop, "/workflows", START)
    assert answer.status_code == 201, answer.json()
    assert Run.unsafe_all_tenants.get().business_key == "order_uuid_9921c"


@given(st.uuids(), st.text("abc.-_XYZ09", min_size=1, max_size=90))
def test_ids_go_to_and_fro(value, token):
    assert ids.run_named(ids.shown_run(value)) == value
    assert ids.task_named(ids.shown_task(value, token)) == (value, token)


@given(st.text(max_size=60) | st.from_regex(r"(wf_exec_|task_)[0-9a-v]{24,28}(_x)?", fullmatch=True))
def test_an_id_is_written_in_one_way_only(text):
    run, task = ids.run_named(text), ids.task_named(text)
    assert run is None or text in (ids.shown_run(run), str(run))
    assert task is None or text == ids.shown_task(*task)


def test_ids_sort_as_runs_do():
    runs = sorted(UUID(uuid7()) for _ in range(50))
    assert sorted(map(ids.shown_run, runs)) == [ids.shown_run(run) for run in runs]
    assert ids.run_named(str(uuid4()).upper()) is None
