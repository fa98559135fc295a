"""Webhooks that go out over REST: the secret once, each tenant its own, of all workflows for admins alone."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from integrations.webhooks_out import service
from integrations.webhooks_out.limits import VALID_SECRETS
from integrations.webhooks_out.models import OutgoingDelivery, OutgoingSecret, OutgoingWebhook
from tests.api.hooks import ORDER, publish
from tests.integrations.webhooks_out.receiving import deliver, receiving

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

OUT = "/api/v1/webhooks/out"
URL = "https://hooks.example/in"
BODIES = {"replay": {"since": "2026-01-01T00:00:00Z"}, "discard": {"confirm": True}}


@pytest.fixture
def hook(api):
    """Makes a webhook; gives what the API answers."""

    def hook(**how):
        answer = api.post(OUT, {"url": URL, **how})
        assert answer.status_code == 201, answer.json()
        return answer.json()

    return hook


def test_the_secret_is_shown_when_it_is_made_and_never_again(api, hook):
    made = hook(description="The shop")
    assert re.fullmatch(r"whsec_[A-Za-z0-9+/]{43}=", made["secret"])
    path = f"{OUT}/{made['id']}"
    rotated = api.post(f"{path}/rotate", {}).json()
    assert rotated["secret"] != made["secret"]
    for answer in (api.get(path), api.patch(path, {"description": "x"}), api.get(OUT)):
        assert answer.status_code == 200
        assert "whsec_" not in answer.text
        assert "secret" not in answer.json()
    shown = api.get(path).json()
    assert [one["number"] for one in shown["secrets"]] == [2, 1]
    assert (shown["events"], shown["workflow"], shown["enabled"]) == (None, None, True)
    assert (shown["pending"], shown["off_reason"], shown["description"]) == (0, "", "x")


def test_the_database_holds_no_secret(hook):
    made = hook()
    assert made["secret"].removeprefix("whsec_")[:20] not in str(
        list(OutgoingSecret.unsafe_all_tenants.values())
    )


@pytest.mark.parametrize(
    "url",
    [
        "ftp://hooks.example",
        "hooks.example",
        "https://",
        "https://u:p@hooks.example/",
        "https://x:99999/",
        "https://hö.example/",
        "https://xn--/",
        "https://[::1",
        "https://xn--a/",
        "https://@hooks.example/",
    ],
)
def test_what_is_no_address_is_refused(api, url):
    answer = api.post(OUT, {"url": url})
    assert answer.status_code == 400
    assert answer.json()["error"]["field"] == "url"


def test_unknown_events_and_none_are_refused(api, hook):
    assert api.post(OUT, {"url": URL, "events": ["run.exploded"]}).status_code == 400
    assert api.post(OUT, {"url": URL, "events": []}).json()["error"]["field"] == "events"
    made = hook(events=["run.failed", "run.completed"])
    assert made["events"] == ["run.completed", "run.failed"]
    path = f"{OUT}/{made['id']}"
    assert api.patch(path, {"events": None}).json()["events"] is None
    assert api.patch(path, {"events": ["step.failed"]}).json()["events"] == ["step.failed"]


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("url", (1, True, None, [], {})),
        ("description", (1, None, [])),
        ("events", ("run.failed", 1, {}, [1], [None])),
        ("workflow", (1, True, [], {})),
    ],
)
def test_a_value_of_another_type_is_refused_and_named(api, field, values):
    for value in values:
        answer = api.post(OUT, {"url": URL} | {field: value})
        assert answer.status_code == 400, value
        assert answer.json()["error"]["field"].startswith(field), value


def test_another_tenant_sees_and_changes_nothing(people, hook):
    made = hook()
    other = people.client("admin", tenant="theirs")
    assert other.get(OUT).json()["results"] == []
    assert other.get(f"{OUT}/{made['id']}").status_code == 404
    for verb in ("test", "rotate", "enable", "replay", "discard"):
        assert other.post(f"{OUT}/{made['id']}/{verb}", BODIES.get(verb, {})).status_code == 404
    assert other.delete(f"{OUT}/{made['id']}", {}).status_code == 404


def test_of_all_workflows_is_for_admins_alone_and_of_one_for_who_may_edit_it(people, api, hook):
    publish(api, ORDER)
    whole = hook()
    author = people.client("author")
    assert author.post(OUT, {"url": URL}).status_code == 403
    own = author.post(OUT, {"url": URL, "workflow": "order"})
    assert own.status_code == 201, own.json()
    assert [one["id"] for one in author.get(OUT).json()["results"]] == [own.json()["id"]]
    assert author.get(f"{OUT}/{whole['id']}").status_code == 404
    assert author.patch(f"{OUT}/{whole['id']}", {"enabled": False}).status_code == 404
    assert people.client("viewer").get(OUT).status_code == 403


def test_tested_listed_and_sent_again(api, monkeypatch):
    with receiving(monkeypatch) as receiver:
        made = api.post(OUT, {"url": receiver.url}).json()
        path = f"{OUT}/{made['id']}"
        sent = api.post(f"{path}/test", {})
        assert sent.status_code == 202
        assert sent.json()["state"] == "pending"
        assert api.get(path).json()["pending"] == 1
        deliver()
        (one,) = api.get(f"{path}/deliveries").json()["results"]
        assert (one["state"], one["status"], one["attempts"], one["type"]) == (
            "delivered",
            204,
            1,
            "webhook.test",
        )
        assert api.post(f"{path}/deliveries/{one['id']}/replay", {}).status_code == 202
        deliver()
        assert [message.id for message in receiver.messages] == [one["message_id"]] * 2
        assert receiver.messages[0].is_signed_by(made["secret"])
        assert api.post(f"{path}/deliveries/{one['id'] + 1}/replay", {}).status_code == 404


def test_what_is_off_is_not_tested_and_is_switched_on_again(api, hook):
    path = f"{OUT}/{hook()['id']}"
    off = api.patch(path, {"enabled": False}).json()
    assert (off["enabled"], off["off_reason"]) == (False, "by hand")
    assert api.post(f"{path}/test", {}).json()["error"]["code"] == "webhook_off"
    assert api.post(f"{path}/deliveries/1/replay", {}).status_code == 409
    on = api.post(f"{path}/enable", {}).json()
    assert (on["enabled"], on["off_reason"], on["off_at"]) == (True, "", None)


def test_waiting_events_are_discarded_by_who_says_so_alone(api, hook):
    path = f"{OUT}/{hook()['id']}"
    api.post(f"{path}/test", {})
    for body in ({}, {"confirm": False}, {"confirm": "yes"}):
        answer = api.post(f"{path}/discard", body)
        assert (answer.status_code, answer.json()["error"]["field"]) == (400, "confirm"), body
    assert api.get(path).json()["pending"] == 1
    answer = api.post(f"{path}/discard", {"confirm": True, "reason": "They are of a test."})
    assert (answer.status_code, answer.json()) == (200, {"discarded": 1})
    assert api.get(path).json()["pending"] == 0


def test_a_replay_is_shown_until_it_is_over_and_asked_for_once(api, hook):
    path = f"{OUT}/{hook()['id']}"
    since = (datetime.now(UTC) - timedelta(hours=1)).isoformat()
    answer = api.post(f"{path}/replay", {"since": since})
    assert answer.status_code == 202
    assert datetime.fromisoformat(answer.json()["replaying_since"]) == datetime.fromisoformat(since)
    again = api.post(f"{path}/replay", {"since": since})
    assert (again.status_code, again.json()["error"]["code"]) == (409, "replaying")
    api.post(f"{path}/discard", {"confirm": True})
    assert api.get(path).json()["replaying_since"] is None
    api.patch(path, {"enabled": False})
    assert api.post(f"{path}/replay", {"since": since}).json()["error"]["code"] == "webhook_off"


@pytest.mark.parametrize("since", ["2020-01-01T00:00:00Z", "2990-01-01T00:00:00Z", "yesterday", 5, None])
def test_a_replay_is_of_the_last_days(api, hook, since):
    answer = api.post(f"{OUT}/{hook()['id']}/replay", {"since": since})
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "since")


def test_deleted_with_its_secrets(api, hook):
    path = f"{OUT}/{hook()['id']}"
    api.post(f"{path}/test", {})
    assert api.delete(path, {}).status_code == 204
    assert api.get(path).status_code == 404
    assert not OutgoingSecret.unsafe_all_tenants.exists()
    assert deliver() == 0
    assert OutgoingDelivery.unsafe_all_tenants.get().state == "pending"


def test_there_are_bounds(api, hook, monkeypatch):
    path = f"{OUT}/{hook()['id']}"
    for _ in range(VALID_SECRETS - 1):
        assert api.post(f"{path}/rotate", {}).status_code == 200
    assert api.post(f"{path}/rotate", {}).json()["error"]["code"] == "too_many_secrets"
    assert api.post(f"{path}/rotate", {"overlap_seconds": 0}).status_code == 200
    monkeypatch.setattr(service, "TENANT_WEBHOOKS", OutgoingWebhook.unsafe_all_tenants.count())
    assert api.post(OUT, {"url": URL}).json()["error"]["code"] == "too_many"
