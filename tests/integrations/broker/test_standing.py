"""What `/readyz` and the doctor say of the relay."""

import pytest

from config.health import readiness
from config.hint_findings import messages
from integrations.broker.broker import Verdict
from integrations.broker.relay import Relay
from integrations.broker.standing import outbox_complaint
from tests import factories as make
from tests.integrations.broker.consuming import JOB, Refusing

pytestmark = pytest.mark.django_db


def test_without_a_relay_nobody_is_told_and_it_is_not_ready(outbox):
    checks, standing = readiness()
    assert checks["relay"] is False
    assert "no relay publishes jobs" in list(standing.complaints())


def test_with_one_that_leads_all_is_well(relay):
    relay.turn()
    checks, standing = readiness()
    assert checks["relay"] is True
    assert standing.untold is None
    found = [one.text for one in messages(runs=True, database_answers=True)]
    assert "a relay publishes jobs (0 wait, 0 are published and not taken)" in found


def test_a_broker_that_takes_nothing_is_a_complaint_and_no_reason_to_stop(outbox):
    make.start(JOB)
    Relay(Refusing(Verdict.RETRY), "here", 300).turn()
    checks, standing = readiness()
    assert checks["relay"] is True
    assert standing.untold == "1 event of jobs can't be published"
    [found] = [one for one in messages(runs=True, database_answers=True) if "published" in one.text]
    assert (found.level, found.text) == ("warn", "1 event of jobs can't be published: no room")


def test_where_no_broker_is_nothing_is_said_of_a_relay(db):
    checks, _ = readiness()
    assert "relay" not in checks


def test_a_job_that_waits_for_long_is_a_complaint():
    standing = {
        "waiting": 3,
        "oldest_seconds": 31.0,
        "failing": 0,
        "aside": 0,
        "or_more": False,
        "why": None,
        "told": 0,
        "leader": ("a", 1, 9.0),
    }
    assert outbox_complaint(standing) == "the oldest job waits for 31 s to be published"
    assert outbox_complaint(standing | {"oldest_seconds": 5.0}) is None


def test_operators_see_how_the_outbox_stands(outbox, client):
    make.start(JOB)
    relay = Relay(Refusing(Verdict.RETRY), "here", 300)
    relay.turn()
    client.force_login(make.a_member("the-operator", "operator"))
    told = client.get("/api/v1/dispatch").json()
    assert told["mode"] == "redis_outbox"
    # A second later it is due again.
    assert told["outbox"] | {"oldest_seconds": 0, "waiting": 0} == {
        "waiting": 0,
        "oldest_seconds": 0,
        "told": 0,
        "failing": 1,
        "aside": 0,
        "led": True,
        "complaint": "1 event of jobs can't be published",
    }
    page = client.get("/operations/dispatch").text
    assert "a relay tells others of jobs through Redis" in page
    assert "1 event of jobs can&#x27;t be published." in page
