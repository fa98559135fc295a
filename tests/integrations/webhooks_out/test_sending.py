"""Events go out to webhooks: each that was committed and is wanted, in order, signed, until it has arrived."""

import threading
import uuid

import pytest
from django.db import transaction

from config.embedded.processes import wait_until
from engine.events import EVENTS
from integrations.webhooks_out import events, retrying, service, store, switching
from integrations.webhooks_out.delivering import serve
from integrations.webhooks_out.dispatcher import FAILING_SLOTS, SLOTS, Lookout
from integrations.webhooks_out.limits import MESSAGE_ATTEMPTS
from integrations.webhooks_out.models import OutgoingDelivery, OutgoingWebhook
from runs.models import HistoryEvent, Run
from tasks_inbox.duties import account_mails
from tests import factories as make
from tests.integrations.webhooks_out.factories import OutgoingDeliveryFactory
from tests.integrations.webhooks_out.receiving import deliver, receiving
from tests.people import People
from tests.smtp import mailbox
from tests.store.watching import watching

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

TWO = make.chain("noop", "noop")


@pytest.fixture
def receiver(monkeypatch):
    with receiving(monkeypatch) as receiver:
        yield receiver


@pytest.fixture
def people(db):
    return People()


@pytest.fixture
def hook(people, receiver):
    """Makes a webhook of the tenant `default`, to the receiver unless told otherwise; gives it with its secret."""

    def hook(url=None, **how):
        return service.create_webhook(people.principal("admin", "default"), url=url or receiver.url, **how)

    return hook


def told(run_id, names=events.NAMES):
    """The events of a run that are sent, by their names, in the order of its history."""
    types = set(events.types_of(names))
    rows = HistoryEvent.unsafe_all_tenants.filter(run_id=run_id, type__in=types).order_by("id")
    return [events.name_of(kind) for kind in rows.values_list("type", flat=True)]


def states():
    return list(OutgoingDelivery.unsafe_all_tenants.order_by("id").values_list("state", flat=True))


def now_of(webhook):
    return OutgoingWebhook.unsafe_all_tenants.get(pk=webhook.pk)


def test_every_event_has_one_name_and_is_one_of_history():
    assert len(set(events.TYPE_OF.values())) == len(events.NAMES)
    assert set(events.TYPE_OF.values()) <= set(EVENTS)
    assert events.TEST not in events.TYPE_OF


def test_all_events_of_a_run_arrive_in_order_signed_and_as_cloud_events(hook, receiver):
    made = hook()
    (run,) = make.start(TWO)
    make.work()
    assert deliver() == len(told(run))
    messages = receiver.of(run)
    assert [one.type for one in messages] == told(run)
    assert told(run) == ["run.started", "step.completed", "step.completed", "run.completed"]
    assert all(one.is_signed_by(made.secret) for one in messages)
    first = messages[1]
    assert first.headers["content-type"].startswith("application/cloudevents+json")
    assert first.id == first.event["id"]
    assert first.event["specversion"] == "1.0"
    assert first.event["subject"] == run
    assert first.event["source"].endswith("/api/v1/workflows/" + make.run(run).version.workflow.name)
    assert first.event["data"]["step"] == "a"
    assert first.event["data"]["details"]["digest"]
    assert "output" not in first.raw.decode()
    assert [int(one.event["sequence"]) for one in messages] == sorted(
        int(one.event["sequence"]) for one in messages
    )
    assert states() == ["delivered"] * 4
    assert deliver() == 0


def test_only_what_is_wanted_is_sent(hook, receiver):
    (other,) = make.start(make.graph(["x"], []))
    mine = make.run(other).version.workflow.name
    hook(events_wanted=["run.completed", "step.failed"], workflow=mine)
    (run,) = make.start(TWO)
    make.work()
    deliver()
    assert [one.event["data"]["run_id"] for one in receiver.messages] == [other]
    assert receiver.types() == ["run.completed"]
    assert receiver.of(run) == []


