"""`Idempotency-Key`: what is sent again is answered as it was, and done once (R-163)."""

import json
import re
import zlib
from datetime import timedelta
from functools import partial

import pytest
from django.db import connection
from django.db.models import F
from django.test import Client
from rest_framework.test import APIClient

from accounts import folders, sealed
from accounts.folders import Grant
from accounts.models import ApiToken, Group, KeptAnswer, LoginAttempt, Membership
from accounts.services import create_token
from lib.refusals import Conflict
from lib.sealing import Hidden, Place
from runs.api.starts import start_one
from runs.maintenance import answers
from runs.models import Run
from tasks_inbox.models import ManualTask
from tests import factories as make
from tests.api.authorisation_matrix import MATRIX
from tests.api.hooks import publish
from tests.api.test_authorisation import API_DOORS, ROUTES, call
from tests.inbox.asking import approval, asked, member

pytestmark = pytest.mark.django_db

RUNS = "/api/v1/runs"
PLAIN = {"name": "plain", "nodes": [{"id": "a", "type": "job", "queue": "work"}]}
START = {"workflow": "plain", "input": {"order": 1}}
KEY = {"Idempotency-Key": "k"}
NOT_ONCE = {"api-member-hand-over", "api-jobs-claim", "api-jobs-poll", "s4-jobs-poll", "v1-activities-poll"}
"""Routes whose POST changes something and takes no key."""


def from_a_page():
    """A logged-in browser, whose CSRF token is looked for in the body, too, and the header that has it."""
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(make.a_member("ops", "admin"))
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', browser.get("/workflows/").text)[1]
    return browser, {"X-CSRFToken": token}


@pytest.fixture
def plain(api):
    """A workflow without a business key: each start of it is a new run."""
    publish(api, PLAIN)


def aged(hours):
    KeptAnswer.unsafe_all_tenants.update(created_at=F("created_at") - timedelta(hours=hours))


def runs():
    return Run.unsafe_all_tenants.count()


def test_a_start_that_is_sent_again_is_answered_as_it_was(api, plain):
    first, again = (api.post(RUNS, START, headers=KEY) for _ in "12")
    assert runs() == 1
    assert (again.status_code, again.content) == (first.status_code, first.content) == (201, first.content)
    assert [again.headers[name] for name in ("Content-Type", "Location")] == [
        first.headers[name] for name in ("Content-Type", "Location")
    ]
    assert "Idempotent-Replayed" not in first.headers
    assert again.headers["Idempotent-Replayed"] == "true"
    assert first.headers["X-Request-Id"] != again.headers["X-Request-Id"]
    assert api.post(RUNS, START).status_code == 201
    assert runs() == 2


def test_a_page_of_somebody_who_is_logged_in_may_send_a_key():
    browser, token = from_a_page()
    path, new, kind = "/api/v1/workflows", {"name": "kept"}, "application/json"
    first, again = (browser.post(path, new, content_type=kind, headers={**KEY, **token}) for _ in "12")
    assert (first.status_code, again.content) == (201, first.content)
    assert browser.post(path, new, headers={**KEY, **token}).status_code == 415
    assert browser.post(path, new, content_type=kind, headers=KEY).status_code == 403


@pytest.mark.parametrize(
    ("path", "body"), [(RUNS, START | {"priority": 1}), (f"{RUNS}?x=1", START), ("/api/v1/groups", START)]
)
def test_the_same_key_for_something_else_is_refused(api, plain, path, body):
    api.post(RUNS, START, headers=KEY)
    refused = api.post(path, body, headers=KEY)
    error = refused.json()["error"]
    assert (refused.status_code, error["code"], error["field"]) == (422, "key_reused", "Idempotency-Key")
    assert runs() == 1


def test_a_key_is_of_one_user_in_one_tenant(people, api, plain):
    publish(people.client("admin", tenant="theirs"), PLAIN)
    callers = [api, people.client("operator"), people.client("admin", tenant="theirs")]
    assert [caller.post(RUNS, START, headers=KEY).status_code for caller in callers] == [201] * 3
    assert runs() == 3


