"""Nothing but a discard drops what waits for a webhook, and a replay sends what was missed, each event by its id."""

import contextlib
from datetime import timedelta

import pytest
from django.db import connection

from config.embedded.processes import wait_until
from integrations.webhooks_out import duties, service, store, switching
from integrations.webhooks_out.dispatcher import here
from integrations.webhooks_out.models import OutgoingDelivery, OutgoingReplay, OutgoingWebhook
from lib.clock import now_here
from tests import factories as make
from tests.integrations.webhooks_out.receiving import deliver, receiving
from tests.people import People

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
TWO = make.chain("noop", "noop")
ALL = ["run.started", "step.completed", "step.completed", "run.completed"]


@pytest.fixture
def receiver(monkeypatch):
    with receiving(monkeypatch) as receiver:
        yield receiver


@pytest.fixture
def admin(db):
    return People().principal("admin", "default")


@pytest.fixture
def webhook(admin, receiver):
    return service.create_webhook(admin, url=receiver.url).webhook


def begun():
    (run,) = make.start(TWO)
    make.work()
    return run


def row():
    return OutgoingWebhook.unsafe_all_tenants.get()


def states():
    return list(OutgoingDelivery.unsafe_all_tenants.order_by("event_id").values_list("state", flat=True))


def replayed(admin, webhook, since, limit=5_000):
    """All of a replay, as if the transaction of its request were over; gives how many pages it took."""
    service.replay_since(admin, webhook.pk, since=since)
    OutgoingReplay.unsafe_all_tenants.update(xid=0)
    pages = 0
    while OutgoingReplay.unsafe_all_tenants.exists():
        store.page_replay(limit)
        deliver()
        pages += 1
    return pages


def an_hour_ago():
    return now_here() - timedelta(hours=1)


def test_enabling_what_is_on_ends_the_pause_and_drops_nothing(admin, webhook, receiver):
    receiver.answers = lambda message: (503, {"Retry-After": "86000"})
    run = begun()
    deliver()
    failed = row()
    service.enable_webhook(admin, webhook.pk)
    assert states() == ["pending"] * 4
    assert (row().paused_until, row().failures, row().failing_since) == (None, 1, failed.failing_since)
    receiver.answers = lambda message: 204
    deliver()
    assert [one.type for one in receiver.of(run)] == ["run.started", *ALL]
    assert states() == ["delivered"] * 4


def test_what_waited_when_it_was_switched_off_is_sent_when_it_is_on_again(admin, webhook, receiver, clock):
    receiver.answers = lambda message: 500
    run = begun()
    deliver()
    service.change_webhook(admin, webhook.pk, enabled=False)
    clock.advance((store.KEPT_DAYS + 1) * 86_400)
    switching.keep_bounds()
    store.forget(10)
    missed = begun()
    receiver.answers = lambda message: 204
    service.change_webhook(admin, webhook.pk, enabled=True)
    deliver()
    assert [one.type for one in receiver.of(run)] == ["run.started", *ALL]
    assert receiver.of(missed) == []


def test_what_was_switched_off_for_its_backlog_may_have_as_much_on_top(admin, webhook, receiver, monkeypatch):
    OutgoingWebhook.unsafe_all_tenants.update(most_pending=3)
    make.start(TWO, {}, {}, {})
    switching.keep_bounds()
    assert row().enabled
    make.start(TWO)
    switching.keep_bounds()
    assert (row().off_reason, states()) == ("backlog", ["pending"] * 4)
    monkeypatch.setattr(service, "PENDING_MESSAGES", 3)
    service.enable_webhook(admin, webhook.pk)
    assert row().most_pending == 7
    switching.keep_bounds()
    assert row().enabled
    begun()
    switching.keep_bounds()
    assert row().off_reason == "backlog"


def test_a_discard_gives_up_what_waits_for_this_webhook_alone(admin, webhook, receiver, monkeypatch):
    monkeypatch.setattr(service, "_BATCH", 3)
    other = service.create_webhook(admin, url=receiver.url + "/other").webhook
    begun()
    service.change_webhook(admin, webhook.pk, enabled=False)
    assert service.discard(admin, webhook.pk) == 4
    assert service.discard(admin, webhook.pk) == 0
    rows = OutgoingDelivery.unsafe_all_tenants
    assert set(rows.filter(webhook_id=webhook.pk).values_list("state", "error")) == {
        ("dropped", f"Discarded by {admin.username}.")
    }
    assert set(rows.filter(webhook_id=other.pk).values_list("state", flat=True)) == {"pending"}


