"""Each kind of rule is fired by its real condition, told once to a receiver, acknowledged, and over by itself."""

import shutil
from collections import namedtuple
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models.functions import Now

from accounts import members
from accounts.models import AccountMail, FolderGrant, Membership
from integrations.webhooks_out import service as webhooks
from integrations.webhooks_out import switching
from integrations.webhooks_out.models import OutgoingWebhook
from operations.alerts import answering, disk
from operations.alerts.kinds import KINDS
from runs.commands import jobs
from runs.commands.lifecycle import cancel_runs, resolve_compensation
from runs.maintenance import histories, sla
from runs.models import Repair, Timer
from tests import factories as make
from tests.operations.alerts.conftest import alerts, deliveries, look
from tests.schedules import a_schedule, an_owner
from triggers.schedules.service import change_schedule
from triggers.webhooks import rights
from triggers.webhooks.service import change_webhook, create_webhook, token_of
from triggers.webhooks.store import find_webhook

pytestmark = [pytest.mark.django_db, pytest.mark.slow, pytest.mark.usefixtures("forked")]

JOB = make.graph([{"id": "charge", "type": "job", "queue": "card"}], [])
WAITS = make.graph([{"id": "s", "type": "signal", "params": {"name": "x"}}], [])
FAILS = make.graph([{"id": "s", "type": "noop", "retry": "none"}], [])
SIGNAL = {"business_key": "/id", "signal_name": "go"}
PAUSE = make.graph([{"id": "rest", "type": "wait", "params": {"seconds": 60}}], [])


def goes_through(on_call, kind, ends, subject):
    """The condition holds: it is raised and told once, acknowledged, and over when it has ended."""
    assert look() == 1, alerts()
    assert look() == 0
    alert = alerts()[-1]
    assert (alert.kind, alert.status, alert.severity) == (kind, "open", KINDS[kind].severity)
    assert subject in alert.subject
    assert on_call.events() == ["raised"], deliveries()
    assert answering.acknowledge(on_call.admin, alert.pk, note="mine").status == "acknowledged"
    assert look() == 0
    assert on_call.events() == ["raised"]
    ends()
    assert look() == 1
    alert.refresh_from_db()
    assert (alert.status, alert.resolved_by, alert.acknowledged_by) == (
        "resolved",
        "",
        on_call.admin.username,
    )
    assert on_call.events() == ["raised", "resolved"]
    assert look() == 0


def poll():
    return jobs.poll(tenant=make.a_tenant().pk, worker="w1", queues=["card"], max_jobs=100)


def stuck_in_compensation():
    """A run whose one step could not be undone."""
    undo = {"type": "job", "queue": "undo", "retry": "none"}
    nodes = [
        {"id": "reserve", "type": "job", "queue": "reserve", "compensate": undo},
        {"id": "ship", "type": "job", "queue": "ship", "retry": "none"},
    ]
    run_id = make.start(make.graph(nodes, ["reserve>ship"]))[0]
    make.complete(*make.claimed("reserve"), output={})
    make.fail(*make.claimed("ship"))
    make.fail(*make.claimed("undo"))
    assert make.run(run_id).status == "WAITING_FOR_MANUAL_ACTION"
    return run_id


def test_a_queue_that_is_too_deep(on_call):
    on_call.rule("queue_depth")
    make.start(JOB, *[{}] * 50)
    assert look() == 0
    make.start(JOB)
    goes_through(on_call, "queue_depth", poll, "Workflow Queue Backup: 51 steps wait in card")


def test_a_step_that_waits_for_too_long(on_call, clock):
    on_call.rule("queue_age", params={"seconds": 120})
    make.start(JOB)
    clock.advance(119)
    assert look() == 0
    clock.advance(2)
    goes_through(on_call, "queue_age", poll, "Steps wait 2 min 1 s in card")


def test_a_worker_that_is_gone(on_call, clock):
    on_call.rule("worker_gone", params={"seconds": 60})
    poll()
    make.start(JOB)
    clock.advance(100)
    assert look() == 0
    clock.advance(100)
    goes_through(on_call, "worker_gone", poll, "No worker serves the queue card")


def test_too_many_runs_that_fail(on_call, clock):
    on_call.rule("failure_rate", params={"percent": 50, "least": 2})
    make.start(FAILS)
    make.fail(*make.claimed())
    assert look() == 0
    make.start(make.chain("noop"))
    make.work()
    goes_through(on_call, "failure_rate", lambda: clock.advance(7_200), "1 of 2 runs failed")