@pytest.mark.parametrize("key", ["", " ", "a b", "é", "x" * 256])
def test_a_key_is_a_short_visible_text(api, plain, key):
    refused = api.post(RUNS, START, headers={"Idempotency-Key": key})
    error = refused.json()["error"]
    assert (refused.status_code, error["code"], error["field"]) == (400, "invalid", "Idempotency-Key")
    assert runs() == 0
    assert api.post(RUNS, START, headers={"Idempotency-Key": "x" * 255}).status_code == 201


def test_what_was_refused_is_not_kept(api):
    assert api.post(RUNS, START, headers=KEY).status_code == 404
    publish(api, PLAIN)
    assert api.post(RUNS, START, headers=KEY).status_code == 201
    assert api.post("/api/v1/groups", {"name": ""}, headers={"Idempotency-Key": "g"}).status_code == 400
    assert api.post("/api/v1/groups", {"name": "G"}, headers={"Idempotency-Key": "g"}).status_code == 201


def test_what_failed_was_not_done_and_is_done_when_it_is_sent_again(api, plain, monkeypatch):
    def broken(*asked):
        start_one(*asked)
        assert runs() == 1
        raise ZeroDivisionError

    monkeypatch.setattr("runs.api.runs.start_one", broken)
    assert api.post(RUNS, START, headers=KEY).status_code == 500
    assert (runs(), KeptAnswer.unsafe_all_tenants.count()) == (0, 0)
    monkeypatch.undo()
    assert api.post(RUNS, START, headers=KEY).status_code == 201
    assert runs() == 1


def test_a_statement_that_failed_spoils_nothing_but_its_request(api, plain, monkeypatch):
    def broken(*asked):
        start_one(*asked)
        with connection.cursor() as cursor, pytest.raises(Exception, match="division"):
            cursor.execute("SELECT 1 / 0")
        raise Conflict("Not so.")

    monkeypatch.setattr("runs.api.runs.start_one", broken)
    assert api.post(RUNS, START, headers=KEY).status_code == 409
    monkeypatch.undo()
    assert runs() == 0
    assert api.post(RUNS, START, headers=KEY).status_code == 201


def test_after_a_day_a_key_means_something_new(api, plain):
    api.post(RUNS, START, headers=KEY)
    aged(23.9)
    api.post(RUNS, START, headers=KEY)
    assert runs() == 1
    aged(0.2)
    answer = api.post(RUNS, START | {"priority": 1}, headers=KEY)
    assert "Idempotent-Replayed" not in answer.headers
    assert (runs(), KeptAnswer.unsafe_all_tenants.count()) == (2, 1)
    assert api.post(RUNS, START | {"priority": 1}, headers=KEY).headers["Idempotent-Replayed"] == "true"


def test_old_answers_are_removed(api, monkeypatch):
    monkeypatch.setattr(answers, "BATCH", 2)
    for number in range(5):
        api.post("/api/v1/groups", {"name": f"G{number}"}, headers={"Idempotency-Key": str(number)})
    assert answers.forget() == 0
    aged(24.1)
    assert (answers.forget(), KeptAnswer.unsafe_all_tenants.count()) == (5, 0)


def test_a_secret_in_an_answer_is_sealed(api):
    answer = api.post("/api/v1/tokens", {"name": "mine", "queues": ["*"]}, headers=KEY)
    secret = answer.json()["token"]
    (kept,) = KeptAnswer.unsafe_all_tenants.all()
    assert secret.encode() not in bytes(kept.answer)
    assert (
        api.post("/api/v1/tokens", {"name": "mine", "queues": ["*"]}, headers=KEY).json()["token"] == secret
    )
    assert ApiToken.unsafe_all_tenants.filter(name="mine").count() == 1
    # Neither does it open in another row.
    other = api.post("/api/v1/groups", {"name": "G"}, headers={"Idempotency-Key": "other"})
    assert other.status_code == 201
    KeptAnswer.unsafe_all_tenants.filter(key="other").update(answer=kept.answer)
    refused = api.post("/api/v1/groups", {"name": "G"}, headers={"Idempotency-Key": "other"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "master_key_missing")


def test_another_token_of_the_same_user_is_not_shown_the_secret(people, api):
    """Not even by a session: who holds a token that ends tomorrow would hold one that doesn't."""
    secret = api.post("/api/v1/tokens", {"name": "mine", "queues": ["*"]}, headers=KEY).json()["token"]
    admin = people.member("admin")
    other = APIClient()
    other.credentials(
        HTTP_AUTHORIZATION=f"Bearer {create_token(user=admin, tenant=people.tenant(), role='admin')[1]}"
    )
    session = Client()
    session.force_login(admin)
    for refused in (
        other.post("/api/v1/tokens", {"name": "mine", "queues": ["*"]}, headers=KEY),
        session.post("/api/v1/tokens", '{"name":"mine","queues":["*"]}', "application/json", headers=KEY),
    ):
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "done_already")
        assert secret not in refused.content.decode()
    assert ApiToken.unsafe_all_tenants.filter(name="mine").count() == 1


