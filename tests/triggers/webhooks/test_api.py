"""Webhooks as their owners see them: the secret once, the address to those who may, each tenant its own (R-132)."""

import re

import pytest
from django.test import Client

from accounts.models import TenantKey
from lib.quiet_redis import QuietRedis
from lib.standard_webhooks import new_secret, written
from tests.api.hooks import ORDER, SIGNAL, make_hook, order, publish, run, sender
from tests.webhooks import Sender
from triggers.webhooks import refused
from triggers.webhooks.models import InboundWebhook, WebhookSecret

__all__ = ["make_hook", "order", "run", "sender"]
pytestmark = [pytest.mark.django_db, pytest.mark.slow]

PAID = {"order": "o-1", "amount": 40}
SHOWN = {
    "id",
    "name",
    "workflow",
    "action",
    "mapping",
    "preset",
    "topic_arn",
    "url",
    "allow_unsigned",
    "enabled",
    "acts_for",
    "last_refusal",
    "secrets",
    "created_at",
}


def test_the_secret_is_shown_when_it_is_made_and_never_again(api, make_hook):
    hook = make_hook()
    assert set(hook) == SHOWN | {"secret"}
    assert re.fullmatch(r"whsec_[A-Za-z0-9+/]{43}=", hook["secret"])
    assert re.fullmatch(r"http://testserver/hooks/[A-Za-z0-9_-]{22}", hook["url"])
    path = f"/api/v1/webhooks/{hook['id']}"
    rotated = api.post(f"{path}/rotate", {}).json()
    answers = [api.get(path), api.patch(path, {"name": "new"}), api.get("/api/v1/webhooks")]
    for answer in answers:
        assert answer.status_code == 200
        for secret in (hook["secret"], rotated["secret"]):
            assert secret.removeprefix("whsec_") not in answer.text
    assert set(answers[0].json()) == SHOWN
    assert answers[0].json()["url"] == hook["url"]
    assert answers[1].json()["name"] == "new"
    assert [secret["number"] for secret in answers[0].json()["secrets"]] == [2, 1]


def test_the_database_holds_neither_token_nor_secret(make_hook):
    hook = make_hook()
    token = hook["url"].rpartition("/")[2]
    row, secret = InboundWebhook.unsafe_all_tenants.values().get(), WebhookSecret.unsafe_all_tenants.get()
    stored = " ".join(
        bytes(value).hex() if isinstance(value, bytes | memoryview) else str(value) for value in row.values()
    )
    assert token not in stored
    assert token.encode().hex() not in stored
    assert hook["secret"] not in str(bytes(secret.sealed))


def test_two_rows_whose_ciphertexts_were_swapped_open_neither(api, make_hook, run):
    one, two = make_hook(name="one"), make_hook(name="two")
    rows = WebhookSecret.unsafe_all_tenants
    first, second = rows.get(webhook_id=one["id"]), rows.get(webhook_id=two["id"])
    rows.filter(pk=first.pk).update(sealed=second.sealed)
    rows.filter(pk=second.pk).update(sealed=first.sealed)
    for hook, other in ((one, two), (two, one)):
        for secret in (hook["secret"], other["secret"]):
            assert Sender(Client(), hook, secret).send(PAID).status_code == 500
    hooks = InboundWebhook.unsafe_all_tenants
    hooks.filter(pk=one["id"]).update(token_sealed=hooks.get(pk=two["id"]).token_sealed)
    assert api.get(f"/api/v1/webhooks/{one['id']}").json()["url"] is None


def test_without_its_key_a_webhook_is_shown_and_can_be_deleted_and_lets_nobody_in(api, sender, settings):
    settings.HANDOFF_MASTER_KEYS = ()
    assert sender.send(PAID).status_code == 500
    [hook] = api.get("/api/v1/webhooks").json()["results"]
    assert hook["url"] is None
    assert api.delete(f"/api/v1/webhooks/{hook['id']}").status_code == 204


def test_one_key_seals_all_webhooks_of_a_tenant(make_hook):
    make_hook(name="one")
    make_hook(name="two")
    assert TenantKey.unsafe_all_tenants.count() == 1


def test_names_are_taken_once_a_tenant(people, api, make_hook):
    one, _two = make_hook(name="one"), make_hook(name="two")
    body = {"name": "two", "workflow": "order", "action": "signal", "mapping": SIGNAL}
    for answer in (
        api.post("/api/v1/webhooks", body),
        api.patch(f"/api/v1/webhooks/{one['id']}", {"name": "two"}),
    ):
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "name_taken")
    theirs = people.client("admin", tenant="theirs")
    publish(theirs, ORDER)
    assert theirs.post("/api/v1/webhooks", body).status_code == 201


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": ""}, "name"),
        ({"action": "stop"}, "action"),
        ({"workflow": "none"}, "workflow"),
        ({"mapping": {}}, "mapping.business_key"),
        ({"mapping": {"business_key": "x"}}, "mapping.signal_name"),
        ({"mapping": SIGNAL | {"other": 1}}, "mapping.other"),
        ({"mapping": SIGNAL | {"business_key": 7}}, "mapping.business_key"),
        ({"mapping": SIGNAL | {"business_key": ""}}, "mapping.business_key"),
        ({"mapping": SIGNAL | {"business_key": "x" * 257}}, "mapping.business_key"),
        ({"mapping": SIGNAL | {"signal_name": "x" * 201}}, "mapping.signal_name"),
        ({"mapping": SIGNAL | {"signal_id": "{{ body. }}"}}, "mapping.signal_id"),
        ({"mapping": SIGNAL | {"signal_id": "{{ body.a"}}, "mapping.signal_id"),
        ({"mapping": SIGNAL | {"payload": {"a": "{{ input.x }}"}}}, "mapping.payload"),
        ({"mapping": SIGNAL | {"payload": {"a": "{{ secrets.x }}"}}}, "mapping.payload"),
        ({"mapping": SIGNAL | {"payload": "x" * 70_000}}, "mapping"),
        ({"mapping": SIGNAL | {"start_if_missing": 1}}, "mapping.start_if_missing"),
        ({"mapping": SIGNAL | {"input": {}}}, "mapping.input"),
        ({"action": "start"}, "mapping.payload"),
    ],
)
def test_what_can_not_work_is_refused_when_it_is_saved_and_named(api, order, change, field):
    body = {"name": "shop", "workflow": "order", "action": "signal", "mapping": SIGNAL} | change
    answer = api.post("/api/v1/webhooks", body)
    assert answer.status_code == (404 if field == "workflow" else 400)
    assert answer.json()["error"]["field"] == field
    assert not InboundWebhook.unsafe_all_tenants.exists()


