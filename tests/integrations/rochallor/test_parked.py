"""User tasks and waits by the rochallor API: they go on by the id of their step, once."""

import json
from dataclasses import replace

import pytest

from engine.graph import compile_graph
from integrations.rochallor import naming
from steps.catalogue import CATALOGUE
from tasks_inbox.models import ManualTask, TaskDecision
from tests import factories as make
from tests import rochallor

pytestmark = pytest.mark.django_db
WAIT = rochallor.document(
    rochallor.service("before", "wait"),
    rochallor.step("wait", "WAIT", nextStep="after"),
    rochallor.service("after", "end"),
)
ASK = replace(CATALOGUE["human.approval"], name="acme.ask")


@pytest.fixture
def asked(engine):
    """An engine, and an instance that waits for a person."""
    engine.upload(rochallor.USER_TASK)
    instance = engine.start()
    engine.done("before", variables={"amount": 5})
    return engine, instance


@pytest.fixture
def waits(engine):
    """An engine, and an instance that waits for a signal."""
    engine.upload(WAIT)
    instance = engine.start()
    engine.done("before")
    return engine, instance


def test_a_user_task_waits_and_is_completed_once(asked):
    engine, instance = asked
    waiting = engine.instance(instance)
    assert (waiting["status"], waiting["currentStepIds"]) == ("WAITING", ["review"])
    path = f"instances/{instance}/user-tasks/review/complete"
    engine.post(path, {"variables": {"approved": True}}, 204)
    assert engine.post(path, {"variables": None}, 404)["error"] == "not-found"
    [job] = engine.poll("after")
    assert job["variables"] == {"amount": 5, "approved": True}
    assert engine.history(instance)[1] == ("review", "COMPLETED")


@pytest.mark.parametrize("body", [None, {}, {"variables": None}, {"completedBy": "Ann", "result": {"x": 1}}])
def test_a_user_task_needs_no_variables(asked, body):
    engine, instance = asked
    engine.post(f"instances/{instance}/user-tasks/review/complete", body, 204)
    [job] = engine.poll("after")
    assert job["variables"] == {"amount": 5}


def test_what_is_no_open_user_task(asked):
    engine, instance = asked
    tasks = f"instances/{instance}/user-tasks"
    assert engine.post(f"{tasks}/none/complete", None, 404)["error"] == "not-found"
    assert engine.post(f"{tasks}/before/complete", None, 400)["error"] == "bad-request"
    assert engine.post(f"{tasks}/review/complete", {"variables": [1]}, 400)["error"] == "bad-request"
    engine.post(f"instances/{instance}/cancel")
    assert engine.post(f"{tasks}/review/complete", None, 409)["error"] == "conflict"


def test_a_user_task_has_an_id_of_its_own(asked):
    engine, _ = asked
    task = ManualTask.unsafe_all_tenants.get()
    path = f"user-tasks/{task.pk}/complete"
    engine.post(path, {"completedBy": "Ann", "result": {"approved": False}}, 204)
    assert engine.post(path, {}, 404)["error"] == "not-found"
    assert engine.post("user-tasks/none/complete", {}, 404)["error"] == "not-found"
    [job] = engine.poll("after")
    assert job["variables"]["approved"] is False


def test_who_completed_it_is_in_the_evidence(asked):
    engine, instance = asked
    sent = {"variables": {}, "workerId": "portal"}
    engine.post(f"instances/{instance}/user-tasks/review/complete", sent, 204)
    decision = TaskDecision.unsafe_all_tenants.get()
    assert decision.by == "service:default:v1-open"
    assert decision.comment == "Completed by portal"
    # There is no field in which it could say what was read of the task.
    assert json.loads(decision.record)["seen"] is None


def test_a_task_that_asks_somebody_else_is_not_anybodys(asked):
    engine, instance = asked
    ManualTask.unsafe_all_tenants.update(audience=["user:ann"])
    answer = engine.post(f"instances/{instance}/user-tasks/review/complete", {}, 403)
    assert answer["error"] == "forbidden"


def test_a_signal_has_a_wait_go_on_once(waits):
    engine, instance = waits
    assert engine.instance(instance)["currentStepIds"] == ["wait"]
    assert engine.post(f"instances/{instance}/signals/before", None, 400)["error"] == "bad-request"
    engine.post(f"instances/{instance}/signals/wait", {"paid": True}, 204)
    assert engine.post(f"instances/{instance}/signals/wait", {"paid": False}, 409)["error"] == "conflict"
    [job] = engine.poll("after")
    assert job["variables"] == {"paid": True}


def test_a_signal_may_be_empty_or_null(waits):
    engine, instance = waits
    answer = engine.client.generic("POST", f"/v1/instances/{instance}/signals/wait", data=b"null")
    assert answer.status_code == 204


def test_no_signal_is_kept(engine):
    engine.upload(WAIT)
    instance = engine.start()
    assert engine.post(f"instances/{instance}/signals/wait", {}, 409)["error"] == "conflict"
    engine.done("before")
    assert engine.instance(instance)["status"] == "WAITING"


def test_what_is_no_wait_takes_no_signal(waits):
    engine, instance = waits
    signals = f"instances/{instance}/signals"
    assert engine.post(f"{signals}/none", None, 409)["error"] == "conflict"
    assert engine.post(f"{signals}/wait", [1], 400)["error"] == "bad-request"
    engine.post(f"instances/{instance}/cancel")
    assert engine.post(f"{signals}/wait", None, 409)["error"] == "conflict"


def test_a_user_task_takes_no_signal_and_a_wait_no_completion(asked, waits):
    engine, instance = asked
    assert engine.post(f"instances/{instance}/signals/review", None, 400)["error"] == "bad-request"
    engine, instance = waits
    path = f"instances/{instance}/user-tasks/wait/complete"
    assert engine.post(path, None, 400)["error"] == "bad-request"
    make.work("engine")


def test_an_installed_step_that_asks_people_is_a_user_task():
    nodes = [{"id": "a", "type": ASK.name, "params": {"title": "Go on?"}}, "b"]
    graph = compile_graph(make.graph(nodes, ["a>b"]), {**CATALOGUE, ASK.name: ASK})
    assert [naming.rochallor_type(graph.nodes[name]) for name in "ab"] == [
        naming.USER_TASK,
        naming.SERVICE_TASK,
    ]
