"""Skipping a step that asks people is a decision: every way to skip, every kind of person (R-149)."""

import json

import pytest

from accounts.models import User
from tasks_inbox.models import ManualTask, TaskDecision
from tests import factories as make
from tests.inbox.asking import approval
from tests.inbox.persons import Person

pytestmark = pytest.mark.django_db

BARRED = {"exclude_requester": True, "candidates": {"users": ["ann", "olga"]}}
REASON = "Nobody else is there today."


def each(body, **more):
    return make.graph([{"id": "m", "type": "map", "params": {"items": [1], "body": body}, **more}], [])


def ask(**params):
    return {"type": "human.approval", "params": {"title": "Pay?", "due_seconds": 60, **params}}


DOORS = {
    "step": (lambda **params: approval(**params), "steps/ask/skip", {}),
    "item": (lambda **params: each(ask(**params)), "steps/m/skip", {"index": 0}),
    "container": (lambda **params: each({"steps": [{"id": "ask", **ask(**params)}]}), "steps/m/skip", {}),
    "item with steps": (
        lambda **params: each({"steps": [{"id": "ask", **ask(**params)}]}),
        "steps/m/skip",
        {"index": 0},
    ),
}


def started(door, starter, **params):
    (run,) = make.start(DOORS[door][0](**params), {"amount": 5}, by=starter)
    make.work()
    (task,) = ManualTask.objects.for_tenant(make.a_tenant().pk).filter(status="OPEN")
    return run, task


def skips(person, run, door, outcome="approved", reason=REASON, **output):
    body = {**DOORS[door][2], "output": {"branch": outcome, **output}} | (
        {"reason": reason} if reason else {}
    )
    answer = person.post(f"runs/{run}/{DOORS[door][1]}", body)
    make.work()
    return answer


@pytest.mark.parametrize("door", DOORS)
def test_who_is_barred_from_the_decision_may_not_skip_it(door):
    olga = Person("olga", "admin")
    run, task = started(door, "olga", **BARRED)

    answer = skips(olga, run, door)

    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "excluded"), answer.json()
    task.refresh_from_db()
    assert task.status == "OPEN"
    assert TaskDecision.objects.for_tenant(make.a_tenant().pk).count() == 0


@pytest.mark.parametrize("door", DOORS)
def test_whom_the_task_does_not_ask_skips_with_the_right_to_assign_and_a_reason(door):
    Person("olga", "operator")
    bert = Person("bert", "operator")
    run, task = started(door, "olga", **BARRED)

    refused = skips(bert, run, door, reason="")
    assert (refused.status_code, refused.json()["error"]["field"]) == (400, "reason"), refused.json()
    assert skips(bert, run, door).status_code == 200

    task.refresh_from_db()
    assert task.status == ("CANCELLED" if "with" in door or door == "container" else "COMPLETED")
    decisions = TaskDecision.objects.for_tenant(make.a_tenant().pk)
    if task.status == "COMPLETED":
        record = json.loads(decisions.get().record)
        assert (record["by"]["username"], record["outcome"], record["settled_by"]) == (
            "bert",
            "approved",
            "skip",
        )
        assert record["comment"] == REASON
        if door == "step":
            assert make.statuses(run) == {"ask": "COMPLETED", "yes": "COMPLETED", "no": "SKIPPED"}


@pytest.mark.parametrize("door", ["step", "item"])
def test_whom_the_task_asks_decides_by_skipping_as_ever(door):
    bert = Person("bert", "operator")
    run, _ = started(door, "olga", candidates={"users": ["bert"]})

    answer = skips(bert, run, door, "rejected")

    assert answer.status_code == 200, answer.json()

    record = json.loads(TaskDecision.objects.for_tenant(make.a_tenant().pk).get().record)
    assert (record["by"]["username"], record["outcome"], "settled_by" in record) == (
        "bert",
        "rejected",
        False,
    )


@pytest.mark.parametrize("door", ["step", "item"])
@pytest.mark.parametrize("output", [None, {}, {"branch": "perhaps"}, {"branch": 7}, "approved"])
def test_a_skip_names_one_of_the_outcomes(door, output):
    bert = Person("bert", "operator")
    run, task = started(door, "olga", candidates={"users": ["ann"]})
    body = {**DOORS[door][2], "output": output, "reason": REASON}

    answer = bert.post(f"runs/{run}/{DOORS[door][1]}", body)

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "unknown_outcome"), answer.json()
    assert "approved, rejected" in answer.json()["error"]["message"]
    task.refresh_from_db()
    assert task.status == "OPEN"


def test_an_outcome_that_is_signed_is_decided_at_its_task():
    bert = Person("bert", "operator")
    outcomes = [{"name": "approved", "label": "Yes", "sign": True}, {"name": "rejected", "label": "No"}]
    run, _ = started("step", "olga", candidates={"users": ["ann"]}, outcomes=outcomes)

    answer = skips(bert, run, "step")

    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "signed")


def test_who_decided_by_skipping_is_barred_from_the_next_decision():
    bert = Person("bert", "operator")
    second = {"id": "second", **ask(exclude_deciders=True)}
    first = {"id": "ask", **ask(candidates={"users": ["ann"]})}
    (run,) = make.start(make.graph([first, second], [{"from": "ask", "to": "second", "branch": "approved"}]))
    make.work()
    assert skips(bert, run, "step").status_code == 200

    answer = bert.post(f"runs/{run}/steps/second/skip", {"output": {"branch": "approved"}, "reason": REASON})

    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "excluded"), answer.json()


PAGES = {"step": "steps/ask/skip", "item": "items/m/act"}


@pytest.mark.parametrize("door", PAGES)
@pytest.mark.parametrize("name", ["olga", "bert"])
def test_the_pages_refuse_and_decide_as_the_api_does(door, name, client):
    for one in ("olga", "bert"):
        Person(one, "admin")
    run, task = started(door, "olga", **BARRED)
    client.force_login(User.objects.get(username=name))
    form = {"value": '{"branch": "approved"}', "reason": REASON, "output": '{"branch": "approved"}'}
    form |= {"verb": "skip", "places": "0"}

    answer = client.post(f"/runs/{run}/{PAGES[door]}", form)
    make.work()

    task.refresh_from_db()
    assert task.status == ("OPEN" if name == "olga" else "COMPLETED"), answer.content[:2000]


def test_a_step_that_has_asked_nobody_yet_is_not_skipped():
    bert = Person("bert", "admin")
    (run,) = make.start(approval(candidates={"users": ["ann"]}))

    answer = skips(bert, run, "step")

    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "not_asked_yet"), answer.json()


@pytest.mark.parametrize("name", ["olga", "bert"])
def test_for_a_step_that_failed_before_it_asked_somebody_else_than_the_requester_decides(name):
    person = Person(name, "operator")
    (run,) = make.start(approval(facts={"Amount": "{{ input.nothing }}"}), by="olga")
    make.work()
    assert make.statuses(run) == {"ask": "FAILED"}

    answer = skips(person, run, "step")

    assert answer.status_code == (403 if name == "olga" else 200), answer.json()
    assert make.statuses(run)["ask"] == ("FAILED" if name == "olga" else "SKIPPED")
