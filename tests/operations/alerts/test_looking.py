"""What a look does when there is more than it takes, when a disk hangs, and what it calls things."""

import shutil
import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models.functions import Now

from operations.alerts import disk, evaluating, finding, store
from operations.alerts.models import Alert
from runs.maintenance import sla
from tasks_inbox.models import Notification
from tests import factories as make
from tests.operations.alerts.conftest import alerts, look
from tests.operations.alerts.factories import AlertFactory

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

WAITS = make.graph([{"id": "s", "type": "signal", "params": {"name": "x"}}], [])
FAILS = [{"id": f"s{n}", "type": "noop", "retry": "none"} for n in range(3)]


def standing():
    return sorted(Alert.unsafe_all_tenants.exclude(status="resolved").values_list("key", flat=True))


def test_of_more_than_a_look_takes_nothing_flaps_and_what_is_left_over_ends_when_all_is_seen_again(
    on_call, monkeypatch
):
    on_call.rule("queue_depth", params={"above": 1})
    for queue in ("a", "b", "c"):
        make.start(make.graph([{"id": "j", "type": "job", "queue": queue}], []), {}, {})
    assert look() == 3
    for module in (finding, store):
        monkeypatch.setattr(module, "RULE_FINDINGS", 2)
    assert [look() for _ in range(3)] == [0, 0, 0]
    assert standing() == ["a", "b", "c"]
    make.claimed("a"), make.claimed("b")
    assert look() == 2
    assert standing() == ["c"]


def test_of_late_runs_each_has_its_turn_however_many_there_are(on_call, clock, monkeypatch):
    on_call.rule("sla_breached")
    runs = make.start({**WAITS, "sla_seconds": 100}, *[{}] * 5)
    clock.advance(101)
    sla.look()
    assert look() == 5
    for module in (finding, store):
        monkeypatch.setattr(module, "RULE_FINDINGS", 2)
    for run_id in runs:
        make.send(run_id, "x")
    make.work()
    clock.advance(1)
    assert [look() for _ in range(4)] == [2, 2, 1, 0]
    assert standing() == []


def test_a_look_reads_no_more_open_alerts_than_it_has_to_do_with(on_call, monkeypatch):
    rule = on_call.rule("queue_depth")
    AlertFactory.create_batch(5, rule=rule)
    monkeypatch.setattr(store, "RESOLVED_ALERTS", 2)
    assert [look() for _ in range(4)] == [2, 2, 1, 0]


@pytest.mark.parametrize("is_over", [False, True])
def test_an_alert_and_what_tells_of_it_are_written_at_once(on_call, monkeypatch, is_over):
    """Or nobody would ever be told where a look ends between the two."""
    on_call.rule("queue_depth", params={"above": 1})
    make.start(make.graph([{"id": "charge", "type": "job", "queue": "card"}], []), {}, {})
    if is_over:
        look()
        make.complete(*make.claimed("card"), output={})
    before = standing()
    assert len(before) == is_over
    monkeypatch.setattr(store, "_write", lambda *_: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        look()
    assert standing() == before


def test_a_disk_that_hangs_holds_no_transaction_open_and_ends_no_alert(on_call, monkeypatch):
    on_call.rule("disk", params={"percent": 99})
    monkeypatch.setattr(disk, "free_percent", lambda: 5.0)
    assert look() == 1
    goes_on, asked = threading.Event(), []

    def hangs():
        asked.append(connection.in_atomic_block)
        goes_on.wait(30)
        return 5.0

    monkeypatch.setattr(disk, "free_percent", hangs)
    monkeypatch.setattr(disk, "WAIT_SECONDS", 0.01)
    try:
        assert [evaluating.look(), evaluating.look()] == [0, 0]
        assert len(asked) == 1
        assert standing() == ["disk"]
    finally:
        goes_on.set()
    assert disk.free_percent_in_time(5) in (5.0, None)


def test_the_disk_is_asked_before_the_transaction(on_call, monkeypatch):
    on_call.rule("disk")
    inside = []

    def asked():
        inside.append(len(connection.savepoint_ids))
        return 50.0

    monkeypatch.setattr(evaluating, "free_percent_in_time", asked)
    outside = len(connection.savepoint_ids)
    look()
    assert inside == [outside]


def test_an_alert_says_what_workflow_and_step_are_called(on_call):
    on_call.rule("step_exhausted")
    node = {"id": "fetch", "title": "Fetch the claim", "type": "noop", "retry": "none"}
    make.start(make.graph([node], [], name="claim_check", title="Check a claim"))
    make.fail(*make.claimed())
    look()
    [alert] = alerts()
    assert alert.subject == "Check a claim: Fetch the claim failed for good"
    assert "The step Fetch the claim of Check a claim" in alert.message


def test_mail_of_tasks_that_is_not_sent(on_call):
    on_call.rule("mail_failing")
    note = make.NotificationFactory(
        tenant_id=on_call.admin.tenant_id,
        error="The mail server does not answer.",
        next_at=Now() + timedelta(minutes=5),
    )
    assert look() == 1
    assert "The mail server does not answer." in alerts()[0].message
    Notification.unsafe_all_tenants.filter(pk=note.pk).update(sent_at=Now(), next_at=None, error="")
    assert look() == 1
    assert standing() == []


def test_the_disk_is_measured_where_handoff_keeps_its_files():
    assert 0 < disk.free_percent() <= 100
    assert disk.free_percent_in_time(10) == pytest.approx(
        100 * shutil.disk_usage("/").free / shutil.disk_usage("/").total, abs=100
    )
