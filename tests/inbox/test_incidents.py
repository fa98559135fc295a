"""What failed for good, and what was stuck, is a task for operators where that is wanted (R-136)."""

from pathlib import Path

import pytest

from accounts.principal import Forbidden
from lib.refusals import Conflict, Invalid, NotAllowed
from runs.commands import dead_letters
from runs.kernel.refused import RunRefused
from runs.models import DeadLetter, Repair
from tasks_inbox.actions import assignment, comments, deciding, resolving
from tasks_inbox.actions.decision import Decision
from tasks_inbox.duties import incidents
from tasks_inbox.evidence import exports
from tasks_inbox.evidence.exported import verify
from tasks_inbox.models import ManualTask, Notification
from tests import factories as make
from tests.inbox.asking import again, hand, member, read, stuck
from tests.web.test_inbox_pages import log_in

STEP = {"id": "charge", "title": "Charge the card", "type": "job", "queue": "work", "retry": "none"}
JOB = make.graph([STEP], [])


@pytest.fixture(autouse=True)
def wanted(settings):
    settings.HANDOFF_OPERATOR_TASKS = ("dead_letters", "repairs")
    return settings


@pytest.fixture
def ops():
    """An operator."""
    return member("ops", "operator")


def failed(count=1):
    runs = make.start(JOB, *({"n": n} for n in range(count)))
    make.fail(*make.claimed("work"), code="BankDown")
    assert incidents.tick() == count
    return runs


def task_of(run):
    return ManualTask.unsafe_all_tenants.get(run_id=run, kind="incident")


def test_a_dead_letter_is_a_task_once_and_tried_again_from_there(ops):
    (run,) = failed()
    assert incidents.tick() == 0
    task = task_of(run)
    assert (task.title, task.candidates["roles"]) == (
        "“Charge the card” failed for good",
        ["operator", "admin"],
    )
    assert {fact["label"]: fact["value"] for fact in task.facts}["Attempts"] == 1
    done = resolving.resolve_task(ops, task.pk, resolution="retry", reason="The bank is back.")
    assert (done.status, done.outcome, done.decided_by) == ("COMPLETED", "retry", "ops")
    make.complete(*make.claimed("work"), output={})
    assert make.run(run).status == "COMPLETED"


def test_what_is_left_as_it_is_is_discarded_with_its_reason(ops):
    (run,) = failed()
    resolving.resolve_task(ops, task_of(run).pk, resolution="abandon", reason="Nobody needs it.")
    letter = DeadLetter.unsafe_all_tenants.get(run_id=run)
    assert (letter.resolution, letter.reason) == ("discarded", "Nobody needs it.")
    assert letter.resolved_by.username == "ops"
    assert incidents.tick() == 0
    with pytest.raises(Conflict) as refused:
        resolving.resolve_task(ops, task_of(run).pk, resolution="retry")
    assert refused.value.code == "decided_already"


def test_what_was_seen_to_elsewhere_leaves_the_inbox(ops):
    (run,) = failed()
    dead_letters.redrive(ops, DeadLetter.unsafe_all_tenants.filter(run_id=run))
    incidents.tick()
    assert task_of(run).status == "CANCELLED"
    make.fail(*make.claimed("work"), code="BankDown")
    assert incidents.tick() == 1
    assert ManualTask.unsafe_all_tenants.filter(run_id=run, kind="incident", status="OPEN").count() == 1


def test_a_repair_is_a_task_that_somebody_sees(ops):
    (run,) = make.start(JOB, {"n": 1})
    make.RepairFactory(run_id=run, node="charge")
    assert (incidents.tick(), incidents.tick()) == (1, 0)
    task = task_of(run)
    assert task.title == "A run was stuck at “Charge the card”"
    with pytest.raises(Invalid) as refused:
        resolving.resolve_task(ops, task.pk, resolution="retry")
    assert refused.value.field == "resolution"
    assert resolving.resolve_task(ops, task.pk, resolution="done").outcome == "done"
    assert (incidents.tick(), again(task).status) == (0, "COMPLETED")
    Repair.unsafe_all_tenants.all().delete()
    make.cancel(run)


def test_only_operators_and_admins_settle_it_and_nobody_is_asked_or_handed_it(ops):
    (run,) = failed()
    task, ann = task_of(run), member("ann")
    with pytest.raises((NotAllowed, Forbidden)):
        resolving.resolve_task(ann, task.pk, resolution="retry")
    for act in (
        lambda: hand(ops, task, "ann"),
        lambda: comments.ask(ops, task.pk, "Why?"),
        lambda: deciding.complete_task(ops, task.pk, Decision("retry", seen=read(ops, task))),
    ):
        with pytest.raises(Conflict):
            act()
    comments.add_comment(ops, task.pk, "On it.")
    assignment.claim_task(ops, task.pk)
    with pytest.raises(Conflict) as refused:
        resolving.resolve_task(member("boss", "admin"), task.pk, resolution="retry")
    assert refused.value.code == "claimed"


def test_history_and_evidence_say_nothing_of_it(ops):
    (run,) = failed()
    resolving.resolve_task(ops, task_of(run).pk, resolution="abandon", reason="Seen.")
    assert not [event for event in make.history(run) if event.startswith("TASK_")]
    assert list(verify.faults(exports.export(ops, run, "json").content.decode(), Path("nowhere"))) == []


def test_a_run_that_can_not_go_on_leaves_its_task_open(ops, monkeypatch):
    (run,) = failed()

    def refuse(*_, **__):
        raise RunRefused("key_taken", "A newer run has its business key.", conflict=True)

    monkeypatch.setattr(dead_letters.lifecycle, "redo_failed", refuse)
    with pytest.raises(RunRefused):
        resolving.resolve_task(ops, task_of(run).pk, resolution="retry")
    assert task_of(run).status == "OPEN"


def test_operators_are_mailed_of_the_first_of_many(ops):
    failed(5)
    assert Notification.unsafe_all_tenants.filter(kind="asked").count() == 1


def test_nothing_is_opened_where_nobody_wants_it_or_a_compensation_has_its_own(wanted, ops):
    stuck()
    incidents.tick()
    found = ManualTask.unsafe_all_tenants.filter(kind="incident")
    assert not found.filter(node__endswith=":compensate").exists()
    wanted.HANDOFF_OPERATOR_TASKS = ()
    (run,) = make.start(JOB, {"n": 1})
    make.fail(*make.claimed("work"), code="BankDown")
    assert incidents.tick() == 0
    assert not found.filter(run_id=run).exists()


def test_it_stands_where_no_step_can_have_a_task_of_its_own(ops):
    (run,) = failed()
    assert task_of(run).step_id == DeadLetter.unsafe_all_tenants.get(run_id=run).pk


def test_it_is_settled_on_its_page(client, ops):
    (first,) = failed()
    log_in(client, "ops")
    page = client.get(f"/inbox/{task_of(first).pk}").text
    for said in ("“Charge the card” failed for good", "Try again", "Leave it as it is", "BankDown"):
        assert said in page
    for unsaid in ("Give it to somebody…", "Ask and pause", "Return it for changes", "Escalate it"):
        assert unsaid not in page
    sent = client.post(f"/inbox/{task_of(first).pk}/resolve", {"resolution": "abandon"})
    assert (sent.status_code, "needs a reason" in sent.text) == (422, True)
    sent = client.post(f"/inbox/{task_of(first).pk}/resolve", {"resolution": "retry"}, follow=True)
    assert "The run goes on from the step that failed." in sent.text
    page = client.get(f"/inbox/{task_of(first).pk}")
    assert "Decided: Try again" in page.text