def test_a_run_that_has_used_four_fifths_of_its_time_and_one_that_is_late(on_call, clock):
    on_call.rule("sla_warning")
    run_id = make.start({**WAITS, "sla_seconds": 100})[0]
    clock.advance(80)
    sla.look()
    goes_through(on_call, "sla_warning", lambda: clock.advance(21), "has used 80 % of its time")
    sla.look()
    assert look() == 0
    assert make.run(run_id).status == "RUNNING"


def test_a_run_that_is_late_is_told_of_once_and_never_cancelled(on_call, clock):
    on_call.rule("sla_breached")
    run_id = make.start({**WAITS, "sla_seconds": 100})[0]
    clock.advance(101)
    sla.look()
    sla.look()

    def ends():
        assert make.run(run_id).status == "RUNNING"
        make.send(run_id, "x")
        make.work()

    goes_through(on_call, "sla_breached", ends, "is past its deadline")


def test_a_run_that_is_done_in_time_or_a_test_is_nobodys_alert(on_call, clock):
    on_call.rule("sla_breached")
    make.start({**make.chain("noop"), "sla_seconds": 100})
    make.work()
    clock.advance(101)
    sla.look()
    assert look() == 0


def test_a_step_that_failed_for_good_is_one_alert_however_many_do(on_call):
    on_call.rule("step_exhausted")
    runs = make.start(FAILS, *[{}] * 3)
    make.fail(*make.claimed())

    def ends():
        for run_id in runs:
            make.resume(run_id)
        make.work()

    goes_through(on_call, "step_exhausted", ends, "Do nothing (s) failed for good")
    assert "failed for good 3 times" in alerts()[0].message


def test_what_could_not_be_undone(on_call):
    on_call.rule("compensation_failed")
    run_id = stuck_in_compensation()

    def ends():
        step = make.steps(run_id)["reserve:compensate"].pk
        resolve_compensation(make.a_tenant().pk, run_id, step, "done", by="ann", reason="by hand")

    goes_through(on_call, "compensation_failed", ends, "could not be undone")


def test_timers_that_are_late(on_call, clock):
    on_call.rule("timer_late", params={"seconds": 30})
    make.start(PAUSE)
    make.work()
    clock.advance(80)
    assert look() == 0
    clock.advance(20)
    goes_through(on_call, "timer_late", make.tick, "Timers are 40 s late")
    assert Timer.unsafe_all_tenants.get().status == "FIRED"


def test_a_run_that_is_stuck_and_could_not_be_repaired(on_call):
    on_call.rule("run_stuck")
    run_id = make.start(WAITS)[0]
    make.work()
    run = make.run(run_id)
    make.RepairFactory(run_id=run_id, tenant_id=run.tenant_id, life=run.life, done=False)
    assert Repair.unsafe_all_tenants.count() == 1
    goes_through(on_call, "run_stuck", lambda: make.send(run_id, "x") or make.work(), "is stuck")


def test_an_ended_run_that_was_changed(on_call, clock):
    on_call.rule("history_differs")
    run_id = make.start(make.chain("noop"))[0]
    make.work()
    clock.advance(3_700)
    step = str(make.steps(run_id)["a"].pk)
    make.change(step, attempt=7)
    histories.check()

    def ends():
        make.change(step, attempt=1)
        clock.advance(3_700)
        histories.check()

    goes_through(on_call, "history_differs", ends, "differs from what history says")


def test_a_run_that_is_gone(on_call, clock):
    on_call.rule("history_differs", params={"workflow": make.a_version(WAITS).workflow.name})
    run_id = make.start(make.chain("noop"))[0]
    make.work()
    clock.advance(3_700)
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL handoff.archiving = 'on'")
        cursor.execute("DELETE FROM runs_run WHERE id = %s", [run_id])
    histories.check()
    assert look() == 1
    assert "a workflow that is not known" in alerts()[-1].subject


def test_a_webhook_that_was_switched_off(on_call):
    on_call.rule("webhook_off")
    hook = webhooks.create_webhook(on_call.admin, url="https://hooks.example/in/secret").webhook
    webhooks.change_webhook(on_call.admin, hook.pk, enabled=False)
    assert look() == 0
    webhooks.enable_webhook(on_call.admin, hook.pk)
    switching.switch_off(hook.pk, "gone")
    assert OutgoingWebhook.unsafe_all_tenants.get().off_reason == "gone"

    def ends():
        webhooks.enable_webhook(on_call.admin, hook.pk)

    goes_through(on_call, "webhook_off", ends, "The webhook hooks.example was switched off")
    assert "secret" not in alerts()[0].message


