"""Each change of a setting leaves a record, whatever door it comes by, and none leaves a secret."""

import threading
from io import StringIO

import psycopg
import pytest
from django.core.management import call_command, get_commands
from django.db import DataError, OperationalError
from django.test import Client
from rest_framework.test import APIClient

from accounts import audit, passwords
from accounts.audit import chain, reading, refusals
from accounts.audit import records as recording
from accounts.audit.origin import Origin, os_user
from accounts.audit.reading import Filters
from accounts.audit.refusals import Refusals
from accounts.models import SENT as LINK
from accounts.models import ApiToken, AuditRecord, User
from accounts.services import ensure_default_tenant
from integrations.grpc.calls import Call, admitted
from integrations.grpc.problems import told
from lib import named_sql
from lib.api.errors import Problem
from tests import factories as make
from tests.api.audited import COMMANDS, NOT_RECORDED, RECORDED, SENT, SILENT_COMMANDS, UNPLAYED
from tests.api.authorisation_bodies import BODIES
from tests.api.authorisation_matrix import MATRIX
from tests.api.furnishing import has_everything
from tests.api.playing import each
from tests.api.test_repeated_verbs import play
from tests.api.verbs import SETTLED
from tests.people import People

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

CHANGING = {
    (name, method)
    for name, route in MATRIX.items()
    for method in route.methods
    if method in ("POST", "PUT", "PATCH", "DELETE")
}
ACTS = {route: act for act, names in RECORDED.items() for route in each(names)}
PLAYED = sorted(ACTS.keys() - UNPLAYED)
APPS = ("accounts", "config", "runs", "tasks_inbox", "workflows")


def records(**filters: object) -> list[AuditRecord]:
    return list(AuditRecord.unsafe_all_tenants.filter(**filters).order_by("pk"))


def test_each_route_that_changes_something_records_it_or_says_why_not():
    silent = [each(names) for names in NOT_RECORDED.values()]
    named = set(ACTS).union(*silent)
    assert CHANGING - named == set(), "say in tests/api/audited.py what it records, or why nothing"
    assert named - CHANGING == set(), "there is no such route any more"
    assert sum(map(len, silent)) + len(ACTS) == len(named), "a route is in several lists"
    assert set() == UNPLAYED - ACTS.keys()


def test_each_command_records_what_it_changes_or_says_why_not():
    ours = {name for name, app in get_commands().items() if app in APPS}
    assert ours == COMMANDS | SILENT_COMMANDS.keys(), (
        "say in tests/api/audited.py what it records, or why nothing"
    )


@pytest.mark.django_db(transaction=True)  # So that a change outside of a transaction is found.
@pytest.mark.parametrize(("name", "method"), PLAYED)
def test_a_route_leaves_its_record(people, name, method):
    for role in ("operator", "viewer"):
        people.member(role)
    ids = has_everything(people.client("admin"))
    page = Client()
    page.force_login(people.member("admin"))
    how, is_page = SETTLED.get((name, method), (None,))[0], MATRIX[name].path.startswith("/api/")
    for before, body in how.before if how else ():
        verb = "POST" if "POST" in MATRIX[before].methods else "PATCH"
        assert play(people, page, before, verb, body, ids).status_code < 300
    sent = (how.body if how else None) or SENT.get((name, method)) or BODIES.get((name, method))
    known = {row.pk for row in records()}
    answer = play(
        people, page, name, method, sent, ids, form=not is_page and not MATRIX[name].path.startswith("/v1/")
    )
    assert answer.status_code < 400, answer.content
    new = [row for row in records() if row.pk not in known]
    assert ACTS[name, method] in [row.act for row in new]
    assert {(row.by, row.tenant.slug) for row in new} == {("admin-of-ours", "ours")}
    assert {row.door for row in new} == {"rest" if is_page or name.startswith("s4") else "page"}
    assert {row.address for row in new} == {"127.0.0.1"}