def test_another_tenants_events_are_not_sent(people, receiver):
    service.create_webhook(people.principal("admin", "theirs"), url=receiver.url)
    make.start(TWO)
    make.work()
    assert deliver() == 0
    assert OutgoingDelivery.unsafe_all_tenants.count() == 0


def test_what_was_rolled_back_is_not_sent(hook, receiver):
    hook()
    with transaction.atomic():
        make.start(TWO)
        assert OutgoingDelivery.unsafe_all_tenants.exists()
        transaction.set_rollback(True)
    assert (deliver(), receiver.messages) == (0, [])


def test_test_runs_are_not_told_of(hook):
    hook()
    (run,) = make.start(TWO)
    before = OutgoingDelivery.unsafe_all_tenants.count()
    Run.unsafe_all_tenants.filter(pk=run).update(is_test=True)
    make.work()
    assert make.run(run).status == "COMPLETED"
    assert OutgoingDelivery.unsafe_all_tenants.count() == before


def test_every_committed_event_of_many_runs_is_delivered_once_each_run_in_order(hook, receiver):
    hook()
    runs = make.start(make.graph("abcd", ["a>b", "a>c", "b>d", "c>d"]), *[{} for _ in range(12)])
    make.work()
    deliver()
    for run in runs:
        assert [one.type for one in receiver.of(run)] == told(run)
    assert len({one.id for one in receiver.messages}) == len(receiver.messages)


def test_the_number_of_statements_of_a_start_is_the_same_with_and_without_webhooks(hook, monkeypatch):
    monkeypatch.setattr("runs.workers.drain.QUIET_SECONDS", 60.0)  # however busy the machine is

    def statements():
        with watching() as seen:
            make.start(TWO, *[{} for _ in range(5)])
            make.work()
        return seen.named, len(seen.orm), seen.trips

    statements()
    before = statements()
    hook()
    assert statements() == before
    assert OutgoingDelivery.unsafe_all_tenants.count() == 5 * 4


def test_what_failed_is_tried_again_later_by_the_same_id_and_holds_up_its_run_alone(hook, receiver, clock):
    made = hook(events_wanted=["run.started", "run.completed"])
    bad, good = make.start(TWO), make.start(TWO)
    make.work()
    receiver.answers = lambda one: 500 if one.event["data"]["run_id"] == bad[0] else 204
    deliver()
    assert [one.type for one in receiver.of(bad[0])] == ["run.started"]
    assert [one.type for one in receiver.of(good[0])] == ["run.started", "run.completed"]
    row = OutgoingDelivery.unsafe_all_tenants.get(run_id=bad[0], attempts=1)
    assert (row.state, row.status, row.error) == ("pending", 500, "The receiver answered 500.")
    assert now_of(made.webhook).enabled
    receiver.answers = lambda one: 204
    assert deliver() == 0
    clock.advance(400)
    deliver()
    came = receiver.of(bad[0])
    assert [one.type for one in came] == ["run.started", "run.started", "run.completed"]
    assert came[0].id == came[1].id
    assert came[0].raw == came[1].raw
    assert set(states()) == {"delivered"}
    assert now_of(made.webhook).failures == 0


def test_pauses_grow_to_half_a_day_and_last_three_days_in_all():
    pauses = [retrying.pause(failures, dice=0.5) for failures in range(1, MESSAGE_ATTEMPTS)]
    assert pauses[:3] == [5, 20, 80]
    assert max(pauses) == 12 * 3600
    assert 2.5 < sum(pauses) / 86_400 < 3.5
    assert retrying.pause(1, dice=0) == 4
    assert retrying.pause(1, dice=1) == pytest.approx(6)
    assert 4 <= retrying.pause(1) <= 6


def test_retry_after_is_kept_to(hook, receiver, clock):
    made = hook(events_wanted=["run.started"])
    make.start(TWO)
    receiver.answers = lambda one: (429, {"Retry-After": "1000"})
    deliver()
    receiver.answers = lambda one: 204
    clock.advance(990)
    assert deliver() == 0
    clock.advance(20)
    assert deliver() == 1
    assert [retrying.retry_after(text) for text in ("7", "x", None, "9" * 9)] == [7, 0, 0, 86_400]
    assert now_of(made.webhook).delivered_at == clock.now


