"""Messages to webhooks: verified before anything is read, done once, refused with a reason (R-132, R-255)."""

import logging

import orjson
import pytest
from django.conf import settings
from django.test import Client
from django.utils.module_loading import import_string

from runs.models import Run, Signal, StartedFrom
from runs.store import payloads
from tests import factories as make
from tests.api.hooks import SIGNAL, make_hook, order, publish, run, sender
from tests.store.watching import watching
from tests.timing import clock
from tests.webhooks import Sender, signature, signed
from triggers.webhooks import deliveries
from triggers.webhooks.models import WebhookDelivery, WebhookSecret

__all__ = ["clock", "make_hook", "order", "run", "sender"]
pytestmark = [pytest.mark.django_db, pytest.mark.slow]

PAID = {"order": "o-1", "amount": 40}


def code(answer):
    body = answer.json()
    assert set(body) == {"error", "request_id"}, body
    assert set(body["error"]) == {"code", "message", "field", "details"}
    return answer.status_code, body["error"]["code"]


def nothing_happened():
    return not Signal.unsafe_all_tenants.exists() and not WebhookDelivery.unsafe_all_tenants.exists()


def test_a_signed_message_is_a_signal_to_the_run_with_its_key(api, sender, run):
    make.work()
    answer = sender.send(PAID, message_id="msg_1")
    caused = {"duplicate": False, "run_id": run, "signal_id": "msg_1", "created": False, "kept": False}
    assert (answer.status_code, answer.json()) == (202, caused)
    shown = api.get(f"/api/v1/runs/{run}").json()
    assert (shown["status"], shown["output"]) == ("COMPLETED", {"amount": 40})
    assert Signal.unsafe_all_tenants.get().sent_by == "webhook shop"


def test_the_same_message_again_does_nothing_also_when_the_run_is_over(sender, run):
    make.work()
    assert sender.send(PAID, message_id="msg_1").status_code == 202
    for _ in range(2):
        again = sender.send(PAID, message_id="msg_1")
        assert (again.status_code, again.json()) == (200, {"duplicate": True})
    assert Signal.unsafe_all_tenants.count() == 1
    assert code(sender.send(PAID, message_id="msg_2")) == (409, "run_ended")
    assert WebhookDelivery.unsafe_all_tenants.count() == 1


def test_an_event_with_an_id_of_its_own_is_one_signal_in_however_many_messages(make_hook, run):
    hook = Sender(Client(), make_hook(mapping=SIGNAL | {"signal_id": "evt-{{ body.event }}"}))
    first, second = (hook.send(PAID | {"event": 7}) for _ in range(2))
    assert (first.status_code, first.json()["signal_id"]) == (202, "evt-7")
    assert (second.status_code, second.json()["duplicate"]) == (200, True)
    assert Signal.unsafe_all_tenants.count() == 1


def test_a_message_starts_a_run_and_its_repetition_none(make_hook):
    hook = Sender(Client(), make_hook("start", {"input": {"order": "{{ body.id }}"}}))
    answer = hook.send({"id": "o-7"}, message_id="a")
    assert (answer.status_code, answer.json()["created"]) == (202, True)
    assert hook.send({"id": "o-7"}, message_id="a").json() == {"duplicate": True}
    other = hook.send({"id": "o-7"}, message_id="b")
    assert (other.status_code, other.json()["created"]) == (202, False)
    [run] = Run.unsafe_all_tenants.all()
    assert (str(run.id), run.business_key, run.input) == (answer.json()["run_id"], "o-7", {"order": "o-7"})
    assert (run.created_by, run.started_from) == ("webhook shop", StartedFrom.WEBHOOK)


def test_a_signal_starts_the_run_that_is_missing_where_that_is_wanted(api, make_hook):
    hook = Sender(Client(), make_hook(mapping=SIGNAL | {"start_if_missing": True}))
    first, second = hook.send(PAID), hook.send(PAID)
    assert (first.status_code, first.json()["created"], second.json()["created"]) == (202, True, False)
    assert first.json()["run_id"] == second.json()["run_id"]
    make.work()
    assert make.run(first.json()["run_id"]).output == {"amount": 40}
    wary = Sender(Client(), make_hook(name="wary"))
    assert code(wary.send(PAID | {"order": "o-9"})) == (409, "no_run")