def everything() -> str:
    """All that the log says, as it is exported."""
    while chain.link():
        pass
    tenants = {row.tenant_id for row in records()}
    rows = [row for tenant in tenants for row in reading.rows(reading.records_of(tenant, Filters()))]
    return (reading.as_jsonl(rows) + reading.as_cef(rows, "ours")).decode()


def test_no_secret_is_in_any_record(people):
    client = people.client("admin")
    people.member("operator")
    ids = has_everything(client)
    secrets = ["hunter2-in-a-query", "0123456789abcdef0123456789abcdef"]

    def post(path: str, body: dict[str, object], method: str = "post") -> dict[str, object]:
        answer = getattr(client, method)(f"/api/v1/{path}", body)
        assert answer.status_code < 300, answer.content
        return answer.json()

    out = {"url": f"https://hooks.example/{secrets[0]}?key={secrets[0]}", "workflow": "ours"}
    secrets.append(str(post("webhooks/out", out)["secret"]))
    post(f"webhooks/out/{ids['outgoing']}", {"url": out["url"]}, "patch")
    secrets.append(str(post(f"webhooks/out/{ids['outgoing']}/rotate", {})["secret"]))
    hook = post("webhooks", {"name": "two", "workflow": "ours", "action": "start"})
    secrets += [str(hook["secret"]), str(hook["url"]).rpartition("/")[2]]
    secrets.append(str(post(f"webhooks/{ids['webhook']}/rotate", {})["secret"]))
    post("alert-channels", {"name": "pager", "kind": "pagerduty", "address": secrets[1]})
    post("alert-channels", {"name": "chat", "kind": "webhook", "address": out["url"]})
    post(f"alert-channels/{ids['channel']}", {"address": f"{out['url']}&more=1"}, "patch")
    secrets.append(str(post("tokens", {"name": "two", "queues": ["*"]})["token"]))
    secrets.append(str(post(f"tokens/{ids['token']}/rotate", {})["token"]))
    secrets.append(str(post("members", {"username": "zoe", "role": "viewer"})["password"]))
    secrets.append(str(post("members/zoe/password-link", {"hand_over": True})["link"]).rpartition("/")[2])
    schedule = {"name": "two", "workflow": "ours", "cron": "0 9 * * *", "input": {"iban": secrets[0]}}
    post("schedules", schedule)
    zoe = User.objects.get(username="zoe")
    link = passwords.written(zoe, LINK).rpartition("/")[2]
    passwords.set_by_link(link, "an unusual passphrase", place="here", revoke_tokens=True)
    text = everything()
    for secret in [*secrets, link, "an unusual passphrase"]:
        assert secret
        assert secret not in text
    for act in ("webhook_out.rotate", "alert_channel.change", "user.set_password_by_link", "token.rotate"):
        assert f'"{act}"' in text


def test_a_field_with_the_name_of_a_secret_is_only_said_to_have_changed(people):
    values = {"api_key": "a", "nested": {"password": "b", "list": [{"token": "c"}]}, "max_tokens": 4}
    audit.change(people.principal("admin"), "test.change", "x", after=values)
    (row,) = records(act="test.change")
    changed = (
        '{"api_key":"changed","nested":{"password":"changed","list":[{"token":"changed"}]},"max_tokens":4}'
    )
    assert row.after == changed


def test_large_and_strange_values_are_bounded(people):
    large = {"text": "é" * 100_000, "nul": "a\x00b", "half": "\ud800", **{f"f{n}": n for n in range(500)}}
    audit.change(people.principal("admin"), "a" * 500, "t\x00" + "t" * 500, after=large, reason="r" * 100_000)
    (row,) = records(by="admin-of-ours")
    assert len(row.after) < 3_000
    assert '"characters":100002' in row.after
    audit.change(
        people.principal("admin"), "test.many", "x", after={f"f{n}": "y" * 1_900 for n in range(500)}
    )
    (many,) = records(act="test.many")
    assert len(many.after) < 18_000
    assert (len(row.act), len(row.target), len(row.reason)) == (100, 300, 2_000)


