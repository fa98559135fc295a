"""The pages of alerts: the list, one alert, rules and channels, and what each costs."""

import pytest

from accounts.models import Membership
from engine.limits import WORKFLOW_NAME_CHARACTERS
from operations.alerts import channels, rules
from operations.alerts.evaluating import make_rules
from operations.alerts.models import Alert, AlertDelivery, AlertRule
from tests import factories as make
from tests.operations.alerts.factories import AlertChannelFactory, AlertDeliveryFactory, AlertFactory
from tests.store.watching import trips_of_page
from tests.web.axe import faults_by_day_and_night

pytestmark = pytest.mark.django_db


@pytest.fixture
def tenant(db):
    return make.a_tenant()


@pytest.fixture
def admin(client, tenant):
    client.force_login(make.a_member("the-admin", "admin"))
    return client


def alert(tenant, number=0, kind="queue_depth", **values):
    make_rules(tenant.pk)
    rule = AlertRule.objects.for_tenant(tenant.pk).get(kind=kind, built_in=True)
    return AlertFactory(
        rule=rule,
        key=str(number),
        severity="critical",
        subject=f"Something is wrong {number}",
        message="It is.",
        advice="Mend it.",
        link="/operations/",
        **values,
    )


def test_the_list_shows_what_is_open_and_costs_the_same_for_one_as_for_fifty(admin, tenant):
    assert "No alert is open" in admin.get("/operations/alerts").text
    workflow = make.a_version(make.chain("noop")).workflow
    alert(tenant, workflow=workflow)
    few = trips_of_page(admin, "/operations/alerts")
    for number in range(1, 50):
        alert(tenant, number, workflow=workflow)
    assert admin.get("/operations/alerts").text.count("Something is wrong") == 50
    assert trips_of_page(admin, "/operations/alerts") == few <= 6
    assert "50" in admin.get("/operations/alerts/count").text
    assert trips_of_page(admin, "/operations/alerts/count") <= 4
    assert "No resolved alerts" in admin.get("/operations/alerts?status=resolved").text


def test_an_alert_is_acknowledged_muted_and_resolved_on_its_page(admin, tenant):
    one = alert(tenant)
    path = f"/operations/alerts/{one.pk}"
    page = admin.get(path).text
    for words in ("Something is wrong 0", "It is.", "Mend it.", "No channel was notified"):
        assert words in page
    admin.post(f"{path}/mute", {"seconds": "3600"})
    assert "Unmute" in admin.get(path).text
    assert "muted until" in admin.get("/operations/alerts").text
    assert "Choose for how long." in admin.post(f"{path}/mute", {"seconds": "7"}, follow=True).text
    shown = admin.post(f"{path}/acknowledge", {"note": "on my way"}, follow=True).text
    assert "on my way" in shown
    assert "acknowledged by" in shown
    assert "no longer open" in admin.post(f"{path}/acknowledge", {}, follow=True).text
    assert "Resolved" in admin.post(f"{path}/resolve", follow=True).text
    one.refresh_from_db()
    assert (one.status, one.resolved_by) == ("resolved", "the-admin")
    assert admin.get("/operations/alerts/count").text.strip() == ""


def test_an_open_alert_with_channels_says_that_they_are_being_notified_until_one_is(admin, tenant):
    one = alert(tenant)
    channel = AlertChannelFactory(tenant_id=tenant.pk)
    AlertRule.objects.for_tenant(tenant.pk).filter(pk=one.rule_id).update(channels=[channel.pk])
    page = admin.get(f"/operations/alerts/{one.pk}").text
    assert "Notifying its channels" in page
    assert "No channel was notified" not in page
    AlertDeliveryFactory(tenant_id=tenant.pk, alert_id=one.pk, channel_id=channel.pk)
    page = admin.get(f"/operations/alerts/{one.pk}").text
    assert channel.name in page
    assert "Notifying its channels" not in page


