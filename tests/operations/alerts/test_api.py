"""Alerts over REST: who sees which, what can be done with one, and rules and channels with good and bad input."""

import pytest

from accounts import folders
from accounts.folders import Grant
from operations.alerts.models import Alert, AlertDelivery, AlertRule
from tests.api.test_authorisation import assert_envelope
from workflows.models import Workflow

pytestmark = pytest.mark.django_db


def alert(**values):
    """The alert of the tenant that has everything, changed."""
    Alert.unsafe_all_tenants.update(**values)
    return Alert.unsafe_all_tenants.get()


def ids(client, query=""):
    answer = client.get(f"/api/v1/alerts{query}")
    assert answer.status_code == 200, answer.json()
    return [row["id"] for row in answer.json()["results"]]


@pytest.fixture
def locked(furnished, ours):
    """Its workflow lies in a folder that grants operators what is asked for."""
    admin = furnished.principal("admin")
    folder = folders.create_folder(admin, "Locked", [])
    Workflow.objects.for_tenant(admin.tenant_id).update(folder=folder)

    def grant(*verbs):
        folders.change_folder(admin, folder.pk, grants=[Grant(verbs, "operator")] if verbs else [])

    return grant


def test_an_alert_is_acknowledged_once_resolved_once_and_muted_meanwhile(ours):
    path = f"/api/v1/alerts/{alert().pk}"
    muted = ours.post(f"{path}/mute", {"seconds": 3600})
    assert muted.json()["muted_until"] is not None
    assert ours.post(f"{path}/mute", {"seconds": 0}).json()["muted_until"] is None
    taken = ours.post(f"{path}/acknowledge", {"note": "I see to it"}).json()
    assert (taken["status"], taken["note"]) == ("acknowledged", "I see to it")
    assert taken["acknowledged_by"] == "admin-of-ours"
    again = ours.post(f"{path}/acknowledge", {})
    assert_envelope(again, 409)
    assert again.json()["error"]["code"] == "alert_not_open"
    assert ids(ours, "?status=acknowledged") == [taken["id"]]
    over = ours.post(f"{path}/resolve", {"reason": "done"}).json()
    assert (over["status"], over["resolved_by"]) == ("resolved", "admin-of-ours")
    for verb, body in (("resolve", {}), ("mute", {"seconds": 60})):
        refused = ours.post(f"{path}/{verb}", body)
        assert_envelope(refused, 409)
        assert refused.json()["error"]["code"] == "alert_resolved"
    assert ids(ours, "?status=open") == []
    assert ours.get(path).json() == over


def test_operators_see_alerts_of_what_they_may_operate_and_nobody_else_any(locked, furnished, ours):
    mine = alert()
    operator = furnished.client("operator")
    assert ids(operator) == []
    locked("read")
    assert ids(operator) == []
    for verb in ("", "/acknowledge", "/resolve"):
        send = operator.post if verb else operator.get
        assert_envelope(send(f"/api/v1/alerts/{mine.pk}{verb}"), 404)
    locked("operate")
    assert ids(operator) == [mine.pk]
    assert operator.post(f"/api/v1/alerts/{mine.pk}/acknowledge", {}).status_code == 200
    assert_envelope(furnished.client("viewer").get("/api/v1/alerts"), 403)
    assert ids(furnished.client("admin", tenant="theirs")) == []


def test_what_is_about_the_installation_is_for_admins_and_a_queue_is_everybodys(furnished, ours):
    operator = furnished.client("operator")
    for kind, seen in (("queue_depth", True), ("timer_late", True), ("disk", False), ("mail_failing", False)):
        shown = alert(kind=kind, workflow=None, key="default")
        assert (ids(operator) == [shown.pk]) is seen
        assert ids(ours) == [shown.pk]


def test_each_tenant_has_the_built_in_rules_and_changes_its_own(furnished, ours):
    rows = ours.get("/api/v1/alert-rules").json()["results"]
    built_in = {row["kind"]: row for row in rows if row["built_in"]}
    assert built_in["queue_depth"]["params"] == {"above": 50}
    assert len(built_in) == 22
    path = f"/api/v1/alert-rules/{built_in['queue_depth']['id']}"
    channel = furnished.ids["channel"]
    body = {"params": {"above": 7, "queue": "default"}, "channels": [channel], "escalate_minutes": 5}
    changed = ours.patch(path, body).json()
    assert changed["params"] == {"above": 7, "queue": "default"}
    assert (changed["channels"], changed["escalate_minutes"]) == ([channel], 5)
    assert ours.patch(path, {"params": {"above": 8}}).json()["params"] == {"above": 8, "queue": "default"}
    assert_envelope(ours.delete(path), 409)
    assert_envelope(furnished.client("admin", tenant="theirs").patch(path, {"enabled": False}), 404)
    assert_envelope(furnished.client("operator").patch(path, {"enabled": False}), 403)
    assert furnished.client("operator").get(path).status_code == 200
    made = ours.post("/api/v1/alert-rules", {"kind": "queue_age", "name": "slow", "params": {"seconds": 9}})
    assert made.status_code == 201
    assert ours.delete(f"/api/v1/alert-rules/{made.json()['id']}").status_code == 204


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"params": {"above": 0}}, "params.above"),
        ({"params": {"above": "50"}}, "params.above"),
        ({"params": {"above": True}}, "params.above"),
        ({"params": {"under": 5}}, "params.under"),
        ({"params": {"workflow": "ours"}}, "params.workflow"),
        ({"params": {"queue": "x" * 257}}, "params.queue"),
        ({"params": []}, "params"),
        ({"severity": "loud"}, "severity"),
        ({"cooldown_seconds": -1}, "cooldown_seconds"),
        ({"escalate_minutes": 0}, "escalate_minutes"),
        ({"mute_seconds": 10**9}, "mute_seconds"),
        ({"channels": [10**12]}, "channels"),
        ({"channels": ["1"]}, "channels[0]"),
        ({"escalate_channels": [0]}, "escalate_channels[0]"),
        ({"name": " "}, "name"),
        ({"name": "a\nb"}, "name"),
        ({"enabled": 1}, "enabled"),
        ({"kind": "disk"}, "kind"),
    ],
)
def test_what_a_rule_can_not_be_is_refused_and_named(ours, body, field):
    rule = AlertRule.unsafe_all_tenants.get(built_in=False)
    answer = ours.patch(f"/api/v1/alert-rules/{rule.pk}", body)
    assert_envelope(answer, 400)
    assert answer.json()["error"]["field"] == field