@pytest.mark.parametrize("limit", [5_000, 3])
def test_a_replay_sends_all_events_since_a_time_in_order_by_their_ids(admin, webhook, receiver, limit):
    first = begun()
    deliver()
    service.change_webhook(admin, webhook.pk, enabled=False)
    missed = begun()
    service.enable_webhook(admin, webhook.pk)
    before = [one.id for one in receiver.of(first)]
    receiver.messages.clear()
    pages = replayed(admin, webhook, an_hour_ago(), limit)
    assert (pages > 1) is (limit == 3)
    assert [one.id for one in receiver.of(first)] == before
    assert [one.type for one in receiver.of(missed)] == ALL
    assert len({one.id for one in receiver.messages}) == len(receiver.messages) == 8
    # What has been forgotten since has the same id, too.
    OutgoingDelivery.unsafe_all_tenants.all().delete()
    ids = {one.id for one in receiver.messages}
    receiver.messages.clear()
    replayed(admin, webhook, an_hour_ago(), limit)
    assert {one.id for one in receiver.messages} == ids


def test_events_that_were_missed_within_a_run_are_sent_between_its_others(admin, webhook, receiver):
    run = begun()
    OutgoingDelivery.unsafe_all_tenants.filter(type="STEP_COMPLETED").delete()
    replayed(admin, webhook, an_hour_ago())
    assert [one.type for one in receiver.of(run)] == ALL


def test_a_replay_keeps_to_the_time_the_events_and_the_workflow(admin, receiver, clock):
    mine = make.start(make.graph(["x"], []))[0]
    hook = service.create_webhook(
        admin,
        url=receiver.url,
        events_wanted=["run.started"],
        workflow=make.run(mine).version.workflow.name,
    ).webhook
    begun()
    replayed(admin, hook, an_hour_ago())
    assert [(one.type, one.event["subject"]) for one in receiver.messages] == [("run.started", mine)]
    receiver.messages.clear()
    clock.advance(7_200)
    replayed(admin, hook, an_hour_ago())
    assert receiver.messages == []


@pytest.mark.django_db(transaction=True)
def test_a_replay_waits_for_transactions_that_are_under_way_and_goes_on_after_a_restore(admin, webhook):
    begun()
    other = connection.copy()
    with contextlib.closing(other), other.cursor() as cursor:
        cursor.execute("BEGIN; SELECT pg_current_xact_id()")
        service.replay_since(admin, webhook.pk, since=an_hour_ago())
        assert store.page_replay(10) == 0
        cursor.execute("COMMIT")
        # Those of other databases of this server count, too.
        wait_until(lambda: store.page_replay(2) == 2, 60, "the first page of the replay")
        # Another server's number: higher than any of this one.
        OutgoingReplay.unsafe_all_tenants.update(xid=2**60)
        assert store.page_replay(10) > 0
    assert not OutgoingReplay.unsafe_all_tenants.exists()


def test_a_replay_waits_while_enough_waits_and_while_its_webhook_is_off(admin, webhook, monkeypatch):
    begun()
    service.replay_since(admin, webhook.pk, since=an_hour_ago())
    OutgoingReplay.unsafe_all_tenants.update(xid=0)
    monkeypatch.setattr(store, "REPLAY_ROOM", 4)
    assert store.page_replay(10) == 0
    monkeypatch.setattr(store, "REPLAY_ROOM", 5)
    OutgoingWebhook.unsafe_all_tenants.update(enabled=False)
    assert store.page_replay(10) == 0
    OutgoingWebhook.unsafe_all_tenants.update(enabled=True)
    assert store.page_replay(10) > 0


def test_the_duty_pages_replays_and_the_first_event_is_found_among_many(admin, webhook, monkeypatch, clock):
    for _ in range(5):
        begun()
        clock.advance(7_200)
    OutgoingDelivery.unsafe_all_tenants.all().delete()
    service.replay_since(admin, webhook.pk, since=clock.now - timedelta(hours=3))
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM runs_historyevent h, runs_outgoingreplay p WHERE h.id <= p.after"
        )
        assert cursor.fetchone()[0] > 0
    OutgoingReplay.unsafe_all_tenants.update(xid=0)
    monkeypatch.setattr(here, "tick", lambda: 0)
    assert duties.send() > 0
    assert states() == ["pending"] * 4
