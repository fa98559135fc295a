"""How each kind of channel is told, over real HTTP and SMTP, and where nothing may be sent."""

import json
import socket
import subprocess
import sys
import time
from urllib.parse import urlsplit

import pytest
from apprise.plugins import pagerduty
from requests import sessions

from lib.egress import Egress, EgressRules, Server, allowances
from operations.alerts import channels, posting, process, sending
from operations.alerts.models import AlertChannel
from tests.answering import answering, http
from tests.operations.alerts.conftest import deliveries
from tests.smtp import mailbox

in_database = pytest.mark.django_db
TEAMS = (
    "https://prod-1.westus.logic.azure.com/workflows/abc123/triggers/manual/paths/invoke"
    "?api-version=2016-06-01&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=SIGNATURE"
)
ALERT = {
    "id": 1,
    "event": "raised",
    "message": "0189",
    "alert": 5,
    "rule": "queue_depth",
    "severity": "critical",
    "status": "open",
    "key": "handoff:1:5:card",
    "link": "https://handoff.example/operations/",
    "subject": "51 <steps> wait & wait",
    "body": "They are ready.\nStart more workers.\nhttps://handoff.example/operations/",
}


class Rerouted:
    """An egress whose requests end at a server of the test, whatever host they are for."""

    def __init__(self, port) -> None:
        self.port, self.hosts = port, []
        self.real = Egress(EgressRules(allow=allowances(f"127.0.0.1:{port}")))

    def request(self, method, url, **options):
        parts = urlsplit(url)
        self.hosts.append(f"{parts.scheme}://{parts.netloc}")
        here = parts._replace(scheme="http", netloc=f"127.0.0.1:{self.port}").geturl()
        return self.real.request(method, here, **options)


@pytest.fixture
def rerouted(monkeypatch):
    """What plug-ins send in this process goes through the gate, as in the process that sends, to a server here."""
    with answering(http(b"{}", status="202 Accepted")) as server:
        egress = Rerouted(server.port)
        monkeypatch.setattr(sessions, "HTTPAdapter", posting.Gate)
        monkeypatch.setattr(posting.Gate, "egress", egress)
        egress.server = server
        yield egress


def test_a_workflow_of_teams_is_posted_a_card(rerouted):
    assert posting.post({**ALERT, "kind": "teams", "address": TEAMS}) == {
        "id": 1,
        "error": "",
        "for_good": False,
    }
    assert rerouted.hosts == ["https://prod-1.westus.logic.azure.com"]
    (asked,) = rerouted.server.asked
    assert "sig=SIGNATURE" in asked.target
    card = json.loads(asked.body)
    assert card["type"] == "message"
    assert "51 <steps> wait & wait" in json.dumps(card, ensure_ascii=False)


def test_what_is_no_workflow_of_teams_is_given_up_at_once(rerouted):
    outcome = posting.post({**ALERT, "kind": "teams", "address": "https://example.org/in"})
    assert (outcome["for_good"], rerouted.server.asked) == (True, [])


@pytest.mark.parametrize(("address", "host"), [("a" * 32, "us"), ("eu:" + "b" * 32, "eu")])
def test_pagerduty_is_given_an_incident_that_is_resolved_by_the_same_key(rerouted, address, host):
    for event in ("raised", "resolved"):
        outcome = posting.post({**ALERT, "kind": "pagerduty", "address": address, "event": event})
        assert outcome["error"] == ""
    assert rerouted.hosts == [pagerduty.PAGERDUTY_API_LOOKUP[host].removesuffix("/v2/enqueue")] * 2
    first, second = (json.loads(one.body) for one in rerouted.server.asked)
    assert (first["event_action"], first["payload"]["severity"]) == ("trigger", "critical")
    assert first["payload"]["summary"].startswith("51 <steps> wait & wait")
    assert first["routing_key"] == address.rpartition(":")[2]
    assert first["dedup_key"] == second["dedup_key"] == "handoff:1:5:card"
    assert second["event_action"] == "resolve"


def test_what_breaks_in_a_plug_in_says_no_address(monkeypatch):
    monkeypatch.setattr(posting, "_json", lambda address, payload: 1 / 0)
    outcome = posting.post({**ALERT, "kind": "slack", "address": "https://hooks.example/secret"})
    assert outcome == {"id": 1, "error": "It could not be sent: ZeroDivisionError.", "for_good": False}


def outcome_of(admin, kind, address):
    """What became of a test of a new channel."""
    name = f"channel {AlertChannel.objects.for_tenant(admin.tenant_id).count()}"
    channel = channels.create_channel(admin, name=name, kind=kind, address=address)
    channels.send_test(admin, channel.pk)
    sending.send_due()
    return deliveries()[-1]


@in_database
def test_slack_and_what_is_compatible_is_posted_a_text_without_commands(admin, receiver):
    assert outcome_of(admin, "slack", receiver.url("/services/T/B/x?y=1")) == ("test", "sent", "")
    (asked,) = receiver.asked
    assert asked.target == "/services/T/B/x?y=1"
    assert set(json.loads(asked.body)) == {"text"}
    assert json.loads(asked.body)["text"].startswith("*A test of Handoff*\nThis is a test")