def test_a_channel_of_another_tenant_is_no_channel(furnished, ours):
    theirs = furnished.client("admin", tenant="theirs")
    made = theirs.post(
        "/api/v1/alert-channels", {"name": "x", "kind": "mail", "address": "a@b.example"}
    ).json()
    rule = AlertRule.unsafe_all_tenants.get(built_in=False)
    refused = ours.patch(f"/api/v1/alert-rules/{rule.pk}", {"channels": [made["id"]]})
    assert_envelope(refused, 400)
    for call in (ours.get, ours.delete):
        assert_envelope(call(f"/api/v1/alert-channels/{made['id']}"), 404)


def test_a_default_channel_is_that_of_new_rules_and_of_those_that_notify_nobody(ours):
    body = {"name": "all", "kind": "mail", "address": "on-call@example.org", "is_default": True}
    channel = ours.post("/api/v1/alert-channels", body | {"fill_rules": True}).json()
    assert channel["is_default"] is True
    rules = ours.get("/api/v1/alert-rules").json()["results"]
    assert {tuple(rule["channels"]) for rule in rules} == {(channel["id"],)}
    new = {"kind": "queue_depth", "name": "ours"}
    assert ours.post("/api/v1/alert-rules", new).json()["channels"] == [channel["id"]]
    quiet = new | {"name": "quiet", "channels": []}
    assert ours.post("/api/v1/alert-rules", quiet).json()["channels"] == []
    path = f"/api/v1/alert-channels/{channel['id']}"
    assert ours.patch(path, {"is_default": False}).json()["is_default"] is False
    assert ours.post("/api/v1/alert-rules", new | {"name": "third"}).json()["channels"] == []
    # Rules that come with a later release are made for it, too.
    ours.patch(path, {"is_default": True})
    AlertRule.unsafe_all_tenants.filter(kind="disk").delete()
    rules = ours.get("/api/v1/alert-rules").json()["results"]
    assert [rule["channels"] for rule in rules if rule["kind"] == "disk"] == [[channel["id"]]]


def test_a_channel_shows_no_secret_and_says_what_came_of_a_test(furnished, ours):
    path = f"/api/v1/alert-channels/{furnished.ids['channel']}"
    shown = ours.get(path).json()
    assert (shown["address"], shown["last_message"]) == ("https://hooks.example/…", None)
    sent = ours.post(f"{path}/test", {})
    assert (sent.status_code, sent.json()["state"], sent.json()["event"]) == (202, "pending", "test")
    AlertDelivery.unsafe_all_tenants.update(state="failed", error="The receiver answered 500.")
    last = ours.get("/api/v1/alert-channels").json()["results"][0]["last_message"]
    assert (last["state"], last["error"]) == ("failed", "The receiver answered 500.")
    assert ours.patch(path, {"enabled": False, "name": "other"}).json()["name"] == "other"
    assert ours.delete(path).status_code == 204
    assert_envelope(ours.get(path), 404)


@pytest.mark.parametrize(
    ("body", "field", "status"),
    [
        ({"kind": "exec"}, "kind", 400),
        ({"kind": "webhook", "address": "file:///etc/passwd"}, "address", 400),
        ({"kind": "mail", "address": "nobody"}, "address", 400),
        ({"kind": "mail", "address": 7}, "address", 400),
        ({"name": ""}, "name", 400),
        ({"name": "ours"}, "name", 409),
        ({"more": 1}, "more", 400),
    ],
)
def test_what_a_channel_can_not_be_is_refused_and_named(ours, body, field, status):
    good = {"name": "new", "kind": "mail", "address": "ann@shop.example"}
    answer = ours.post("/api/v1/alert-channels", good | body)
    assert_envelope(answer, status)
    assert answer.json()["error"]["field"] == field


@pytest.mark.parametrize("query", ["status=new", "limit=0", "cursor=x", "unknown=1"])
def test_a_bad_filter_of_alerts_is_named(ours, query):
    answer = ours.get(f"/api/v1/alerts?{query}")
    assert_envelope(answer, 400)
    assert answer.json()["error"]["field"] == query.partition("=")[0]
