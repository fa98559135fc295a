"""Who is told, and when: once, not while it is muted or cooling down, and others when nobody answers."""

import json

import pytest

from lib import named_sql
from lib.refusals import Conflict, Invalid
from operations.alerts import answering, channels, rules, sending, store
from operations.alerts.limits import DELIVERY_ATTEMPTS
from operations.alerts.models import AlertDelivery, AlertRule
from tests import factories as make
from tests.answering import answering as server
from tests.answering import http
from tests.operations.alerts.conftest import OnCall, alerts, deliveries, look

pytestmark = [pytest.mark.django_db, pytest.mark.slow, pytest.mark.usefixtures("forked")]

JOB = make.graph([{"id": "charge", "type": "job", "queue": "card"}], [])


def deep():
    """Two steps in a queue: one more than the rules here say."""
    make.start(JOB, {}, {})


def done():
    steps = make.claimed("card")
    make.complete(*steps, output={})


def test_a_channel_is_told_once_however_often_it_is_looked_and_sent(on_call):
    on_call.rule("queue_depth", params={"above": 1})
    deep()
    for _ in range(3):
        look()
        sending.send_due()
    assert on_call.events() == ["raised"]
    assert deliveries() == [("raised", "sent", "")]


def test_what_comes_back_within_the_cooldown_is_told_when_that_is_over(on_call, clock):
    on_call.rule("queue_depth", params={"above": 1}, cooldown_seconds=600)
    deep()
    look()
    done()
    look()
    deep()
    assert look() == 1
    assert on_call.events() == ["raised", "resolved"]
    clock.advance(601)
    look()
    assert on_call.events() == ["raised", "resolved", "raised"]
    assert [one.status for one in alerts()] == ["resolved", "open"]


def test_what_was_over_before_anybody_was_told_tells_nobody(on_call, clock):
    on_call.rule("queue_depth", params={"above": 1}, mute_seconds=3600)
    deep()
    look()
    done()
    look()
    assert on_call.events() == []
    assert [one.status for one in alerts()] == ["resolved"]


def test_a_muted_alert_and_a_muted_rule_are_told_when_the_mute_is_over(on_call, clock):
    rule = on_call.rule("queue_depth", params={"above": 1}, mute_seconds=3600)
    deep()
    look()
    assert on_call.events() == []
    answering.mute(on_call.admin, alerts()[0].pk, seconds=7200)
    rules.change_rule(on_call.admin, rule.pk, mute_seconds=0)
    look()
    assert on_call.events() == []
    clock.advance(7201)
    look()
    assert on_call.events() == ["raised"]


def test_others_are_told_when_nobody_acknowledges_in_time(admin, receiver, on_call, clock):
    with server(http()) as boss:
        address = f"http://127.0.0.1:{receiver.port}/boss"
        next_one = channels.create_channel(admin, name="boss", kind="webhook", address=address)
        on_call.rule("queue_depth", params={"above": 1}, escalate_minutes=10, escalate_channels=[next_one.pk])
        deep()
        look()
        assert on_call.events() == ["raised"]
        clock.advance(599)
        look()
        assert on_call.events() == ["raised"]
        clock.advance(2)
        look()
        look()
        assert on_call.events() == ["raised", "escalated"]
        assert receiver.asked[-1].target == "/boss"
        assert boss.asked == []
        done()
        look()
        assert on_call.events() == ["raised", "escalated", "resolved", "resolved"]


def test_nobody_else_is_called_for_what_somebody_sees_to(admin, on_call, clock):
    on_call.rule(
        "queue_depth", params={"above": 1}, escalate_minutes=1, escalate_channels=[on_call.channel.pk]
    )
    deep()
    look()
    answering.acknowledge(admin, alerts()[0].pk)
    clock.advance(600)
    look()
    assert on_call.events() == ["raised"]
    with pytest.raises(Conflict):
        answering.acknowledge(admin, alerts()[0].pk)


def test_what_somebody_resolved_is_raised_again_only_after_the_cooldown(admin, on_call, clock):
    on_call.rule("queue_depth", params={"above": 1}, cooldown_seconds=600)
    deep()
    look()
    answering.resolve(admin, alerts()[0].pk)
    with pytest.raises(Conflict):
        answering.resolve(admin, alerts()[0].pk)
    assert look() == 0
    assert on_call.events() == ["raised", "resolved"]
    clock.advance(601)
    assert look() == 1
    assert on_call.events() == ["raised", "resolved", "raised"]


def test_a_rule_that_is_switched_off_ends_what_it_has_raised(admin, on_call):
    rule = on_call.rule("queue_depth", params={"above": 1})
    deep()
    look()
    rules.change_rule(admin, rule.pk, enabled=False)
    assert look() == 1
    assert [one.status for one in alerts()] == ["resolved"]