def test_gone_switches_it_off_and_what_waits_goes_on_waiting(hook, receiver, caplog):
    made = hook()
    make.start(TWO)
    make.work()
    receiver.answers = lambda one: 410
    deliver()
    row = now_of(made.webhook)
    assert (row.enabled, row.off_reason) == (False, "gone")
    assert len(receiver.messages) == 1
    assert "alert webhook_off" in caplog.text
    assert deliver() == 0
    switching.keep_bounds()
    assert states() == ["pending"] * 4
    make.start(TWO)
    assert len(states()) == 4


def test_the_admins_are_mailed_of_a_webhook_that_was_switched_off(hook, people, monkeypatch):
    admin = people.member("admin", "default")
    type(admin).objects.filter(pk=admin.pk).update(email="ann@shop.example")
    made = hook(description="The\nshop")
    people.member("viewer", "default")
    assert switching.switch_off(made.webhook.pk, "gone")
    assert not switching.switch_off(made.webhook.pk, "gone")
    with mailbox(monkeypatch) as box:
        account_mails.tick(10)
        assert box.subjects() == {"ann": ["The webhook “The shop” was switched off"]}
        assert "/settings/webhooks/out" in box.messages()[0].get_body(("plain",)).get_content()


def test_three_days_without_one_success_switch_it_off(hook, receiver, clock):
    made = hook(events_wanted=["run.started"])
    make.start(TWO)
    receiver.answers = lambda one: 503
    for _ in range(40):
        deliver()
        if not now_of(made.webhook).enabled:
            break
        clock.advance(6 * 3600)
    row = now_of(made.webhook)
    assert row.off_reason == "failing"
    assert row.last_error == "The receiver answered 503."
    assert (row.off_at - row.failing_since).days >= 3
    assert len({one.id for one in receiver.messages}) == 1


def test_a_message_that_never_arrives_is_given_up_and_the_next_of_its_run_follows(hook, receiver, clock):
    hook(events_wanted=["run.started", "run.completed"])
    make.start(TWO)
    make.work()
    receiver.answers = lambda one: 400 if one.type == "run.started" else 204
    for _ in range(40):
        deliver()
        clock.advance(5 * 3600)
        # Others arrive meanwhile, or it would be switched off.
        OutgoingWebhook.unsafe_all_tenants.update(failing_since=None)
    assert states() == ["failed", "delivered"]
    assert receiver.types().count("run.started") == MESSAGE_ATTEMPTS


def test_what_the_egress_gate_refuses_is_not_sent_and_says_why(hook, receiver, monkeypatch):
    made = hook(events_wanted=["run.started"])
    monkeypatch.delenv("HANDOFF_EGRESS_ALLOW")
    make.start(TWO)
    deliver()
    assert receiver.messages == []
    row = OutgoingDelivery.unsafe_all_tenants.get()
    assert row.state == "pending"
    assert row.error.startswith("Not sent: ")
    assert "HANDOFF_EGRESS_ALLOW" in row.error
    assert now_of(made.webhook).last_error == row.error


def test_a_redirect_is_not_followed(hook, receiver):
    hook(events_wanted=["run.started"])
    make.start(TWO)
    receiver.answers = lambda one: (302, {"Location": receiver.url})
    deliver()
    assert len(receiver.messages) == 1
    assert states() == ["pending"]


def test_what_a_dead_process_had_under_way_is_sent_again_by_the_same_id(hook, receiver, clock):
    hook(events_wanted=["run.started"])
    make.start(TWO)
    dead = store.lease("dead", failing=True)
    assert dead is not None
    (due,) = store.due(dead.webhook, 10)
    assert deliver() == 0
    clock.advance(store.LEASE_SECONDS + 1)
    assert deliver() == 1
    assert receiver.messages[0].id == f"msg_{due.message.hex}"
    # It was not dead, but late: it says nothing of a webhook that is somebody else's.
    assert store.note_served(dead.webhook, "dead", delivered=False, pause=9, error="x") is None
    store.release(dead.webhook, "dead")
    assert states() == ["delivered"]


