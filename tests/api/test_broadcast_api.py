"""One signal for every run that it concerns (R-131): by workflow, business key and input, a part at a time, once."""

import logging

import pytest

from runs.commands import broadcast
from runs.models import Run, Signal
from tests import factories as make
from tests.api.hooks import publish
from workflows.models import Workflow

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

URL = "/api/v1/signals/broadcast"
SIGNAL = {"name": "paid", "signal_id": "evt_1", "payload": {"amount": 40}}


def waits(name):
    """A workflow whose only step waits to be paid."""
    nodes = [{"id": "paid", "type": "signal", "params": {"name": "paid", "timeout_seconds": 3600}}]
    return {"name": name, "nodes": nodes, "business_key": "{{ input.key }}"}


def started(api, workflow, *inputs):
    """A run for each input, in their order."""
    if not Workflow.unsafe_all_tenants.filter(name=workflow).exists():
        publish(api, waits(workflow))
    answers = [api.post("/api/v1/runs", {"workflow": workflow, "input": one}) for one in inputs]
    make.work()
    return [answer.json()["id"] for answer in answers]


def sent(api, **more):
    answer = api.post(URL, {**SIGNAL, **more})
    assert answer.status_code == 200, answer.json()
    return answer.json()


def reached():
    return {str(run) for run in Signal.unsafe_all_tenants.values_list("run_id", flat=True)}


def told(sent, duplicates=0, following=None):
    return {"sent": sent, "duplicates": duplicates, "refused": [], "next": following}


def test_all_open_runs_of_a_workflow_are_sent_a_signal_once(api, caplog):
    runs = started(api, "order", {"key": "a"}, {"key": "b"})
    started(api, "other", {"key": "a"})
    with caplog.at_level(logging.INFO, "handoff.audit"):
        assert sent(api, workflow="order", reason="the bank says so") == told(2)
    assert "signal paid (evt_1) to 2 runs by " in caplog.text
    assert "the bank says so" in caplog.text
    assert reached() == {*runs}
    make.work()
    assert {run.output["amount"] for run in Run.unsafe_all_tenants.filter(pk__in=runs)} == {40}
    # They have ended: it concerns nobody any more.
    assert sent(api, workflow="order") == told(0)


def test_a_business_key_is_looked_for_in_every_workflow(api):
    runs = [*started(api, "order", {"key": "a"}, {"key": "b"}), *started(api, "other", {"key": "a"})]
    assert sent(api, business_key="a") == told(2)
    assert reached() == {runs[0], runs[2]}
    assert sent(api, business_key="b", workflow="other") == told(0)


def test_what_an_input_has_at_least_finds_its_runs(api):
    runs = started(
        api,
        "order",
        {"key": "a", "customer": {"id": 7, "name": "Ann"}, "tags": ["x", "y"]},
        {"key": "b", "customer": {"id": 8}, "tags": ["y"]},
        {"key": "c", "customer": 7},
    )
    assert sent(api, input={"customer": {"id": 7}}) == told(1)
    assert sent(api, signal_id="2", input={"tags": ["y"], "key": "b"}) == told(1)
    assert sent(api, signal_id="3", input={"customer": {"id": "7"}}) == told(0)
    assert reached() == {*runs[:2]}


def test_the_next_part_begins_where_the_last_one_ended(api, monkeypatch):
    monkeypatch.setattr(broadcast, "BROADCAST_RUNS", 2)
    monkeypatch.setattr(broadcast, "TOGETHER", 1)
    runs = started(api, "order", *({"key": key} for key in "abcde"))
    assert sent(api, workflow="order") == told(2, following=runs[1])
    assert sent(api, workflow="order", after=runs[1]) == told(2, following=runs[3])
    assert sent(api, workflow="order", after=runs[3]) == told(1)
    assert reached() == {*runs}


@pytest.mark.parametrize("limit", [{"LOOKED_AT": 2}, {"LOOKED_AT_BYTES": 60}])
def test_a_call_looks_through_so_many_inputs_and_says_where_to_go_on(api, monkeypatch, limit):
    for name, value in limit.items():
        monkeypatch.setattr(broadcast, name, value)
    runs = started(api, "order", *({"key": key, "even": key in "bd"} for key in "abcde"))
    found, after, calls = 0, None, 0
    while calls == 0 or after:
        answer = sent(api, workflow="order", input={"even": True}, **({"after": after} if after else {}))
        found, after, calls = found + answer["sent"], answer["next"], calls + 1
    assert (found, calls) == (2, 3)
    assert reached() == {runs[1], runs[3]}


def test_sent_again_it_reaches_whom_it_has_not_reached_and_nobody_twice(api):
    early = {"name": "nobody waits for this yet", "workflow": "order"}
    started(api, "order", {"key": "a"})
    assert sent(api, **early) == told(1)
    started(api, "order", {"key": "b"})
    assert sent(api, **early) == told(1, duplicates=1)
    assert Signal.unsafe_all_tenants.count() == 2


def test_a_run_that_refuses_it_keeps_no_other_from_it(api):
    first, second, third = started(api, "order", {"key": "a"}, {"key": "b"}, {"key": "c"})
    other = {**SIGNAL, "name": "else"}
    assert api.post(f"/api/v1/runs/{second}/signals", other).status_code == 202
    answer = sent(api, workflow="order")
    assert (answer["sent"], [one["run_id"] for one in answer["refused"]]) == (2, [second])
    assert answer["refused"][0]["code"] == "signal_mismatch"
    assert reached() == {first, second, third}


def test_it_reaches_only_what_one_may_operate(people, api):
    mine, locked = started(api, "order", {"key": "a"}), started(api, "secret", {"key": "a"})
    folder = make.FolderFactory(tenant=people.tenant())
    Workflow.unsafe_all_tenants.filter(name="secret").update(folder=folder)
    operator = people.client("operator")
    assert sent(operator, business_key="a") == told(1)
    assert reached() == {*mine}
    assert operator.post(URL, {**SIGNAL, "workflow": "secret"}).status_code == 404
    assert sent(api, workflow="secret") == told(1)
    assert reached() == {*mine, *locked}


@pytest.mark.parametrize(
    ("change", "status", "field"),
    [
        ({}, 400, "workflow"),
        ({"workflow": "order", "input": [1]}, 400, "input"),
        ({"workflow": "order", "after": "x"}, 400, "after"),
        ({"workflow": "order", "payload": "x" * 1024 * 1024}, 413, "payload"),
        ({"workflow": "none"}, 404, None),
    ],
)
def test_what_can_not_be_sent_is_refused(people, api, change, status, field):
    started(api, "order", {"key": "a"})
    client = people.client("operator")
    answer = client.post(URL, {**SIGNAL, **change})
    assert (answer.status_code, answer.json()["error"].get("field")) == (status, field), answer.json()
    assert reached() == set()