@pytest.mark.parametrize("seconds", [-299, 0, 299])
def test_a_message_is_good_for_five_minutes_by_the_databases_clock(clock, sender, run, seconds):
    assert sender.send(PAID, at=int(clock.now.timestamp()) + seconds).status_code == 202


@pytest.mark.parametrize("seconds", [-301, 301, -86400])
def test_an_old_message_and_one_from_the_future_are_refused(clock, sender, run, seconds):
    answer = sender.send(PAID, at=int(clock.now.timestamp()) + seconds)
    assert code(answer) == (401, "bad_timestamp")
    assert nothing_happened()


def test_a_body_that_was_touched_is_refused_whatever_is_in_it(sender, run):
    good = orjson.dumps(PAID)
    headers = signed(sender.secret, good)
    for touched in (good + b" ", good.replace(b"40", b"90"), b"", b"{", b"[" * 100_000):
        assert code(sender.send(touched, headers=headers)) == (401, "bad_signature"), touched[:20]
    assert nothing_happened()
    assert sender.send(good, headers=headers).status_code == 202


def test_a_signature_does_not_go_with_another_id_or_time(sender, run):
    good = orjson.dumps(PAID)
    headers = signed(sender.secret, good)
    later = str(int(headers["webhook-timestamp"]) + 1)
    assert code(sender.send(good, headers=headers | {"webhook-id": "other"})) == (401, "bad_signature")
    assert code(sender.send(good, headers=headers | {"webhook-timestamp": later})) == (401, "bad_signature")
    for name in headers:
        left = {key: value for key, value in headers.items() if key != name}
        assert code(sender.send(good, headers=left)) == (401, "not_signed")
    assert nothing_happened()


def test_another_webhooks_secret_is_wrong_here(sender, make_hook, run):
    other = make_hook(name="other")
    assert code(Sender(sender.client, {"url": sender.path}, other["secret"]).send(PAID)) == (
        401,
        "bad_signature",
    )
    assert nothing_happened()


def test_while_a_secret_is_exchanged_both_count_and_then_the_new_one_only(api, clock, make_hook, run):
    hook = make_hook()
    path = f"/api/v1/webhooks/{hook['id']}"
    answer = api.post(f"{path}/rotate", {"overlap_seconds": 600})
    assert answer.status_code == 200
    new, old = answer.json()["secret"], hook["secret"]
    assert new != old
    by_old, by_new = Sender(Client(), hook), Sender(Client(), hook, new)
    now = int(clock.now.timestamp())
    assert [one.send(PAID, at=now).status_code for one in (by_old, by_new)] == [202, 202]
    raw = orjson.dumps(PAID)
    both = " ".join(signature(secret, "m", now, raw) for secret in (old, new))
    headers = signed(old, raw, message_id="m", at=now) | {"webhook-signature": both}
    assert by_old.send(raw, headers=headers).status_code == 202
    clock.advance(600)
    now = int(clock.now.timestamp())
    assert code(by_old.send(PAID, at=now)) == (401, "bad_signature")
    assert by_new.send(PAID, at=now).status_code == 202
    assert api.post(f"{path}/rotate", {"overlap_seconds": 0}).status_code == 200
    assert code(by_new.send(PAID, at=now)) == (401, "bad_signature")
    assert [secret["number"] for secret in api.get(path).json()["secrets"]] == [3, 2]


def test_at_most_five_secrets_count_and_an_overlap_is_never_made_longer(api, clock, make_hook):
    hook = make_hook()
    path = f"/api/v1/webhooks/{hook['id']}/rotate"
    assert [api.post(path, {"overlap_seconds": 60}).status_code for _ in range(4)] == [200] * 4
    full = api.post(path, {})
    assert (full.status_code, full.json()["error"]["code"]) == (409, "too_many_secrets")
    assert api.post(path, {"overlap_seconds": 0}).status_code == 200
    clock.advance(1)
    assert len(api.post(path, {"overlap_seconds": 60}).json()["secrets"]) == 2
    clock.advance(30)
    ends = [s["expires_at"] for s in api.post(path, {"overlap_seconds": 3600}).json()["secrets"]]
    assert ends[0] is None
    assert ends[2] < ends[1]