def test_mail_that_is_not_sent(on_call):
    on_call.rule("mail_failing")
    mail = make.AccountMailFactory(
        tenant_id=on_call.admin.tenant_id,
        user_id=on_call.admin.user_id,
        error="The mail server mail.example at port 25 does not answer.",
        next_at=Now() + timedelta(minutes=5),
    )
    rows = AccountMail.objects.for_tenant(on_call.admin.tenant_id).filter(pk=mail.pk)
    goes_through(
        on_call,
        "mail_failing",
        lambda: rows.update(sent_at=Now(), next_at=None, error=""),
        "Mail is not sent",
    )


def test_a_version_in_which_a_refusal_goes_on(on_call):
    on_call.rule("refusal_ignored")
    ask = {"id": "ask", "type": "human.approval", "title": "Pay?", "params": {"title": "Pay?"}}
    definition = make.graph([ask, "pay"], ["ask>pay"])
    old = make.VersionFactory(workflow__draft_definition={**definition, "name": "pay"}, rules=1)
    (run_id,) = make.start_version(old, {})
    make.work()
    assert look() == 1
    alert = alerts()[-1]
    assert (alert.kind, alert.severity, alert.subject) == (
        "refusal_ignored",
        "critical",
        "pay, version 1: a refusal goes on as an approval would",
    )
    assert "After Pay?, version 1" in alert.message
    assert "1 of its runs is open" in alert.message
    edges = [{"from": "ask", "to": "pay", "branch": "approved"}]
    make.next_version(old.workflow, definition | {"edges": edges})
    # Its run is open still.
    assert look() == 0
    cancel_runs(old.tenant_id, [run_id], by="ann")
    assert look() == 1
    alert.refresh_from_db()
    assert alert.status == "resolved"


def test_a_schedule_and_a_webhook_whose_owner_is_gone(on_call):
    on_call.rule("owner_gone")
    version = make.a_version(make.chain("noop"))
    schedule = a_schedule(version)
    hook = create_webhook(
        an_owner(version), name="orders", workflow=version.workflow.name, action="start", mapping={}
    )
    assert look() == 0
    members.set_active(on_call.admin, "owner", False, reason="left")
    assert (look(), look()) == (2, 0)
    assert [(one.kind, one.severity, one.subject) for one in alerts()] == [
        ("owner_gone", "critical", "The schedule nightly was stopped"),
        ("owner_gone", "critical", "The webhook orders refuses messages"),
    ]
    assert "It acts for owner, who is no longer an active member." in alerts()[0].message
    change_schedule(on_call.admin, schedule.name, enabled=True)
    change_webhook(on_call.admin, hook.webhook.pk, allow_unsigned=True)
    assert look() == 2
    assert {one.status for one in alerts()} == {"resolved"}


@pytest.mark.parametrize(
    ("role", "action", "mapping", "is_told"),
    [
        ("viewer", "start", {}, True),
        ("author", "start", {}, False),
        ("author", "signal", SIGNAL, True),
        ("operator", "signal", SIGNAL, False),
        ("operator", "signal", {**SIGNAL, "start_if_missing": True}, False),
    ],
)
def test_of_a_webhook_the_rights_that_it_needs_count(on_call, role, action, mapping, is_told):
    on_call.rule("owner_gone")
    version = make.a_version(make.chain("noop"))
    hook = create_webhook(
        an_owner(version), name="a", workflow=version.workflow.name, action=action, mapping=mapping
    )
    Membership.unsafe_all_tenants.filter(user__username="owner").update(role=role)
    FolderGrant.unsafe_all_tenants.all().delete()
    for name, verbs in (("author", ["start"]), ("operator", ["start", "operate"])):
        make.GrantFactory(folder=version.workflow.folder, role=name, verbs=verbs)
    assert look() == is_told
    # As the door itself judges it.
    found = find_webhook(token_of(hook.webhook))
    assert (rights.why_not(found) is not None) is is_told


def test_a_disk_that_fills_up(on_call, monkeypatch):
    on_call.rule("disk")
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(1000, 920, 80))
    goes_through(
        on_call,
        "disk",
        lambda: monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(1000, 500, 500)),
        "Only 8 % of the disk is free",
    )
    assert disk.free_percent() == 50


def test_every_kind_is_fired_above():
    assert set(KINDS) == {
        *("queue_depth", "queue_age", "worker_gone", "failure_rate", "sla_warning", "sla_breached", "disk"),
        *("step_exhausted", "compensation_failed", "timer_late", "run_stuck", "webhook_off", "mail_failing"),
        *("refusal_ignored", "owner_gone", "history_differs", "schedule_stopped", "task_undecidable"),
        *("task_overdue", "dead_letters", "outbox", "relay_leader"),
    }