def test_a_command_says_which_user_of_the_machine_ran_it(people):
    user = people.member("admin")
    call_command(
        "create_token", "--user", user.username, "--queue", "*", "--tenant", "ours", stdout=StringIO()
    )
    (made,) = records(act="token.create")
    token = ApiToken.unsafe_all_tenants.get(user=user)
    assert (made.by, made.via, made.door, made.target) == (os_user(), "command", "command", token.public_id)
    call_command("revoke_token", token.public_id, "--tenant", "ours", stdout=StringIO())
    call_command("password_link", "--user", user.username, stdout=StringIO())
    acts = [row.act for row in records()]
    assert acts == ["token.create", "token.revoke", "member.make_password_link"]


def test_the_first_start_records_the_admin_and_a_new_password_once(monkeypatch):
    monkeypatch.setenv("HANDOFF_ADMIN_PASSWORD", "the first password")
    for password in ("the first password", "the first password", "the second password"):
        monkeypatch.setenv("HANDOFF_ADMIN_PASSWORD", password)
        call_command("first_start", stderr=StringIO())
    tenant = ensure_default_tenant().pk
    assert [(row.act, row.tenant_id) for row in records()] == [
        ("member.add", tenant),
        ("user.set_password", tenant),
    ]


def test_tokens_that_end_in_another_tenant_are_recorded_there(people):
    user = people.member("admin")
    make.MembershipFactory(user=user, tenant=people.tenant("theirs"), role="viewer")
    call_command(
        "create_token", "--user", user.username, "--queue", "*", "--tenant", "theirs", stdout=StringIO()
    )
    call_command("revoke_token", "--user", user.username, stdout=StringIO())
    assert [(row.act, row.tenant.slug) for row in records()] == [
        ("token.create", "theirs"),
        ("token.revoke_all", "theirs"),
    ]


@pytest.fixture
def counted(monkeypatch):
    """Refusals of this test, which are written when it asks for it."""
    counts = Refusals(seconds=86_400)
    monkeypatch.setattr(refusals, "here", counts)
    return counts


def test_refusals_are_one_record_for_each_principal_and_route(people, counted):
    viewer, author = people.client("viewer"), people.client("author")
    for place in range(5):
        assert viewer.post("/api/v1/groups", {"name": "x"}).status_code == 403
        assert viewer.patch(f"/api/v1/groups/{place}", {"name": "x"}).status_code == 403
    assert author.post("/api/v1/groups", {"name": "x"}).status_code == 403
    page = Client()
    page.force_login(people.member("viewer"))
    assert page.get("/settings/audit").status_code == 403
    assert records() == []
    assert counted.write() == 4
    rows = {(row.by, row.target, row.count, row.door) for row in records(act="refused")}
    assert rows == {
        ("viewer-of-ours", "POST /api/v1/groups", 5, "rest"),
        ("viewer-of-ours", "PATCH /api/v1/groups/<int:group_id>", 5, "rest"),
        ("author-of-ours", "POST /api/v1/groups", 1, "rest"),
        ("viewer-of-ours", "GET /settings/audit", 1, "page"),
    }
    assert counted.write() == 0


def test_a_token_that_is_used_from_elsewhere_is_a_refusal(people, counted):
    made = (
        people.client("admin")
        .post("/api/v1/tokens", {"name": "here", "queues": ["*"], "allowed_ips": ["192.0.2.0/24"]})
        .json()
    )
    stranger = APIClient(REMOTE_ADDR="203.0.113.9", HTTP_AUTHORIZATION=f"Bearer {made['token']}")
    assert stranger.get("/api/v1/me").status_code == 403
    assert counted.write() == 1
    (row,) = records(act="refused")
    assert (row.by, row.token, row.address) == ("admin-of-ours", made["id"], "203.0.113.9")
    assert row.target == "use of a token from an address that it does not allow"


def test_refusals_of_very_many_routes_share_a_record(people, monkeypatch):
    monkeypatch.setattr(refusals, "REFUSAL_COUNTERS", 3)
    counts, who = Refusals(seconds=86_400), people.principal("viewer")
    for place in range(10):
        counts.note(who, f"GET /{place}", lambda: Origin("rest", "192.0.2.1"))
    assert counts.write() == 4
    assert [row.count for row in records(act="refused")] == [1, 1, 1, 7]


