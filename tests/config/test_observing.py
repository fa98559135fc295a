"""`HANDOFF_START=observe`: pages and reads work, whatever would change, execute or send something does not."""

import pytest
from django.test import Client

from accounts.models import Session
from config import belonging, doctor, start_environment, startup, understanding
from config.startup import NotStartable
from config.supervisor.supervise import _mode
from integrations.webhooks_out.models import OutgoingDelivery
from runs.models import Run
from tests import factories as make
from tests.people import People

pytestmark = pytest.mark.django_db


@pytest.fixture
def observing(monkeypatch):
    monkeypatch.setenv("HANDOFF_START", "observe")


def test_what_it_is_is_said_by_a_variable_that_can_be_understood(monkeypatch):
    for value, observes in (("", False), ("work", False), (" Observe ", True)):
        monkeypatch.setenv("HANDOFF_START", value)
        assert start_environment.observes() is observes
    monkeypatch.setenv("HANDOFF_START", "watch")
    assert "HANDOFF_START must be work or observe, not 'watch'." in understanding.problems()


def test_pages_have_a_banner_and_reads_are_answered(observing):
    (run,) = make.start(make.chain("noop"))
    client = Client()
    client.force_login(make.a_member("ann", "admin"))
    page = client.get(f"/runs/{run}")
    assert page.status_code == 200
    assert "This Handoff observes only" in page.text
    assert People().client("admin", "default").get(f"/api/v1/runs/{run}").json()["id"] == run


def test_without_the_variable_there_is_no_banner():
    client = Client()
    client.force_login(make.a_member("ann", "admin"))
    assert "observes only" not in client.get("/runs/").text


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/api/v1/runs"),
        ("POST", "/api/v1/jobs/poll"),
        ("PATCH", "/api/v1/me"),
        ("DELETE", "/api/v1/tokens/x"),
        ("POST", "/v1/workflows"),
    ],
)
def test_what_would_change_something_is_refused(observing, method, path):
    answer = People().client("admin").generic(method, path, b"{}", content_type="application/json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "observing")
    assert not Run.unsafe_all_tenants.exists()


def test_pages_change_nothing_and_incoming_webhooks_are_to_come_again(observing):
    client = Client()
    client.force_login(make.a_member("ann", "admin"))
    answer = client.post("/settings/webhooks/out", {"url": "https://shop.example/in", "which": "all"})
    assert answer.status_code == 503
    assert "observes only" in answer.text
    assert Client().post("/hooks/x", b"{}", content_type="application/json").status_code == 503


def test_people_log_in_and_out(observing):
    user = make.a_member("ann", "admin")
    user.set_password("a long and good password")
    user.save()
    client = Client()
    answer = client.post("/login", {"username": "ann", "password": "a long and good password"})
    assert answer.status_code == 302
    assert Session.objects.filter(user_id=user.pk).exists()
    assert client.post("/logout").status_code == 302


def test_it_is_ready_without_workers_and_the_doctor_says_that_it_observes(observing, client):
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()) == (
        200,
        {"ready": True, "checks": {"database": True, "belongs": True}, "observes": True},
    )
    [finding] = doctor._observes()
    assert "observes only" in finding.text


def test_nothing_is_prepared_and_another_version_is_not_observed(observing, monkeypatch):
    monkeypatch.setattr(startup, "server_problems", list)
    monkeypatch.setattr(startup, "_prepare", lambda *_: pytest.fail("It goes on."))
    monkeypatch.setattr(belonging, "claim_payloads", lambda: pytest.fail("It marks the store."))
    startup.prepare(print)
    state = startup.Schema(unknown=[], missing=[], pending=["runs.9999_new"])
    monkeypatch.setattr(startup, "schema", lambda: state)
    with pytest.raises(NotStartable, match=r"of another version \(runs.9999_new\)"):
        startup.prepare(print)


def test_no_process_that_executes_or_sends_starts(observing):
    make.start(make.chain("noop"))
    with pytest.raises(SystemExit, match="starts web alone"):
        belonging.refuse()
    assert not OutgoingDelivery.unsafe_all_tenants.exists()


def test_neither_redis_nor_a_broker_is_needed(observing, monkeypatch):
    monkeypatch.setenv("HANDOFF_DISPATCH", "kafka_outbox")
    assert _mode(None) == "polling"