def test_a_second_rule_of_one_queue_raises_an_alert_of_its_own(admin, on_call):
    on_call.rule("queue_depth", params={"above": 1})
    other = {"above": 1, "queue": "other"}
    mine = {"above": 1, "queue": "card"}
    rules.create_rule(admin, kind="queue_depth", name="other", params=other)
    rules.create_rule(admin, kind="queue_depth", name="card", params=mine, severity="critical")
    deep()
    assert look() == 2
    assert {one.severity for one in alerts()} == {"warning", "critical"}


def test_every_tenant_has_each_rule_once(admin):
    rows = rules.rules_of(admin.tenant_id)
    count = rows.count()
    look()
    look()
    assert AlertRule.objects.for_tenant(admin.tenant_id).count() == count
    with pytest.raises(Conflict):
        rules.delete_rule(admin, rows[0].pk)


def test_what_is_not_taken_is_sent_again_by_the_same_id_and_what_follows_waits_for_it(
    admin, monkeypatch, clock
):
    with server(http(status="500 Broken"), http(status="500 Broken"), http()) as receiver:
        monkeypatch.setenv("HANDOFF_EGRESS_ALLOW", f"127.0.0.1:{receiver.port}")
        on_call = OnCall(admin, receiver)
        on_call.rule("queue_depth", params={"above": 1})
        deep()
        look()
        sending.send_due()
        assert deliveries() == [("raised", "pending", "The receiver answered 500.")]
        done()
        look()
        assert on_call.events() == ["raised"]
        clock.advance(61)
        sending.send_due()
        clock.advance(3600)
        assert on_call.events() == ["raised", "raised", "raised", "resolved"]
        ids = [json.loads(one.body)["id"] for one in receiver.asked]
        assert len(set(ids)) == 2
        assert [state for _, state, _ in deliveries()] == ["sent", "sent"]


def test_a_message_is_given_up_in_the_end(admin, monkeypatch, clock):
    with server(http(status="500 Broken")) as receiver:
        monkeypatch.setenv("HANDOFF_EGRESS_ALLOW", f"127.0.0.1:{receiver.port}")
        on_call = OnCall(admin, receiver)
        on_call.rule("queue_depth", params={"above": 1})
        deep()
        look()
        AlertDelivery.unsafe_all_tenants.update(attempts=DELIVERY_ATTEMPTS - 1)
        assert len(on_call.told()) == 1
        assert [state for _, state, _ in deliveries()] == ["failed"]
        clock.advance(100_000)
        assert len(on_call.told()) == 1


def test_who_dies_while_it_is_sent_has_it_sent_again_when_its_lease_is_over(on_call, clock):
    on_call.rule("queue_depth", params={"above": 1})
    deep()
    look()
    assert len(store.lease_deliveries()) == 1
    assert store.lease_deliveries() == []
    assert on_call.events() == []
    clock.advance(store.FIRST_PAUSE_SECONDS + 1)
    assert on_call.events() == ["raised"]


def test_a_channel_that_is_off_or_gone_is_told_nothing(admin, on_call):
    rule = on_call.rule("queue_depth", params={"above": 1})
    deep()
    look()
    channels.change_channel(admin, on_call.channel.pk, enabled=False)
    assert on_call.events() == []
    assert deliveries() == [("raised", "failed", "The channel is gone or off.")]
    channels.delete_channel(admin, on_call.channel.pk)
    assert rules.get_rule(admin.tenant_id, rule.pk).channels == []


def test_statements_do_not_grow_with_what_there_is(on_call):
    on_call.rule("queue_depth", params={"above": 1})
    watched = []

    def names():
        watched.clear()
        named_sql.watchers.append(watched.append)
        try:
            look()
        finally:
            named_sql.watchers.remove(watched.append)
        return len(watched)

    deep()
    look()
    few = names()
    for number in range(5):
        make.start(make.graph([{"id": "a", "type": "job", "queue": f"q{number}"}], []), *[{}] * 4)
    look()
    assert names() == few <= 24


@pytest.mark.parametrize(
    ("kind", "address"),
    [
        ("webhook", "file:///etc/passwd"),
        ("webhook", "https://user:secret@hooks.example/x"),
        ("webhook", "json://hooks.example"),
        ("webhook", "https://"),
        ("webhook", "https://xn--/"),
        ("webhook", "https://[::1/"),
        ("slack", "https://xn--a/"),
        ("webhook", "https://hooks.example:99999/x"),
        ("webhook", "https://hooks.example/\nx"),
        ("slack", "slack://a/b/c"),
        ("teams", "http://prod.westus.logic.azure.com/workflows/x"),
        ("mail", "ann"),
        ("mail", "ann@shop.example, bob"),
        ("pagerduty", "short"),
        ("pagerduty", "mars:" + "a" * 32),
        ("exec", "ls"),
    ],
)
def test_what_is_no_address_is_refused(admin, kind, address):
    with pytest.raises(Invalid) as refused:
        channels.create_channel(admin, name="x", kind=kind, address=address)
    assert refused.value.field in ("address", "kind")