@pytest.mark.parametrize("error", [OperationalError, psycopg.OperationalError])
def test_refusals_are_kept_until_the_database_takes_them(people, monkeypatch, error):
    monkeypatch.setattr(refusals, "_BATCH", 2)
    counts, who, batches = Refusals(seconds=86_400), people.principal("viewer"), []

    def add(rows):
        batches.append(rows)
        if len(batches) == 2:
            counts.note(who, "GET /3", lambda: Origin("rest"))
            raise error
        recording.add(rows)

    monkeypatch.setattr(refusals, "add", add)
    for place in range(5):
        counts.note(who, f"GET /{place}", lambda: Origin("rest"))
    with pytest.raises(error):
        counts.write()
    assert counts.write() == 3
    rows = {row.target: row.count for row in records(act="refused")}
    assert rows == {"GET /0": 1, "GET /1": 1, "GET /2": 1, "GET /3": 2, "GET /4": 1}
    assert counts.write() == 0


@pytest.mark.parametrize("error", [DataError, psycopg.DataError])
def test_a_batch_of_refusals_that_is_refused_takes_no_other_with_it(people, monkeypatch, caplog, error):
    monkeypatch.setattr(refusals, "_BATCH", 2)
    counts, who, batches = Refusals(seconds=86_400), people.principal("viewer"), []

    def add(rows):
        batches.append(rows)
        if len(batches) == 2:
            raise error
        recording.add(rows)

    monkeypatch.setattr(refusals, "add", add)
    for place in range(5):
        counts.note(who, f"GET /{place}", lambda: Origin("rest"))
    assert counts.write() == 3
    assert {row.target for row in records(act="refused")} == {"GET /0", "GET /1", "GET /4"}
    assert "2 records of refusals could not be written" in caplog.text
    assert counts.write() == 0


@pytest.mark.django_db(transaction=True)
def test_refusals_are_written_by_themselves_once_the_database_is_back(people, monkeypatch):
    tries, is_written = [], threading.Event()

    def add(rows):
        tries.append(len(rows))
        if len(tries) < 3:
            raise psycopg.OperationalError
        is_written.set()

    monkeypatch.setattr(refusals, "add", add)
    Refusals(seconds=0.05).note(people.principal("viewer"), "GET /", lambda: Origin("rest"))
    assert is_written.wait(10)
    assert tries == [1, 1, 1]


def test_a_refusal_costs_no_statement_and_a_minute_of_them_one(people, counted, monkeypatch):
    executed: list[str] = []
    monkeypatch.setattr(named_sql, "watchers", [executed.append])
    who = people.principal("viewer")
    executed.clear()
    for _ in range(1_000):
        counted.note(who, "GET /", lambda: Origin("rest"))
    assert executed == []
    assert counted.write() == 1
    assert executed == ["add_audit_records"]
    assert [row.count for row in records(act="refused")] == [1_000]


def test_grpc_says_its_door_and_its_refusals_are_counted(people, counted):
    peer, token = "ipv4:192.0.2.9:1234", people.token("viewer")
    call = Call({"authorization": f"Bearer {token}"}, peer, "request")
    refused = told(call, lambda: admitted(call, "members:manage"))
    assert isinstance(refused, Problem)
    assert refused.status == 403
    assert counted.write() == 1
    told(call, lambda: audit.change(admitted(call, "runs:read"), "test.change", "x"))
    rows = [(row.by, row.act, row.target, row.door, row.address) for row in records()]
    assert rows == [
        ("viewer-of-ours", "refused", "gRPC members:manage", "grpc", "192.0.2.9"),
        ("viewer-of-ours", "test.change", "x", "grpc", "192.0.2.9"),
    ]


def test_people_of_two_tenants_have_logs_of_their_own(people):
    people.client("admin").post("/api/v1/groups", {"name": "Finance"})
    theirs = People().client("admin", "theirs")
    assert theirs.get("/api/v1/audit").json()["results"] == []