def test_a_mapping_is_changed_as_a_whole_and_as_strictly(api, make_hook, run):
    hook = make_hook()
    path = f"/api/v1/webhooks/{hook['id']}"
    wrong = api.patch(path, {"mapping": {"business_key": "{{ body.id }}"}})
    assert (wrong.status_code, wrong.json()["error"]["field"]) == (400, "mapping.signal_name")
    assert api.patch(path, {"action": "start"}).status_code == 400
    other = {"business_key": "o-{{ body.id }}", "signal_name": "paid", "payload": None}
    assert api.patch(path, {"mapping": other}).json()["mapping"] == other
    assert Sender(Client(), hook).send({"id": 1}).status_code == 202


def test_nobody_makes_a_webhook_that_may_do_more_than_they_do(people, make_hook):
    hook = make_hook()
    client = people.client("admin", scopes=frozenset({"webhooks:manage", "runs:start"}))
    signals = {"name": "a", "workflow": "order", "action": "signal", "mapping": SIGNAL}
    starts = {"name": "b", "workflow": "order", "action": "start"}
    refused = client.post("/api/v1/webhooks", signals)
    assert (refused.status_code, refused.json()["error"]["details"]) == (403, {"scope": "runs:signal"})
    assert client.post("/api/v1/webhooks", starts).status_code == 201
    path = f"/api/v1/webhooks/{hook['id']}"
    assert client.get(path).status_code == 200
    assert client.patch(path, {"enabled": True}).status_code == 403
    assert client.post(f"{path}/rotate", {}).status_code == 403
    # To switch it off is less than what it does.
    assert client.patch(path, {"enabled": False}).status_code == 200


def test_an_archived_workflow_gets_no_new_webhook(api, order):
    api.delete("/api/v1/workflows/order")
    body = {"name": "shop", "workflow": "order", "action": "signal", "mapping": SIGNAL}
    assert api.post("/api/v1/webhooks", body).json()["error"]["code"] == "archived"


def test_webhooks_are_listed_newest_first_in_pages(api, make_hook):
    made = [make_hook(name=f"hook {number}")["name"] for number in range(3)]
    page = api.get("/api/v1/webhooks?limit=2").json()
    assert [hook["name"] for hook in page["results"]] == made[:0:-1]
    assert [hook["name"] for hook in api.get(page["next"]).json()["results"]] == made[:1]


def test_what_came_of_its_messages_and_why_others_were_refused_is_told(api, sender, run):
    (hook,) = api.get("/api/v1/webhooks").json()["results"]
    path = f"/api/v1/webhooks/{hook['id']}/deliveries"
    assert api.get(path).json() == {"taken": [], "refused": []}
    assert sender.send(PAID).status_code == 202
    assert sender.send(PAID | {"order": "o-9"}).status_code == 409
    answer = api.get(path).json()
    (taken,), (kept_out,) = answer["taken"], answer["refused"]
    assert (taken["action"], taken["run_id"], taken["signal"]) == ("signal", run, "paid")
    assert (taken["brought"], taken["truncated"]) == ('{"amount": 40}', False)
    assert (kept_out["status"], kept_out["code"]) == (409, "no_run")
    assert sender.client.post(f"{sender.path[:-3]}abc", b"{}", content_type="text/plain").status_code == 404
    assert len(api.get(path).json()["refused"]) == 1


def test_where_redis_is_away_messages_are_answered_as_ever(api, sender, run, monkeypatch, settings):
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    monkeypatch.setattr(refused, "_STORE", QuietRedis("why"))
    (hook,) = api.get("/api/v1/webhooks").json()["results"]
    assert sender.send(PAID | {"order": "o-9"}).status_code == 409
    assert api.get(f"/api/v1/webhooks/{hook['id']}/deliveries").json()["refused"] == []


def test_who_has_no_secret_pushes_out_no_reason_that_owners_look_for(api, sender, run):
    (hook,) = api.get("/api/v1/webhooks").json()["results"]
    assert sender.send(PAID | {"order": "o-9"}).status_code == 409
    stranger = Sender(sender.client, hook, written(new_secret()))
    for _ in range(25):
        assert stranger.send(PAID).status_code == 401
    listed = api.get(f"/api/v1/webhooks/{hook['id']}/deliveries").json()["refused"]
    codes = [one["code"] for one in listed]
    assert codes == ["bad_signature"] * refused.OF_EACH + ["no_run"]
