"""Rules about schedules, tasks, dead letters and the outbox are fired by their real conditions (docs/alerts.md)."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from accounts.models import AccountMail
from lib.uuid7 import uuid7
from operations.alerts import finding
from runs.models import DeadLetter, DispatchOutbox
from tasks_inbox.duties import account_mails as outbox
from tasks_inbox.models import ManualTask
from tests import factories as make
from tests.operations.alerts.conftest import alerts, look
from tests.operations.alerts.factories import (
    DispatchLeaderFactory,
    DispatchOutboxFactory,
    ScheduleEntryFactory,
)
from tests.operations.alerts.test_conditions import FAILS, JOB, goes_through
from tests.schedules import a_schedule, holding

pytestmark = [pytest.mark.django_db, pytest.mark.slow, pytest.mark.usefixtures("forked")]

APPROVAL = make.graph([{"id": "ask", "type": "human.approval", "params": {"title": "Ok?"}}], [])


def test_people_without_an_address_are_no_failure_of_mail(on_call, monkeypatch):
    on_call.rule("mail_failing")
    monkeypatch.setenv("HANDOFF_SMTP_URL", "smtp://127.0.0.1:1")
    user = make.a_member("ann", "viewer")
    type(user).objects.filter(pk=user.pk).update(email="")
    due = Now() - timedelta(seconds=1)
    make.AccountMailFactory(
        tenant_id=on_call.admin.tenant_id, user=user, kind="invited", attempts=0, error="", next_at=due
    )
    outbox.tick()
    kept = AccountMail.unsafe_all_tenants.get()
    assert (kept.error, kept.attempts, kept.next_at) == ("They have no e-mail address.", 0, None)
    assert look() == 0, alerts()


@pytest.mark.parametrize("reason", ["skipped", "late"])
def test_a_schedule_that_is_on_and_starts_nothing(on_call, clock, reason):
    on_call.rule("schedule_stopped")
    schedule = a_schedule(holding(), every_seconds=3600)
    rows = type(schedule).unsafe_all_tenants.filter(pk=schedule.pk)
    if reason == "late":
        rows.update(fire_at=clock.now - timedelta(seconds=301))
    else:
        for number in range(3):
            skipped(schedule, number, clock.now)
            assert number == 2 or look() == 0

    def ends():
        rows.update(fire_at=clock.now + timedelta(hours=1))
        ScheduleEntryFactory(schedule=schedule, due_at=clock.now, status="STARTED")

    goes_through(on_call, "schedule_stopped", ends, f"The schedule {schedule.name} starts nothing")


def skipped(schedule, number, now):
    """A due time at which nothing was started."""
    due = now - timedelta(hours=number + 1)
    ScheduleEntryFactory(schedule=schedule, due_at=due, message="The input does not fit the workflow.")


@pytest.mark.parametrize("kind", ["task_undecidable", "task_overdue"])
def test_tasks_that_nobody_can_decide_or_that_are_overdue(on_call, clock, kind):
    on_call.rule(kind)
    make.start(APPROVAL, {})
    make.work()
    tasks = ManualTask.unsafe_all_tenants.filter(status="OPEN")
    column = "undecidable_since" if kind == "task_undecidable" else "due_at"
    tasks.update(**{column: clock.now - timedelta(minutes=4)})
    assert look() == 0
    tasks.update(**{column: clock.now - timedelta(hours=2)})
    subject = "nobody can decide 1 task" if kind == "task_undecidable" else "1 task is overdue"
    goes_through(on_call, kind, lambda: tasks.update(**{column: None}), subject)
    assert "1 task of" in alerts()[-1].message


def test_many_dead_letters(on_call):
    on_call.rule("dead_letters", params={"above": 1})
    for count in range(2):
        make.start(FAILS, {})
        make.fail(*make.claimed())
        assert count or look() == 0
    rows = DeadLetter.unsafe_all_tenants.all()
    goes_through(on_call, "dead_letters", lambda: rows.update(resolution="discarded"), "2 dead letters wait")


@pytest.mark.parametrize("kind", ["task_undecidable", "task_overdue", "dead_letters"])
def test_what_is_counted_up_to_a_bound_says_so_and_ends_no_alert(on_call, clock, monkeypatch, kind):
    """The rows of another workflow fill what one evaluation reads: of this one nothing is known any more."""
    params = {"above": 0} if kind == "dead_letters" else {}
    (run,) = make.start(FAILS if kind == "dead_letters" else APPROVAL, {})
    on_call.rule(kind, params=params | {"workflow": make.run(run).version.workflow.name})

    def hold(*ages):
        """Rows that hold, of these ages in hours."""
        if kind == "dead_letters":
            make.fail(*make.claimed())
            return
        make.work()
        tasks = ManualTask.unsafe_all_tenants.filter(status="OPEN").order_by("-id")[: len(ages)]
        column = "undecidable_since" if kind == "task_undecidable" else "due_at"
        for task, age in zip(tasks, ages, strict=True):
            type(task).unsafe_all_tenants.filter(pk=task.pk).update(
                **{column: clock.now - timedelta(hours=age)}
            )

    hold(2)
    assert look() == 1
    assert "at least" not in alerts()[-1].message.lower()
    make.start(FAILS if kind == "dead_letters" else APPROVAL, *[{}] * 2)
    hold(3, 3)
    monkeypatch.setattr(finding, "COUNTED_ROWS", 2)
    if kind != "dead_letters":
        ManualTask.unsafe_all_tenants.filter(run_id=run).update(id=uuid7())
    look()
    assert alerts()[-1].status == "open"
    on_call.rule(kind, params=params | {"workflow": ""})
    look()
    assert "at least 2 " in max(alerts(), key=lambda alert: alert.pk).message.lower()


@pytest.mark.parametrize("kind", ["outbox", "relay_leader"])
def test_jobs_that_no_relay_announces(on_call, clock, kind):
    on_call.rule(kind)
    (run,) = make.start(JOB, {})
    row = DispatchOutboxFactory(
        tenant_id=on_call.admin.tenant_id, run_id=run, due_at=clock.now - timedelta(seconds=20)
    )
    assert look() == 0
    rows = DispatchOutbox.unsafe_all_tenants.filter(pk=row.pk)
    rows.update(due_at=clock.now - timedelta(minutes=3))
    leads = DispatchLeaderFactory(expires_at=clock.now + timedelta(seconds=10))
    if kind == "relay_leader":
        assert look() == 0
        type(leads).objects.update(expires_at=clock.now - timedelta(minutes=2))
    subject = "1 job could not be announced" if kind == "outbox" else "No relay announces jobs"
    goes_through(on_call, kind, rows.delete, subject)
