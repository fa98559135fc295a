"""Whatever point a worker dies at while it raises and sends alerts, another one goes on: one alert, told by one id."""

import json

import pytest

from lib.clock import set_now
from operations.alerts import channels, rules
from operations.alerts.models import Alert, AlertChannel, AlertDelivery, AlertRule
from runs.models import StepExecution
from tests import factories as make
from tests.answering import answering, http
from tests.crash import choosing, victim
from tests.operations.alerts import crashing
from tests.operations.alerts.conftest import forked, who_posts
from tests.people import People

__all__ = ["forked", "who_posts"]
# Who goes on forks who posts; who dies starts it as it is started.
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("forked"),
    pytest.mark.processes,
]
JOB = make.graph([{"id": "charge", "type": "job", "queue": "card"}], [])


@pytest.fixture(autouse=True)
def _real_clock():
    yield
    set_now(None)


@pytest.fixture
def receiver():
    with answering(http()) as server:
        yield server


def prepared(receiver):
    """Two steps in a queue, one more than its rule says, and a channel that is told."""
    set_now(None)
    for rows in (Alert, AlertDelivery, AlertRule, AlertChannel, StepExecution):
        rows.unsafe_all_tenants.all().delete()
    admin = People().principal("admin", "default")
    channel = channels.create_channel(admin, name="on call", kind="webhook", address=receiver.url("/in"))
    own = rules.rules_of(admin.tenant_id)
    # One is not there yet: it is made by the tick.
    own.filter(kind="disk").delete()
    own.exclude(kind="queue_depth").update(enabled=False)
    rules.change_rule(admin, own.get(kind="queue_depth").pk, params={"above": 1}, channels=[channel.pk])
    make.start(JOB, {}, {})
    receiver.asked.clear()


@pytest.mark.parametrize("chosen", choosing.EACH_TRANSACTION_OR_POINT)
def test_an_alert_is_raised_once_and_told_wherever_a_worker_dies(receiver, chosen):
    allowed = f"127.0.0.1:{receiver.port}"
    prepared(receiver)
    known = {f"before_{name}" for name in crashing.STAGED.split()}
    hits = [hit for hit in victim.hits_of(crashing.watch, allowed) if hit[0] in known]
    for point in sorted(chosen(hits)):
        prepared(receiver)
        assert victim.dies(point, crashing.watch, allowed), point
        victim.later(2)
        crashing.watch(allowed)
        victim.later(5)
        crashing.watch(allowed)
        assert [one.status for one in Alert.unsafe_all_tenants.filter(kind="queue_depth")] == ["resolved"], (
            point
        )
        sent = AlertDelivery.unsafe_all_tenants.order_by("id").values_list("event", "state")
        assert list(sent) == [("raised", "sent"), ("resolved", "sent")], point
        messages = {one["id"]: one["event"] for one in map(json.loads, (one.body for one in receiver.asked))}
        assert list(messages.values()) == ["raised", "resolved"], point
    assert choosing.every(hits) == known