def test_the_page_of_an_alert_asks_what_has_become_of_it(admin, tenant):
    one = alert(tenant)
    path = f"/operations/alerts/{one.pk}"
    page = admin.get(path).text
    assert 'hx-trigger="handoff:changed from:body, handoff:tick from:body"' in page
    assert "Acknowledge it" in page
    Alert.objects.for_tenant(tenant.pk).filter(pk=one.pk).update(status="resolved", subject="It was wrong")
    part = admin.get(path, headers={"HX-Request": "true", "Handoff-Automatic": "1"})
    assert "HX-Request" in part.headers["Vary"]
    assert part.text.lstrip().startswith('<div id="alert"')
    assert "It was wrong" in part.text
    assert "Acknowledge it" not in part.text
    assert trips_of_page(admin, path) <= 7


def test_an_operator_sees_no_alert_of_the_installation_and_changes_no_rule(client, tenant):
    mine, theirs = alert(tenant, "default"), alert(tenant, kind="disk")
    client.force_login(make.a_member("the-operator", "operator"))
    assert client.get(f"/operations/alerts/{mine.pk}").status_code == 200
    assert client.get(f"/operations/alerts/{theirs.pk}").status_code == 404
    assert client.post(f"/operations/alerts/{theirs.pk}/resolve").status_code == 404
    listed = client.get("/operations/alerts/rules").text
    assert "Queue depth" in listed
    assert "Make a rule" not in listed
    rule = AlertRule.objects.for_tenant(tenant.pk).get(kind="disk")
    assert client.get(f"/operations/alerts/rules/{rule.pk}").status_code == 403
    assert client.get("/operations/alerts/channels").status_code == 403


def test_a_viewer_has_no_alerts_and_no_count_in_the_menu(client, tenant):
    client.force_login(make.a_member("the-viewer", "viewer"))
    assert "alert-count" not in client.get("/operations/").text
    assert client.get("/operations/alerts").status_code == 403


def form(**values):
    return {
        "name": "Queue depth",
        "enabled": "1",
        "param-above": "9",
        "of": "",
        "severity": "warning",
        "cooldown_minutes": "5",
        "escalate_minutes": "",
        "mute_seconds": "",
    } | values


def test_a_rule_is_changed_by_its_form_and_what_is_wrong_is_said_at_its_field(admin, tenant):
    alert(tenant)
    channel = AlertChannelFactory(tenant_id=tenant.pk)
    rule = AlertRule.objects.for_tenant(tenant.pk).get(kind="queue_depth")
    path = f"/operations/alerts/rules/{rule.pk}"
    assert 'value="50"' in admin.get(path).text
    for field, value, words in (
        ("param-above", "none", "whole number"),
        ("param-above", "100000", "From 1 to 9,999 steps."),
        ("name", "", "A name has"),
        ("escalate_minutes", "0", "from 1 to"),
        ("cooldown_minutes", "999999", "At most"),
        ("of", "x" * (WORKFLOW_NAME_CHARACTERS + 1), f"at most {WORKFLOW_NAME_CHARACTERS}"),
    ):
        answer = admin.post(path, form(**{field: value}))
        assert answer.status_code == 422
        assert f'id="{field}-fault"' in answer.text
        assert words in answer.text
    answer = admin.post(path, form(channels=[str(channel.pk)], of="card", mute_seconds="3600"))
    assert answer.status_code == 302
    rule.refresh_from_db()
    assert (rule.params, rule.channels, rule.cooldown_seconds) == (
        {"above": 9, "queue": "card"},
        [channel.pk],
        300,
    )
    assert rule.muted_until is not None
    listed = admin.get("/operations/alerts/rules").text
    assert "more than 9 steps" in listed
    assert "on call" in listed


def test_a_rule_is_made_and_deleted_and_a_built_in_one_is_not(admin, tenant):
    make_rules(tenant.pk)
    new = "/operations/alerts/rules/new"
    assert admin.get(f"{new}?kind=nothing").status_code == 302
    assert "New rule: Queue depth" in admin.get(f"{new}?kind=queue_depth").text
    assert admin.post(f"{new}?kind=queue_depth", form(name="card", of="card")).status_code == 302
    made = AlertRule.objects.for_tenant(tenant.pk).get(built_in=False)
    assert made.params == {"above": 9, "queue": "card"}
    admin.post(f"/operations/alerts/rules/{made.pk}/delete")
    built_in = AlertRule.objects.for_tenant(tenant.pk).get(kind="queue_depth")
    refused = admin.post(f"/operations/alerts/rules/{built_in.pk}/delete", follow=True).text
    assert "switch it off" in refused
    assert trips_of_page(admin, "/operations/alerts/rules") <= 8


