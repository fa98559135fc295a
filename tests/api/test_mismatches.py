"""The same key or id with another body: never done twice, and never told as if it were the same."""

import pytest
from django.test import Client

from runs.models import Run, Signal
from tests import factories as make
from tests.api.hooks import ORDER, make_hook, order, publish, run, sender
from tests.webhooks import Sender

__all__ = ["make_hook", "order", "run", "sender"]
pytestmark = pytest.mark.django_db

RUNS = "/api/v1/runs"
SIGNAL = {"name": "paid", "signal_id": "evt_1", "payload": {"amount": 40}}
PAID = {"order": "o-1", "amount": 40}


def mismatch(answer, code, field):
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["field"]) == (409, code, field)


def test_a_start_with_a_known_key_and_another_input_says_so(api, order):
    body = {"workflow": "order", "business_key": "k", "input": {"order": "o-1"}}
    first = api.post(RUNS, body).json()
    answers = [api.post(RUNS, body | {"input": {"order": other}}) for other in ("o-1", "o-2")]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert [answer.json()["id"] for answer in answers] == [first["id"]] * 2
    assert [answer.json().get("input_mismatch") for answer in answers] == [None, True]
    refused = api.post(RUNS, body | {"if_exists": "error"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "run_exists")


def test_a_signal_with_the_start_of_a_run_that_is_there(api, order):
    body = {"workflow": "order", "business_key": "k", "input": {"order": "o-1"}, "signal": SIGNAL}
    api.post(RUNS, body)
    other = api.post(RUNS, body | {"input": {"order": "o-2"}})
    assert (other.status_code, other.json()["input_mismatch"]) == (200, True)
    mismatch(api.post(RUNS, body | {"signal": SIGNAL | {"payload": {}}}), "signal_mismatch", "signal_id")
    assert Signal.unsafe_all_tenants.count() == 1


def test_a_batch_says_of_each_run_whether_its_input_was_another_one(api, order):
    items = [{"business_key": key, "input": {"order": 1}} for key in ("a", "b")]
    batch = {"workflow": "order", "items": items}
    assert [set(run) for run in api.post(f"{RUNS}/batch", batch).json()["runs"]] == [
        {"id", "business_key", "created"}
    ] * 2
    items = [
        {"business_key": "a", "input": {"order": 1.0}},
        {"business_key": "b", "input": {"order": 2}},
        {"business_key": "c", "input": None},
        {"business_key": "c", "input": None},
        {"business_key": "c", "input": {"order": 3}},
    ]
    again = api.post(f"{RUNS}/batch", {"workflow": "order", "items": items}).json()["runs"]
    assert [run["created"] for run in again] == [False, False, True, False, False]
    assert [run.get("input_mismatch") for run in again] == [None, True, None, None, True]
    assert Run.unsafe_all_tenants.count() == 3


@pytest.mark.parametrize("change", [{"payload": {"amount": 41}}, {"payload": None}, {"name": "sent"}])
def test_a_signal_id_with_another_message_is_refused_also_after_the_end(api, run, change):
    path = f"{RUNS}/{run}/signals"
    assert api.post(path, SIGNAL).status_code == 202
    mismatch(api.post(path, SIGNAL | change), "signal_mismatch", "signal_id")
    make.work()
    assert make.run(run).status == "COMPLETED"
    mismatch(api.post(path, SIGNAL | change), "signal_mismatch", "signal_id")
    assert api.post(path, SIGNAL | {"payload": {"amount": 40.0}}).json()["duplicate"] is True
    by_key = {"workflow": "order", "business_key": "o-1"}
    mismatch(api.post("/api/v1/signals", SIGNAL | by_key | change), "signal_mismatch", "signal_id")
    assert Signal.unsafe_all_tenants.count() == 1


def test_a_webhook_message_with_the_id_of_another_one_is_refused(sender, run):
    assert sender.send(PAID, message_id="msg_1").status_code == 202
    assert sender.send(dict(reversed(PAID.items())), message_id="msg_1").json() == {"duplicate": True}
    mismatch(sender.send(PAID | {"amount": 41}, message_id="msg_1"), "message_mismatch", "webhook-id")
    assert Signal.unsafe_all_tenants.get().payload == {"amount": 40}


def test_two_webhook_messages_that_are_one_signal_with_two_payloads(make_hook, run):
    mapping = {
        "business_key": "o-1",
        "signal_name": "paid",
        "signal_id": "{{ body.id }}",
        "payload": "{{ body.amount }}",
    }
    hook = Sender(Client(), make_hook(mapping=mapping))
    assert hook.send({"id": "e-1", "amount": 1}, message_id="a").status_code == 202
    again = {"id": "e-1", "amount": 2}
    mismatch(hook.send(again, message_id="b"), "signal_mismatch", "signal_id")


def test_a_webhook_that_starts_says_that_the_run_was_there_with_another_input(make_hook):
    hook = Sender(Client(), make_hook(action="start", mapping={}))
    first = hook.send({"order": "o-7"}, message_id="a").json()
    same = hook.send({"order": "o-7"}, message_id="b").json()
    other = hook.send({"order": "o-7", "more": 1}, message_id="c").json()
    assert first == {"duplicate": False, "run_id": first["run_id"], "created": True}
    assert same == first | {"created": False}
    assert other == same | {"input_mismatch": True}


def test_a_key_that_the_definition_makes_is_one_too(api):
    publish(api, ORDER)
    answers = [
        api.post(RUNS, {"workflow": "order", "input": {"order": "o-1", "n": number}}).json()
        for number in range(2)
    ]
    assert answers[1]["id"] == answers[0]["id"]
    assert answers[1]["input_mismatch"] is True