def test_slack_takes_no_commands_from_names(rerouted):
    posting.post(
        {**ALERT, "kind": "slack", "address": "https://hooks.example/x", "subject": "<!channel> & co"}
    )
    text = json.loads(rerouted.server.asked[0].body)["text"]
    assert text.startswith("*&lt;!channel&gt; &amp; co*\n")


@in_database
def test_mail_goes_to_each_address(admin, monkeypatch):
    with mailbox(monkeypatch) as box:
        assert outcome_of(admin, "mail", "ann@shop.example, bob@shop.example") == ("test", "sent", "")
        (message,) = box.messages()
    assert message["Subject"] == "[Handoff] A test of Handoff"
    assert message["To"] == "ann@shop.example, bob@shop.example"
    assert message["Message-ID"].endswith("@shop.example>")


@in_database
def test_without_a_mail_server_a_test_says_so(admin, monkeypatch):
    monkeypatch.delenv("HANDOFF_SMTP_URL", raising=False)
    event, state, error = outcome_of(admin, "mail", "ann@shop.example")
    assert (event, state) == ("test", "failed")
    assert "No mail server is configured" in error


@in_database
def test_a_private_address_is_refused_and_a_redirect_is_not_followed(admin, monkeypatch):
    with answering(http()) as inner:
        monkeypatch.delenv("HANDOFF_EGRESS_ALLOW", raising=False)
        _, state, error = outcome_of(admin, "webhook", inner.url("/in"))
        assert state == "failed"
        assert "is not a public address" in error
        assert "HANDOFF_EGRESS_ALLOW=127.0.0.1/32" in error
        with answering(http(status="302 Found", location=inner.url("/secret"))) as outer:
            monkeypatch.setenv("HANDOFF_EGRESS_ALLOW", f"127.0.0.1:{outer.port},127.0.0.1:{inner.port}")
            _, state, error = outcome_of(admin, "webhook", outer.url("/in"))
            assert (state, error) == ("failed", "The receiver answered 302.")
            assert len(outer.asked) == 1
        assert inner.asked == []


@in_database
def test_a_server_of_our_own_is_refused_whatever_is_allowed(admin, monkeypatch):
    with answering(http()) as own:
        monkeypatch.setenv("HANDOFF_EGRESS_ALLOW", f"127.0.0.1:{own.port}")
        monkeypatch.setattr(
            sending.outside,
            "egress",
            lambda: Egress(EgressRules(deny=(Server("127.0.0.1", own.port),))),
        )
        _, state, error = outcome_of(admin, "webhook", own.url("/in"))
        assert state == "failed"
        assert "is a server of this system itself" in error
        assert own.asked == []


@in_database
def test_a_receiver_that_hangs_holds_up_nobody_for_long_and_the_process_is_gone(admin, monkeypatch):
    children = []
    real = subprocess.Popen

    def popen(*args, **options):
        children.append(real(*args, **options))
        return children[-1]

    monkeypatch.setattr(process.subprocess, "Popen", popen)
    monkeypatch.setattr(sending, "CHILD_SECONDS", 4.0)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        monkeypatch.setenv("HANDOFF_EGRESS_ALLOW", f"127.0.0.1:{port}")
        began = time.monotonic()
        event, state, error = outcome_of(admin, "webhook", f"http://127.0.0.1:{port}/in")
    assert time.monotonic() - began < 10
    assert (event, state, error) == ("test", "failed", "The receiver took too long.")
    assert [child.returncode for child in children] == [-9]


@in_database
def test_a_process_that_breaks_is_no_receiver_that_is_slow(admin, monkeypatch):
    monkeypatch.setattr(process, "COMMAND", (sys.executable, "-c", "raise SystemExit(3)"))
    outcome = outcome_of(admin, "webhook", "https://hooks.example/in")
    assert outcome == ("test", "failed", "The process that sends it ended by itself.")


@in_database
def test_passwords_that_the_machine_has_for_a_host_are_not_sent(admin, receiver, monkeypatch, tmp_path):
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login me password secret\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert outcome_of(admin, "webhook", receiver.url("/in"))[1] == "sent"
    assert "authorization" not in {name.lower() for name in receiver.asked[0].headers}


@in_database
def test_an_address_is_kept_sealed_and_shown_in_part(admin):
    address = "https://hooks.slack.com/services/T0/B0/very-secret"
    made = channels.create_channel(admin, name="x", kind="slack", address=address)
    assert made.shown == "https://hooks.slack.com/…"
    assert b"very-secret" not in bytes(made.sealed)
    assert channels.open_address(admin.tenant_id, made.pk, made.number, bytes(made.sealed)) == address
    changed = channels.change_channel(admin, made.pk, address=address + "r")
    assert changed.number == 2
    assert channels.open_address(admin.tenant_id, made.pk, 2, bytes(changed.sealed)) == address + "r"
