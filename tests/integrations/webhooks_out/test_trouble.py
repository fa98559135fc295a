"""Webhooks that go out, in trouble: what breaks costs a lease or an attempt, and what was mended counts at once."""

import pytest
from django.db import OperationalError

from integrations.webhooks_out import dispatcher, messages, secrets, service, store
from integrations.webhooks_out.delivering import OWN_SECONDS, serve
from integrations.webhooks_out.limits import MESSAGE_ATTEMPTS
from integrations.webhooks_out.models import OutgoingDelivery, OutgoingWebhook
from lib.sealing import new_key
from tests import factories as make
from tests.integrations.webhooks_out.receiving import deliver, receiving
from tests.people import People

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture
def receiver(monkeypatch):
    with receiving(monkeypatch) as receiver:
        yield receiver


@pytest.fixture
def admin(db):
    return People().principal("admin", "default")


@pytest.fixture
def webhook(admin, receiver):
    return service.create_webhook(admin, url=receiver.url, events_wanted=["run.started"]).webhook


def begun():
    make.start(make.chain("noop"))


def row():
    return OutgoingWebhook.unsafe_all_tenants.get()


def states():
    return list(OutgoingDelivery.unsafe_all_tenants.order_by("id").values_list("state", flat=True))


def test_what_breaks_while_a_webhook_is_served_is_tried_again_when_the_lease_is_over(
    webhook, receiver, clock, monkeypatch
):
    begun()
    leased = store.lease("w", failing=True)
    with monkeypatch.context() as patched:
        patched.setattr(secrets, "valid", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            serve(leased, "w")
    assert store.lease("another", failing=True) is None
    clock.advance(store.LEASE_SECONDS + 1)
    assert deliver() == 1
    assert states() == ["delivered"]


def test_a_message_that_cannot_be_built_holds_up_no_other(webhook, receiver, monkeypatch):
    begun()
    begun()
    built = messages.body_of
    (first, _) = OutgoingDelivery.unsafe_all_tenants.order_by("id").values_list("pk", flat=True)
    monkeypatch.setattr(messages, "body_of", lambda due, url: 1 / 0 if due.id == first else built(due, url))
    assert deliver() == 1
    assert states() == ["pending", "delivered"]
    broken = OutgoingDelivery.unsafe_all_tenants.get(pk=first)
    assert (broken.attempts, broken.error) == (0, "Not sent: ZeroDivisionError")
    assert row().failures == 0


def test_a_lease_is_left_where_the_database_broke_off_and_is_back(webhook, receiver, monkeypatch):
    begun()
    leased = store.lease("w", failing=True)
    monkeypatch.setattr(dispatcher, "serve", broken_off)
    monkeypatch.setattr(
        dispatcher.connection, "close", lambda: None
    )  # It is the test's, with its transaction.
    dispatcher.Lookout()._serve(leased, "w")
    assert store.lease("another", failing=True).webhook == leased.webhook


def broken_off(*_):
    raise OperationalError("canceling statement due to lock timeout")


def test_an_error_of_ours_is_no_attempt(webhook, receiver, clock, monkeypatch):
    begun()
    with monkeypatch.context() as patched:
        patched.setattr("lib.egress.Egress.request", lambda *_, **__: {}["nothing"])
        assert deliver() == 0
    (sent,) = OutgoingDelivery.unsafe_all_tenants.all()
    assert (sent.state, sent.attempts, sent.error) == ("pending", 0, "Not sent: KeyError")
    assert (row().failures, row().paused_until) == (0, None)
    clock.advance(OWN_SECONDS)
    assert deliver() == 1


def test_what_another_master_key_has_sealed_is_sent_when_that_is_here_and_nothing_is_paused(
    webhook, receiver, settings, clock, caplog
):
    right = settings.HANDOFF_MASTER_KEYS
    settings.HANDOFF_MASTER_KEYS = (new_key(),)
    for _ in range(MESSAGE_ATTEMPTS + 1):
        begun()
        assert deliver() == 0
        clock.advance(store.LEASE_SECONDS + 1)
    assert (row().enabled, row().failures, row().failing_since, row().paused_until) == (True, 0, None, None)
    assert "the key that sealed" in row().last_error
    assert "can't be served" in caplog.text
    assert {one.attempts for one in OutgoingDelivery.unsafe_all_tenants.all()} == {0}
    settings.HANDOFF_MASTER_KEYS = right
    deliver()
    clock.advance(store.LEASE_SECONDS + 1)
    deliver()
    assert set(states()) == {"delivered"}
    assert row().last_error == ""


def test_one_failure_after_a_quiet_week_switches_nothing_off(webhook, receiver, clock):
    receiver.answers = lambda message: 502
    begun()
    deliver()
    OutgoingDelivery.unsafe_all_tenants.update(state="failed")
    clock.advance(7 * 86_400)
    begun()
    deliver()
    assert row().enabled
    assert row().failures == 2


def test_another_address_is_tried_at_once(admin, webhook, receiver):
    right = receiver.url
    receiver.answers = lambda message: (503, {"Retry-After": "86000"})
    begun()
    deliver()
    assert row().paused_until is not None
    receiver.answers = lambda message: 204
    service.change_webhook(admin, webhook.pk, url=f"{right}/new")
    assert (row().paused_until, row().failures, row().last_error) == (None, 0, "")


def test_a_test_comes_before_what_waits(admin, webhook, receiver):
    receiver.answers = lambda message: 500
    begun()
    deliver()
    OutgoingDelivery.unsafe_all_tenants.update(due_at=None)
    service.send_test(admin, webhook.pk)
    deliver()
    assert receiver.types() == ["run.started", "webhook.test"]