def test_without_a_signature_nobody_gets_in_unless_that_is_switched_on(api, make_hook, run):
    hook = make_hook()
    plain = Sender(Client(), hook)
    assert code(plain.send(PAID, headers={})) == (401, "not_signed")
    assert code(plain.send(PAID, headers={"webhook-id": "a"})) == (401, "not_signed")
    api.patch(f"/api/v1/webhooks/{hook['id']}", {"allow_unsigned": True})
    first = plain.send(PAID, headers={"webhook-id": "a"})
    again = plain.send(PAID, headers={"webhook-id": "a"})
    assert (first.status_code, again.status_code) == (202, 200)
    assert plain.send(PAID, headers={}).status_code == 202
    assert code(plain.send(PAID, headers={"webhook-id": "a b"})) == (400, "invalid")
    wrong = signed(hook["secret"], b"other")
    assert code(plain.send(PAID, headers=wrong)) == (401, "bad_signature")


def test_a_token_that_nobody_has_is_a_404_and_no_query_is_made_for_what_can_be_none(client, db):
    for token in ("A" * 21, "A" * 23, "A" * 5000, "é" * 22, "..", "%00" * 22):
        with watching() as wire:
            assert code(client.post(f"/hooks/{token}", b"{}", "application/json")) == (404, "not_found")
        assert wire.trips == 0
    assert code(client.post(f"/hooks/{'A' * 22}", b"{}", "application/json")) == (404, "not_found")
    assert client.post("/hooks/", b"{}", "application/json").status_code == 404


def test_one_that_is_switched_off_is_gone_and_one_that_is_deleted_unknown(api, make_hook, run):
    hook = make_hook()
    path = f"/api/v1/webhooks/{hook['id']}"
    to_hook = Sender(Client(), hook)
    api.patch(path, {"enabled": False})
    assert code(to_hook.send(PAID)) == (410, "webhook_disabled")
    api.patch(path, {"enabled": True})
    assert to_hook.send(PAID).status_code == 202
    assert api.delete(path).status_code == 204
    assert code(to_hook.send(PAID)) == (404, "not_found")
    assert not WebhookSecret.unsafe_all_tenants.exists()


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_only_post_is_there(client, sender, method):
    answer = client.generic(method, sender.path)
    assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")


BOMBS = [
    (b"", 400),
    (b"null and more", 400),
    (b"\xff", 400),
    (b'{"order": NaN}', 400),
    (b'{"order": 1e999}', 400),
    (b'{"order": "a", "order": "b"}', 400),
    (b'{"order": "a\\u0000"}', 400),
    (b"[" * 100_000 + b"]" * 100_000, 400),
    (b'{"a":' * 70_000 + b"1" + b"}" * 70_000, 400),
    (b" " * (1024 * 1024) + b"1", 413),
    (b'"' + b"x" * (2 * 1024 * 1024) + b'"', 413),
]


@pytest.mark.parametrize(("raw", "status"), BOMBS)
def test_a_body_that_is_no_good_json_is_refused_even_if_signed(sender, run, raw, status):
    answer = sender.send(raw)
    assert code(answer)[0] == status
    assert answer.json()["error"]["code"] == ("bad_json" if status == 400 else "too_large")
    assert nothing_happened()


def test_a_body_of_a_mebibyte_passes(make_hook, run):
    hook = Sender(Client(), make_hook(mapping={"business_key": "o-1", "signal_name": "paid"}))
    raw = b'"' + b"x" * (1024 * 1024 - 2) + b'"'
    assert hook.send(raw).status_code == 202
    sent = Signal.unsafe_all_tenants.get()
    assert len(payloads.whole(sent.tenant_id, sent.payload)) == 1024 * 1024 - 2


def test_more_than_any_body_may_have_is_refused_in_the_envelope(sender):
    raw = b"1" * (settings.HANDOFF_MAX_BODY_BYTES + 1)
    assert code(sender.send(raw)) == (413, "too_large")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "mapping.business_key"),
        ([], "mapping.business_key"),
        (None, "mapping.business_key"),
        ({"order": {"no": 1}, "amount": 1}, "mapping.business_key"),
        ({"order": True, "amount": 1}, "mapping.business_key"),
        ({"order": "", "amount": 1}, "mapping.business_key"),
        ({"order": "x" * 257, "amount": 1}, "mapping.business_key"),
        ({"order": "o-1"}, "mapping.payload"),
    ],
)
def test_a_body_that_the_mapping_can_not_take_is_a_422_that_says_where(sender, run, body, field):
    answer = sender.send(body)
    assert code(answer) == (422, "mapping_failed")
    assert answer.json()["error"]["field"] == field
    assert nothing_happened()


