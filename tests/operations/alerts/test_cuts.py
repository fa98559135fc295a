"""What a condition has not read resolves no alert: others come before it, of its tenant or of all."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from operations.alerts import finding, store
from operations.alerts.models import Alert
from runs.models import DeadLetter, Run, StepExecution, Timer
from tests import factories as make
from tests.operations.alerts.conftest import alerts, look
from workflows.models import Workflow

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

PAUSE = make.graph([{"id": "rest", "type": "wait", "params": {"seconds": 60}}], [])
FAILS = [make.graph([{"id": f"s{n}", "type": "noop", "retry": "none"}], []) for n in range(3)]


def standing():
    rows = Alert.objects.for_tenant(make.a_tenant().pk).exclude(status="resolved")
    return sorted(rows.values_list("key", flat=True))


def failed(graph, count=1):
    runs = make.start(graph, *[{}] * count)
    make.fail(*make.claimed())
    return runs


def workflow_of(run_id):
    return Workflow.objects.for_tenant(make.a_tenant().pk).get(pk=make.run(run_id).workflow_id).name


def resolve(runs):
    DeadLetter.unsafe_all_tenants.filter(run_id__in=runs).update(resolution="discarded", resolved_at=Now())


def test_timers_of_a_tenant_behind_those_that_are_read_keep_its_alert(on_call, clock, monkeypatch):
    on_call.rule("timer_late", params={"seconds": 30})
    make.start(PAUSE)
    make.work()
    clock.advance(100)
    assert look() == 1
    other = make.a_tenant("other")
    make.start(PAUSE, *[{}] * 2, tenant=other)
    make.work()
    older = Timer.unsafe_all_tenants.filter(tenant_id=other.pk)
    older.update(fire_at=clock.now - timedelta(hours=1))
    monkeypatch.setattr(finding, "LATE_TIMERS", 2)
    look()
    assert standing() == ["timers"]


def test_an_alert_of_older_letters_than_are_read_stands_until_none_of_its_step_is_open(on_call, monkeypatch):
    on_call.rule("step_exhausted")
    old, newer = failed(FAILS[0], 2), failed(FAILS[1], 3)
    assert look() == 2
    for module in (finding, store):
        monkeypatch.setattr(module, "RULE_FINDINGS", 3)
    assert look() == 0
    assert len(standing()) == 2
    resolve(old[:1])
    assert look() == 0
    assert "failed for good once" in alerts()[0].message
    resolve(old[1:])
    assert look() == 1
    assert [one.endswith("/s1") for one in standing()] == [True]
    resolve(newer)
    assert look() == 1


def test_letters_of_another_workflow_keep_no_alert_of_a_step_of_the_same_name(on_call, monkeypatch):
    on_call.rule("step_exhausted")
    mine, theirs = (
        make.graph([{"id": "s", "type": "noop", "retry": "none"}], [], name=name) for name in ("a", "b")
    )
    old = failed(mine)
    failed(theirs), failed(FAILS[2], 4)
    assert look() == 3
    for module in (finding, store):
        monkeypatch.setattr(module, "RULE_FINDINGS", 4)
    resolve(old)
    assert look() == 1
    assert len(standing()) == 2


def test_alerts_of_steps_that_are_not_among_the_newest_have_their_turn(on_call, monkeypatch, clock):
    on_call.rule("step_exhausted")
    first, second = failed(FAILS[0]), failed(FAILS[1])
    failed(FAILS[2], 2)
    assert look() == 3
    for module in (finding, store):
        monkeypatch.setattr(module, "RULE_FINDINGS", 2)
    monkeypatch.setattr(finding, "OPEN_STEP_ALERTS", 1)
    resolve(second)
    clock.advance(1)
    assert sorted([look(), look()]) == [0, 1]
    resolve(first)
    assert look() == 1


def test_runs_that_could_not_be_undone_before_those_that_are_read_keep_an_alert_of_one_workflow(
    on_call, monkeypatch
):
    def waits():
        undo = {"type": "job", "queue": "undo", "retry": "none"}
        nodes = [
            {"id": "reserve", "type": "job", "queue": "reserve", "compensate": undo},
            {"id": "ship", "type": "job", "queue": "ship", "retry": "none"},
        ]
        (run_id,) = make.start(make.graph(nodes, ["reserve>ship"]))
        make.complete(*make.claimed("reserve"), output={})
        make.fail(*make.claimed("ship"))
        make.fail(*make.claimed("undo"))
        return workflow_of(run_id)

    waits()
    on_call.rule("compensation_failed", params={"workflow": waits()})
    assert look() == 1
    for module in (finding, store):
        monkeypatch.setattr(module, "RULE_FINDINGS", 1)
    assert [look(), len(standing())] == [0, 1]


def test_steps_that_come_later_hide_none_that_is_ready(on_call, monkeypatch):
    on_call.rule("queue_depth", params={"above": 1})
    make.start(make.graph([{"id": "j", "type": "job", "queue": "card"}], []), *[{}] * 4)
    assert look() == 1
    monkeypatch.setattr(store, "READY_STEPS", 2)
    later = StepExecution.unsafe_all_tenants.order_by("id").values("id")[:3]
    StepExecution.unsafe_all_tenants.filter(pk__in=later).update(available_at=Now() + timedelta(hours=1))
    assert [look(), standing()] == [0, ["card"]]


def test_queues_behind_those_that_are_read_keep_their_alerts(on_call, monkeypatch):
    on_call.rule("queue_depth", params={"above": 1})
    for queue in ("a", "z"):
        make.start(make.graph([{"id": "j", "type": "job", "queue": queue}], []), {}, {})
    assert look() == 2
    monkeypatch.setattr(store, "EVALUATED_QUEUES", 1)
    assert [look(), standing()] == [0, ["a", "z"]]


def test_parts_of_runs_take_no_place_of_those_that_a_failure_rate_is_of(on_call, monkeypatch):
    on_call.rule("failure_rate", params={"percent": 50, "least": 1})
    failed(FAILS[0])
    for module in (finding, store):
        monkeypatch.setattr(module, "RULE_FINDINGS", 2)
    parts = make.start(make.chain("noop"), *[{}] * 3)
    Run.unsafe_all_tenants.filter(pk__in=parts).update(is_part=True)
    assert look() == 1


def test_runs_of_other_workflows_take_no_place_of_those_that_a_rule_is_about(on_call, monkeypatch):
    (run_id,) = failed(FAILS[0])
    on_call.rule("failure_rate", params={"percent": 50, "least": 1, "workflow": workflow_of(run_id)})
    make.start(make.chain("noop"), *[{}] * 3)
    for module in (finding, store):
        monkeypatch.setattr(module, "RULE_FINDINGS", 2)
    assert look() == 1


def test_mails_of_a_tenant_behind_those_that_are_read_keep_its_alert(on_call, monkeypatch):
    on_call.rule("mail_failing")
    make.AccountMailFactory(next_at=Now() + timedelta(minutes=5))
    assert look() == 1
    other = make.a_tenant("other").pk
    make.NotificationFactory.create_batch(2, tenant_id=other, next_at=Now())
    monkeypatch.setattr(finding, "LATE_TIMERS", 2)
    look()
    assert standing() == ["mail"]
