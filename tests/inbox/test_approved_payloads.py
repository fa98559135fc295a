"""Approved = executed where a payload is lost that a decision needs: nothing else stops, and nothing begins by it."""

import pytest

from accounts.models import User
from lib.blobs.errors import BlobMissing
from runs.models import StepExecution
from tasks_inbox.actions import deciding
from tasks_inbox.actions.decision import Decision
from tasks_inbox.duties.clock import tick
from tests import factories as make
from tests.inbox.approving import ASK, NAP, PAY, WAYS, decide, poll
from tests.inbox.asking import member, task_of

pytestmark = pytest.mark.django_db

LARGE = {"amount": 10, "text": "a long article " * 30}


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    """What is larger than 200 bytes is kept in this folder."""
    settings.HANDOFF_BLOBS, settings.HANDOFF_BLOB_BYTES = (tmp_path / "payloads").as_uri(), 200
    return tmp_path / "payloads"


@pytest.fixture
def ann():
    return member("ann", "admin")


def lose(folder):
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    for path in files:
        path.unlink()


def asked(*inputs, **params):
    ask = {**ASK, "params": {**ASK["params"], **params}}
    runs = [make.start(make.graph([ask, PAY, "no"], WAYS), value, by="somebody")[0] for value in inputs]
    make.work()
    return runs


def test_a_decision_about_what_is_lost_is_refused_at_every_door_and_says_why(ann, folder, client):
    [run] = asked(LARGE)
    task = task_of(run)
    lose(folder)
    with pytest.raises(BlobMissing):
        deciding.complete_task(ann, task.pk, Decision("approved"), confirms=False)
    client.force_login(User.objects.get(username="ann"))
    assert client.get(f"/inbox/{task.pk}").status_code == 409
    answer = client.get(f"/api/v1/tasks/{task.pk}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "payload_missing")

    assert (task_of(run).status, make.statuses(run)) == ("OPEN", {"ask": "WAITING"})


def test_a_deadline_that_decides_about_what_is_lost_keeps_no_other_waiting(ann, folder, clock):
    lost, whole = asked(LARGE, {"amount": 1}, on_timeout="approved")
    lose(folder)
    clock.advance(70)
    tick()
    make.work()

    assert make.statuses(lost) == {"ask": "WAITING"}
    assert poll().step.run_id == whole


@pytest.mark.parametrize("is_job", [True, False])
def test_a_step_whose_decision_is_lost_begins_by_nobody_and_keeps_no_other_waiting(ann, folder, is_job):
    pay = PAY if is_job else {"id": "pay", "type": "text.clean", "retry": "none", "input": {"text": "x"}}
    ask = {**ASK, "params": {**ASK["params"], "covers": ["pay"]}}
    nap = {**NAP, "input": {}}
    before = make.graph([ASK, nap, "no"], [{**WAYS[0], "to": "nap"}, WAYS[1]])
    paying = make.graph([ask, nap, pay, "no"], [{**WAYS[0], "to": "nap"}, "nap>pay", WAYS[1]])
    runs = [make.start(before, {"amount": amount})[0] for amount in (1, 2)]
    make.work()
    decide(ann, runs[0], comment="So it is. " * 40)
    decide(ann, runs[1])
    for run in runs:
        make.migrate(run, make.newer(run, paying))
    lose(folder)
    for run in runs:
        make.send(run, "go")
    make.work()

    assert [poll(), poll()] == [None, None]
    assert task_of(runs[1]).round == 2
    lost = StepExecution.objects.for_tenant(make.a_tenant().pk).get(run_id=runs[0], node="pay")
    assert lost.status == "FAILED"
    assert lost.error["code"] == "PayloadUnreadable"