def of_the_release_before(answer):
    """Its kept answer named no token: seal it anew, as that release did."""
    place = Place(answer.tenant_id, f"kept_answer {answer.pk}", "answer")
    ring = sealed.ring_of(answer.tenant_id)
    head, _, body = zlib.decompress(ring.open(bytes(answer.answer), place).reveal()).partition(b"\n")
    status, headers, _token, _noted = json.loads(head)
    old = zlib.compress(json.dumps([status, headers]).encode() + b"\n" + body, 1)
    KeptAnswer.unsafe_all_tenants.filter(pk=answer.pk).update(answer=ring.seal(Hidden(old), place))


def test_an_answer_that_the_release_before_kept_is_given_again(people, api, plain):
    first = api.post(RUNS, START, headers=KEY)
    of_the_release_before(KeptAnswer.unsafe_all_tenants.get())
    again = api.post(RUNS, START, headers=KEY)
    assert (again.status_code, again.content) == (201, first.content)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert runs() == 1


def test_a_connection_that_was_lost_within_the_request_is_no_success(api, plain, monkeypatch):
    def losing(*asked):
        made = start_one(*asked)
        connection.close()
        return made

    monkeypatch.setattr("runs.api.runs.start_one", losing)
    assert api.post(RUNS, START, headers=KEY).status_code == 503


def test_who_may_no_more_gets_no_answer_again(people, plain):
    client = people.client("operator")
    assert client.post(RUNS, START, headers=KEY).status_code == 201
    lesser = people.client("operator", scopes=frozenset({"runs:read"}))
    assert lesser.post(RUNS, START, headers=KEY).status_code == 403


@pytest.fixture
def shut(people):
    """Has the folder of all workflows let operators do only this."""

    def shut(*verbs):
        grants = [Grant(verbs, "operator")] if verbs else []
        folder = folders.default_folder(people.tenant().pk)
        folders.change_folder(people.principal("admin"), folder.pk, grants=grants)

    return shut


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (RUNS, START),
        (f"{RUNS}/batch", {"workflow": "plain", "items": [{"input": {}}]}),
        ("/api/v1/signals", {"workflow": "plain", "business_key": "k", "name": "n", "signal_id": "1"}),
    ],
)
def test_who_lost_the_folder_gets_no_answer_again(people, api, plain, shut, path, body):
    client = people.client("operator")
    api.post(RUNS, START | {"business_key": "k"})
    before = runs()
    first = client.post(path, body, headers=KEY)
    done = runs()
    assert first.status_code in (201, 202), first.json()
    shut("read")
    assert client.post(path, body, headers=KEY).status_code == 403
    shut()
    assert client.post(path, body, headers=KEY).status_code == 404
    shut("read", "start", "operate")
    again = client.post(path, body, headers=KEY)
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert runs() == done >= before


def test_an_answer_that_was_kept_with_what_nobody_guards_any_more_is_not_given_again(api, plain, monkeypatch):
    assert api.post(RUNS, START, headers=KEY).status_code == 201
    # As a later release may have renamed it.
    monkeypatch.setattr("accounts.guards._guards", {})
    again = api.post(RUNS, START, headers=KEY)
    assert (again.status_code, again.json()["error"]["code"]) == (404, "not_found")
    assert runs() == 1


