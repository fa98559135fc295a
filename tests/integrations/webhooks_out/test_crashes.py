"""Whatever point a worker dies at while it sends events, another one sends them, by the same ids and in their order."""

from datetime import timedelta

import pytest

from integrations.webhooks_out import service
from integrations.webhooks_out.models import OutgoingDelivery, OutgoingWebhook
from lib.clock import now_here, set_now
from tests import factories as make
from tests.crash import victim
from tests.integrations.webhooks_out import crashing
from tests.integrations.webhooks_out.receiving import receiving
from tests.people import People

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.processes]
TWO = make.chain("noop", "noop")


@pytest.fixture(autouse=True)
def _real_clock():
    yield
    set_now(None)


@pytest.fixture
def receiver():
    with receiving() as receiver:
        yield receiver


def prepared(receiver):
    """A run that is over, of which everything is to be sent to two webhooks, and once more to one of them."""
    set_now(None)
    OutgoingWebhook.unsafe_all_tenants.all().delete()
    admin = People().principal("admin", "default")
    hook = service.create_webhook(admin, url=receiver.url).webhook
    service.create_webhook(admin, url=receiver.url + "?gone", events_wanted=["run.started"])
    (run,) = make.start(TWO)
    make.work()
    service.replay_since(admin, hook.pk, since=now_here() - timedelta(hours=1))
    receiver.messages.clear()
    return run


def test_everything_arrives_in_order_wherever_a_worker_dies(receiver):
    receiver.answers = lambda one: 204
    allowed = f"127.0.0.1:{receiver.port}"
    prepared(receiver)
    points = {hit for hit, _ in victim.hits_of(crashing.send, allowed)}
    points = sorted(point for point in points if point.endswith(("outgoing", "served", "secrets", "replay")))
    for point in points:
        run = prepared(receiver)
        assert victim.dies(point, crashing.send, allowed), point
        victim.later(2)
        crashing.send(allowed)
        once = dict.fromkeys((one.id, one.type) for one in receiver.of(run) if one.type != "run.started")
        assert [kind for _, kind in once] == ["step.completed", "step.completed", "run.completed"], point
        rows = OutgoingDelivery.unsafe_all_tenants.filter(run_id=run)
        assert set(rows.values_list("state", flat=True)) == {"delivered"}, point
    died = {point.removeprefix("before_") for point in points}
    assert died >= {*crashing.STAGED.split()}