def test_a_channel_is_made_tested_changed_and_deleted(admin, tenant):
    path = "/operations/alerts/channels"
    assert "Nobody is notified of alerts yet" in admin.get(path).text
    wrong = admin.post(path, {"name": "x", "kind": "mail", "address": "nobody"})
    assert (wrong.status_code, "is not an e-mail address" in wrong.text) == (422, True)
    secret = {"name": "on call", "kind": "webhook", "address": "https://hooks.example/very-secret"}
    shown = admin.post(path, secret, follow=True).text
    assert "https://hooks.example/…" in shown
    assert "very-secret" not in shown
    channel = channels.channels_of(tenant.pk).get()
    one = f"{path}/{channel.pk}"
    assert "is being sent" in admin.post(f"{one}/test", follow=True).text
    AlertDelivery.unsafe_all_tenants.update(state="failed", error="The receiver answered 500.")
    fragment = admin.get(one, headers={"HX-Request": "true"}).text
    assert "The receiver answered 500." in fragment
    assert "<html" not in fragment
    assert "The receiver answered 500." in admin.get(path).text
    assert admin.post(one, {"name": "", "address": ""}).status_code == 422
    assert admin.post(one, {"name": "others", "address": ""}).status_code == 302
    assert "It is off" in admin.post(f"{one}/switch", follow=True).text
    admin.post(f"{one}/switch", {"on": "1"})
    rule = rules.rules_of(tenant.pk).get(kind="disk")
    AlertRule.objects.for_tenant(tenant.pk).filter(pk=rule.pk).update(channels=[channel.pk])
    admin.post(f"{one}/delete")
    rule.refresh_from_db()
    assert rule.channels == []
    assert not channels.channels_of(tenant.pk).exists()


@pytest.mark.exhaustive
def test_the_pages_have_no_fault_that_axe_finds(visitor):
    Membership.unsafe_all_tenants.update(role="admin")
    tenant = make.a_tenant()
    for address in ("/operations/alerts", "/operations/alerts/channels"):
        assert visitor.open(address) == 200
        assert faults_by_day_and_night(visitor.page) == []
    one = alert(tenant)
    channel = AlertChannelFactory(tenant_id=tenant.pk)
    for event, state in (("raised", "sent"), ("escalated", "failed"), ("resolved", "pending")):
        AlertDeliveryFactory(
            tenant_id=tenant.pk, alert_id=one.pk, channel_id=channel.pk, event=event, state=state, error="No."
        )
    rule = AlertRule.objects.for_tenant(tenant.pk).get(kind="failure_rate")
    for address in ("", f"/{one.pk}", "/rules", f"/rules/{rule.pk}", "/channels", f"/channels/{channel.pk}"):
        assert visitor.open(f"/operations/alerts{address}") == 200
        visitor.page.wait_for_selector("#alerts, main .card")
        assert faults_by_day_and_night(visitor.page) == [], address
    visitor.page.wait_for_selector(".alert-count .count")


def test_what_is_typed_stays_while_the_page_of_an_alert_follows_what_happens(visitor):
    Membership.unsafe_all_tenants.update(role="admin")
    one = alert(make.a_tenant())
    visitor.open(f"/operations/alerts/{one.pk}")
    visitor.page.fill("#note", "I look into it")
    Alert.unsafe_all_tenants.filter(pk=one.pk).update(message="It is worse.")
    visitor.page.evaluate("document.body.dispatchEvent(new CustomEvent('handoff:tick'))")
    visitor.page.wait_for_selector("text=It is worse.")
    assert visitor.page.input_value("#note") == "I look into it"
    Alert.unsafe_all_tenants.filter(pk=one.pk).update(status="resolved")
    visitor.page.evaluate("document.body.dispatchEvent(new CustomEvent('handoff:tick'))")
    visitor.page.wait_for_selector(".notice >> text=Resolved")
    assert visitor.page.locator("#note").count() == 0
