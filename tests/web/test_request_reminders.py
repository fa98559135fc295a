"""Requesters remind those whom their request waits for: once in four hours, and nobody but others."""

import threading
from datetime import timedelta

import pytest
from django.db import connection

from runs.models import Request
from tasks_inbox.actions import assignment, comments
from tasks_inbox.mail.notices import people_of
from tasks_inbox.models import Notification
from tests import factories as make
from tests.inbox.asking import decide, member, task_of
from tests.web.test_request_words import ASK, EDGES, NO, PAY
from tests.web.test_requests import logged_in, own_request

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def people():
    member("ben", "approver")
    member("rita", "requester")


@pytest.fixture
def run_id() -> str:
    return own_request(make.a_version(make.graph([ASK, PAY, NO], EDGES)), "rita")


def remind(run_id: str, name: str = "rita"):
    return logged_in(name).post(f"/api/v1/requests/{run_id}/remind", {}, content_type="application/json")


def reminders() -> list[str | None]:
    rows = Notification.unsafe_all_tenants.filter(kind="reminded").order_by("id")
    return list(rows.values_list("username", flat=True))


def test_a_reminder_is_a_mail_an_event_and_a_milestone(run_id):
    row = logged_in("rita").get(f"/api/v1/requests/{run_id}").json()
    assert (row["may_remind"], row["reminded_at"], row["remind_again_at"]) == (True, None, None)
    answer = remind(run_id)
    assert answer.status_code == 200
    assert answer.json()["remind_again_at"] > answer.json()["reminded_at"]
    assert reminders() == [None]
    (event,) = make.events(run_id, "TASK_REMINDED")
    assert event.payload["by"] == "rita"
    assert answer.json()["milestones"][-1]["words"] == "reminded people of “OK?”"
    assert "reminded people of" in logged_in("rita").get(f"/requests/{run_id}").text


def test_the_next_one_is_possible_after_four_hours(run_id):
    assert remind(run_id).status_code == 200
    answer = remind(run_id)
    assert answer.status_code == 429
    error = answer.json()["error"]
    assert error["code"] == "reminded_lately"
    assert 0 < error["details"]["retry_after"] <= 4 * 3600
    assert int(answer.headers["Retry-After"]) == error["details"]["retry_after"]
    assert "possible_at" in error["details"]
    assert reminders() == [None]
    page = logged_in("rita").get(f"/requests/{run_id}").text
    assert "You may remind again" in page
    sent = logged_in("rita").post(f"/requests/{run_id}/remind", follow=True).text
    assert "You reminded them lately" in sent
    own = Request.unsafe_all_tenants.get(pk=run_id)
    Request.unsafe_all_tenants.filter(pk=run_id).update(reminded_at=own.reminded_at - timedelta(hours=4))
    assert remind(run_id).status_code == 200
    assert reminders() == [None, None]


def test_nobody_reminds_themselves(run_id):
    comments.ask(member("ben", "approver"), task_of(run_id).pk, "Which?")
    answer = remind(run_id)
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "nobody_to_remind")
    assert Request.unsafe_all_tenants.get(pk=run_id).reminded_at is None
    assert "Remind</button>" not in logged_in("rita").get(f"/requests/{run_id}").text


def test_a_request_that_no_person_has_reminds_nobody(run_id):
    decide(member("ben", "approver"), task_of(run_id), "rejected")
    make.work()
    assert remind(run_id).status_code == 409
    job = own_request(make.a_version(make.graph([{"id": "a", "type": "job", "queue": "q"}], [])), "rita")
    assert remind(job).status_code == 409
    assert reminders() == []


def test_only_the_requester_reminds(run_id):
    member("tom", "requester")
    assert remind(run_id, "tom").status_code == 404
    member("boss", "admin")
    assert remind(run_id, "boss").status_code == 404
    assert reminders() == []


def test_the_person_of_a_child_is_reminded():
    child = make.a_version(make.graph([ASK, PAY, NO], EDGES))
    sub = {"id": "sub", "type": "subworkflow", "params": {"workflow": child.workflow.name}}
    run_id = own_request(make.a_version(make.graph([sub], [])), "rita")
    assert remind(run_id).status_code == 200
    below = make.children_of(run_id)[0].pk
    assert Notification.unsafe_all_tenants.get(kind="reminded").run_id == below


def test_the_page_reminds(run_id):
    page = logged_in("rita").post(f"/requests/{run_id}/remind", follow=True).text
    assert "are reminded" in page
    assert reminders() == [None]


@pytest.mark.django_db(transaction=True)
def test_two_at_once_are_one_mail(run_id):
    statuses, gate = [], threading.Barrier(2)

    def one() -> None:
        gate.wait()
        statuses.append(remind(run_id).status_code)
        connection.close()

    threads = [threading.Thread(target=one) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [200, 429]
    assert reminders() == [None]


def test_who_has_it_is_reminded_alone():
    two = {**ASK, "params": {**ASK["params"], "candidates": {"users": ["ben", "ann"]}}}
    member("ann", "approver")
    run_id = own_request(make.a_version(make.graph([two, PAY, NO], EDGES)), "rita")
    assignment.claim_task(member("ben", "approver"), task_of(run_id).pk)
    assert remind(run_id).status_code == 200
    (note,) = Notification.unsafe_all_tenants.filter(kind="reminded")
    assert people_of(task_of(run_id), note.kind, note.audience) == ["ben"]