def test_an_input_that_the_workflow_does_not_take_is_a_422_and_may_be_sent_again(api, make_hook):
    hook = Sender(Client(), make_hook("start", {}))
    answer = hook.send({"other": 1}, message_id="a")
    assert code(answer) == (422, "invalid_input")
    assert nothing_happened()
    assert hook.send({"order": "o-2"}, message_id="a").status_code == 202


def test_an_expression_that_grows_without_measure_ends_in_time(make_hook, run):
    doubling = "{{ body.items.map(a, body.items.map(b, body.items.map(c, a + b + c))) }}"
    hook = Sender(Client(), make_hook(mapping=SIGNAL | {"payload": doubling}))
    answer = hook.send(PAID | {"items": ["x" * 1000] * 200})
    assert code(answer) == (422, "mapping_failed")


def test_an_archived_workflow_starts_nothing(api, make_hook):
    hook = Sender(Client(), make_hook("start", {}))
    api.delete("/api/v1/workflows/order")
    assert code(hook.send({"order": "o-1"})) == (409, "archived")
    assert nothing_happened()


def test_a_webhook_reaches_runs_of_its_own_workflow_and_tenant_only(people, api, make_hook, run):
    theirs = people.client("admin", tenant="theirs")
    publish(theirs, {"name": "order", "nodes": [{"id": "a", "type": "noop"}], "edges": []})
    body = {"name": "shop", "workflow": "order", "action": "signal", "mapping": SIGNAL}
    answer = theirs.post("/api/v1/webhooks", body)
    assert answer.status_code == 201
    assert code(Sender(Client(), answer.json()).send(PAID)) == (409, "no_run")
    other = {"name": "other", "nodes": [{"id": "a", "type": "noop"}], "edges": []}
    publish(api, other)
    hook = api.post("/api/v1/webhooks", body | {"name": "elsewhere", "workflow": "other"}).json()
    assert code(Sender(Client(), hook).send(PAID)) == (409, "no_run")


def test_sessions_and_tokens_open_no_webhook(people, sender, run):
    sender.client.force_login(people.member("admin"))
    headers = {"Authorization": f"Bearer {people.token('admin')}"}
    assert code(sender.send(PAID, headers=headers)) == (401, "not_signed")


def test_neither_address_nor_secret_nor_body_get_into_a_log(caplog, sender, run, monkeypatch):
    caplog.set_level(logging.DEBUG)
    token = sender.path.rpartition("/")[2]
    mark = PAID | {"note": "very private"}
    sender.send(mark)
    sender.send(mark, headers={})
    sender.send(b"{")
    sender.send({})
    sender.client.get(sender.path)
    monkeypatch.setattr("triggers.webhooks.actions.start_workflow", None)
    monkeypatch.setattr("triggers.webhooks.actions.send_signals", lambda *args, **how: 1 / 0)
    assert code(sender.send(mark)) == (500, "internal_error")
    assert "ZeroDivisionError" in caplog.text
    for secret in (token, sender.secret, sender.secret.removeprefix("whsec_"), "very private"):
        assert secret not in caplog.text


def test_whoever_logs_an_address_logs_it_without_its_token():
    handler = logging.Handler()
    said = []
    handler.emit = lambda record: said.append(record.getMessage())
    for name in settings.LOGGING["handlers"]["console"]["filters"]:
        handler.addFilter(import_string(settings.LOGGING["filters"][name]["()"])())
    record = logging.LogRecord(
        "django.request", logging.WARNING, "x", 1, "%s: %s", ("Bad Request", "/hooks/s3cr3t"), None
    )
    handler.handle(record)
    assert said == ["Bad Request: /hooks/..."]


def test_notes_of_messages_are_forgotten_after_a_week_a_batch_at_a_time(clock, sender, run, monkeypatch):
    monkeypatch.setattr(deliveries, "BATCH", 2)
    for _ in range(5):
        assert sender.send(PAID, at=int(clock.now.timestamp())).status_code == 202
    clock.advance(7 * 86400)
    assert deliveries.forget() == 0
    clock.advance(1)
    assert sender.send(PAID, at=int(clock.now.timestamp())).status_code == 202
    assert deliveries.forget(0) == 2
    assert deliveries.forget() == 3
    assert WebhookDelivery.unsafe_all_tenants.count() == 1