def test_who_started_a_run_and_may_read_none_any_more_gets_no_answer_again(people, plain, shut):
    client = people.client("operator")
    assert "input" in client.post(RUNS, START, headers=KEY).json()
    shut("start")
    assert client.post(RUNS, START, headers=KEY).status_code == 404


def test_an_admin_who_is_one_no_more_is_asked_what_folders_let_them_do(people, api, plain, shut):
    assert api.post(RUNS, START, headers=KEY).status_code == 201
    shut()
    Membership.unsafe_all_tenants.filter(role="admin").update(role="operator")
    assert api.post(RUNS, START, headers=KEY).status_code == 404


def test_a_workflow_that_was_made_is_told_again_to_who_may_still_write_it(people, shut):
    client, made = people.client("author"), {"name": "made"}
    folder = folders.default_folder(people.tenant().pk)
    assert client.post("/api/v1/workflows", made, headers=KEY).status_code == 201
    folders.change_folder(people.principal("admin"), folder.pk, grants=[])
    assert client.post("/api/v1/workflows", made, headers=KEY).status_code == 404


def test_what_became_of_many_tasks_is_told_again_to_who_may_still_see_them(db):
    member("ann", "approver")
    client = Client()
    client.force_login(make.a_user("ann"))
    task = asked(approval())
    body = {"action": "snooze", "ids": [str(task.pk)], "until": "2100-01-01T00:00:00Z"}
    send = partial(client.post, "/api/v1/tasks/bulk", body, "application/json", headers=KEY)
    assert (send().status_code, send().headers.get("Idempotent-Replayed")) == (200, "true")
    ManualTask.unsafe_all_tenants.update(audience=["user:bob"])
    shut = folders.default_folder(task.tenant_id)
    folders.change_folder(member("boss", "admin"), shut.pk, grants=[])
    assert send().status_code == 404


def test_a_wrong_guess_at_a_password_counts_whatever_key_it_has(client):
    signed = [{"name": "approved", "label": "Approve", "sign": True}, {"name": "rejected", "label": "Reject"}]
    member("ann")
    client.force_login(make.a_user("ann"))
    said = {"outcome": "approved", "password": "a wrong guess"}
    answer = client.post(
        f"/api/v1/tasks/{asked(approval(outcomes=signed)).pk}/complete", said, "application/json", headers=KEY
    )
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "wrong_password")
    assert LoginAttempt.objects.count() == 1


def test_without_the_master_key_nothing_is_done(api, plain, settings):
    settings.HANDOFF_MASTER_KEYS = ()
    refused = api.post(RUNS, START, headers=KEY)
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "master_key_missing")
    assert "HANDOFF_MASTER_KEY" in refused.json()["error"]["message"]
    assert runs() == 0


def test_other_methods_take_no_notice_of_it(api):
    group = api.post("/api/v1/groups", {"name": "G"}).json()["id"]
    for name in ("H", "I"):
        api.patch(f"/api/v1/groups/{group}", {"name": name}, headers=KEY)
    assert Group.unsafe_all_tenants.get(pk=group).name == "I"
    assert not KeptAnswer.unsafe_all_tenants.exists()


POSTS = [name for name, method, _ in API_DOORS if method == "POST"]


def test_every_post_that_changes_something_takes_a_key():
    changing = {name for name in POSTS if MATRIX[name].methods["POST"] != "workflows:read"}
    taking = {name for name in POSTS if ROUTES[name].callback.cls.takes_idempotency_key}
    assert taking == changing - NOT_ONCE
    assert changing > NOT_ONCE


@pytest.mark.parametrize("name", POSTS)
def test_every_door_answers_a_repeat_as_before(ours, name):
    ours.credentials(**{**ours._credentials, "HTTP_IDEMPOTENCY_KEY": name})
    first, again = (call(ours, name, "POST", **ours.ids) for _ in "12")
    is_kept = ROUTES[name].callback.cls.takes_idempotency_key and first.status_code < 400
    assert ("Idempotent-Replayed" in again.headers) == is_kept
    if is_kept:
        assert (again.status_code, again.content) == (first.status_code, first.content)