def test_while_secrets_overlap_both_sign(hook, receiver, people, clock):
    made = hook(events_wanted=["run.started"])
    admin = people.principal("admin", "default")
    rotated = service.rotate_secret(admin, made.webhook.pk, overlap_seconds=60)
    make.start(TWO)
    deliver()
    assert receiver.messages[0].is_signed_by(made.secret)
    assert receiver.messages[0].is_signed_by(rotated.secret)
    clock.advance(61)
    make.start(TWO)
    deliver()
    assert not receiver.messages[1].is_signed_by(made.secret)
    assert receiver.messages[1].is_signed_by(rotated.secret)
    assert not receiver.messages[1].is_signed_by("whsec_" + "A" * 43 + "=")


def test_an_event_sent_again_and_switched_on_again(hook, receiver, people):
    made = hook(events_wanted=["run.started"])
    admin = people.principal("admin", "default")
    make.start(TWO)
    deliver()
    row = OutgoingDelivery.unsafe_all_tenants.get()
    service.replay(admin, made.webhook.pk, row.pk)
    deliver()
    assert [one.id for one in receiver.messages] == [f"msg_{row.message.hex}"] * 2
    service.change_webhook(admin, made.webhook.pk, enabled=False)
    make.start(TWO)
    service.enable_webhook(admin, made.webhook.pk)
    make.start(TWO)
    deliver()
    assert len(receiver.messages) == 3


def test_old_deliveries_are_forgotten(hook, receiver, clock):
    hook(events_wanted=["run.started"])
    make.start(TWO)
    deliver()
    make.start(TWO)
    OutgoingDelivery.unsafe_all_tenants.update(created_at=clock.now)
    assert store.forget(10) == 0
    clock.advance(store.KEPT_DAYS * 86_400 + 1)
    assert store.forget(10) == 1
    assert states() == ["pending"]


def test_the_tenant_that_is_served_least_comes_first(people, receiver):
    ours = [service.create_webhook(people.principal("admin", "ours"), url=receiver.url) for _ in range(3)]
    theirs = service.create_webhook(people.principal("admin", "theirs"), url=receiver.url)
    for made in (*ours, theirs):
        OutgoingDeliveryFactory(
            tenant_id=made.webhook.tenant_id, webhook_id=made.webhook.pk, type=events.TEST
        )
    leased = [store.lease(uuid.uuid4().hex, failing=True) for _ in range(4)]
    assert theirs.webhook.pk in [one.webhook for one in leased[:2]]
    assert store.lease("more", failing=True) is None


@pytest.mark.django_db(transaction=True)
def test_receivers_that_hang_hold_up_nobody_else(people, receiver, monkeypatch):
    admin = people.principal("admin", "default")
    free = threading.Event()
    with receiving() as hanging:
        hanging.answers = lambda one: free.wait(20) and 204
        monkeypatch.setenv("HANDOFF_EGRESS_ALLOW", "127.0.0.1/32")
        for _ in range(FAILING_SLOTS + 2):
            service.create_webhook(admin, url=hanging.url, events_wanted=["run.started"])
        service.create_webhook(admin, url=receiver.url)
        lookout = Lookout()
        lookout.tick()
        (run,) = make.start(TWO)
        make.work()
        wait_until(lambda: len(receiver.messages) == len(told(run)), 8, "what the other one is sent")
        assert [one.type for one in receiver.of(run)] == told(run)
        assert lookout.tick() <= SLOTS
        free.set()
        wait_until(lambda: set(states()) == {"delivered"}, 20, "what had hung")
        assert lookout.settle(20)


def test_a_webhook_is_served_by_one_at_a_time(hook, receiver):
    hook(events_wanted=["run.started"])
    make.start(TWO, {}, {})
    one = store.lease("one", failing=True)
    assert one is not None
    assert store.lease("two", failing=True) is None
    assert serve(one, "one") == 2
