"""What could not be undone is a task; whoever settles it closes it, and the run goes on (R-136, R-140, R-256)."""

import json
import logging

import pytest
from django.db import transaction

from accounts.models import User
from lib import named_sql
from lib.refusals import Conflict, Invalid, Missing, NotAllowed
from runs.commands import dead_letters
from runs.commands.lifecycle import resolve_compensation
from runs.kernel.refused import RunRefused
from runs.models import StepExecution
from runs.reading.presentation import found_run
from tasks_inbox.actions import assignment
from tasks_inbox.evidence.verifying import verify_chain
from tasks_inbox.models import ManualTask, TaskDecision
from tasks_inbox.store import statements
from tests import factories as make
from tests.inbox.asking import (
    again,
    asked,
    booking,
    decide,
    member,
    not_undone,
    resolve,
    stuck,
    task_of,
    undo_the_rest,
)
from tests.people import People


def facts_of(task):
    return {fact["label"]: fact["value"] for fact in task.facts}


def test_a_compensation_that_fails_for_good_opens_a_task_with_all_there_is_to_know():
    task = stuck()
    assert (task.kind, task.status, task.node) == ("compensation", "OPEN", "charge:compensate")
    assert task.title == "Undoing “Charge the card” failed"
    assert task.audience == ["role:operator", "role:admin"]
    assert [one["name"] for one in task.outcomes] == ["retry", "done", "abandon"]
    assert facts_of(task) == {
        "To be undone": "Charge the card (charge)",
        "What went wrong": "It went wrong. (BankDown)",
        "Attempts to undo it": "1 of 1",
        "What the step was given": {"room": 5},
        "What the step gave": {"receipt": "ch_1"},
        "Idempotency key": f"{task.run_id}/charge",
    }


def test_history_alerts_and_then_tells_of_the_task():
    task = stuck()
    assert make.history(task.run_id)[-4:] == [
        "STEP_FAILED charge:compensate",
        "RUN_WAITING_FOR_MANUAL_ACTION",
        "ALERT charge:compensate",
        "TASK_OPENED charge:compensate",
    ]
    (alert,) = make.events(task.run_id, "ALERT")
    assert (alert.payload, alert.attempt) == ({"kind": "compensation_failed", "code": "BankDown"}, 1)


def test_the_log_alerts_once_it_is_committed(caplog, django_capture_on_commit_callbacks):
    with (
        caplog.at_level(logging.ERROR, "runs.kernel.alerts"),
        django_capture_on_commit_callbacks(execute=True),
    ):
        (run_id,) = not_undone()
        assert caplog.records == []
    (line,) = [record for record in caplog.records if record.name == "runs.kernel.alerts"]
    assert (line.levelname, line.alert, line.run) == ("ERROR", "compensation_failed", run_id)
    assert "node='charge:compensate' code='BankDown' attempts=1" in line.getMessage()


def test_many_that_fail_at_once_cost_as_many_statements_as_one(monkeypatch):
    seen = []

    def of(count):
        seen.clear()
        not_undone(*({"n": n} for n in range(count)))
        return sorted(name for name in seen if name in ("await_operator", "open_compensation_tasks"))

    monkeypatch.setattr(named_sql, "watchers", [seen.append])
    assert of(1) == of(60) == ["await_operator", "open_compensation_tasks"]
    assert ManualTask.unsafe_all_tenants.filter(status="OPEN").count() == 61


def test_what_is_long_is_cut():
    said = facts_of(stuck(output={"text": "ä" * 50_000}))["What the step gave"]
    assert said.startswith('{"text": "ää')
    assert said.endswith("… (100,012 bytes; the page of the run has it whole)")
    assert len(said) < 2100


def test_an_outcome_that_nobody_knows_is_told_as_such():
    (run_id,) = make.start(booking(), {})
    make.complete(*make.claimed("reserve"), output={"room": 5})
    make.fail(*make.claimed("charge"), code="Timeout")
    make.fail(*make.claimed("undo"))
    said = facts_of(task_of(run_id))
    assert said["Whether it was done"].startswith("Nobody knows")
    assert "What the step gave" not in said


@pytest.mark.parametrize(
    ("how", "rest", "ends"),
    [
        ("retry", ["charge:compensate", "reserve:compensate"], "COMPENSATED"),
        ("done", ["reserve:compensate"], "COMPENSATED"),
        ("abandon", ["reserve:compensate"], "FAILED"),
    ],
)
def test_the_run_goes_on_as_was_said(how, rest, ends):
    task = stuck()
    done = resolve(member("olga", "operator"), task, how, "Seen to.")
    assert (done.status, done.outcome, done.decided_by, done.comment) == (
        "COMPLETED",
        how,
        "olga",
        "Seen to.",
    )
    assert make.events(task.run_id, "TASK_COMPLETED")[0].payload["by"] == "olga"
    assert undo_the_rest() == rest
    assert make.run(task.run_id).status == ends


def test_what_fails_once_more_is_a_new_task_and_the_old_one_stays_settled():
    olga, task = member("olga", "operator"), stuck()
    resolve(olga, task, "retry")
    make.fail(*make.claimed("undo"))
    new = task_of(task.run_id)
    assert (new.pk != task.pk, new.status, new.step_id) == (True, "OPEN", task.step_id)
    with pytest.raises(Conflict) as refused:
        resolve(olga, task, "abandon")
    assert refused.value.details["outcome"] == "retry"
    assert (again(new).status, make.run(task.run_id).status) == ("OPEN", "WAITING_FOR_MANUAL_ACTION")


def test_a_redriven_dead_letter_closes_the_task_whoever_claimed_it():
    task, olga = stuck(), member("olga", "operator")
    assignment.claim_task(member("paul", "operator"), task.pk)
    (letter,) = [one for one in make.letters(task.run_id) if one.node == "charge:compensate"]
    assert dead_letters.redrive(olga, [letter], reason="the bank is back").done == [str(letter.pk)]
    closed = again(task)
    assert (closed.status, closed.outcome, closed.decided_by, closed.comment) == (
        "COMPLETED",
        "retry",
        "olga",
        "the bank is back",
    )
    with pytest.raises(Conflict, match="olga already decided this: Try again"):
        resolve(member("ada", "admin"), task, "done")


def record_of(task):
    return json.loads(TaskDecision.unsafe_all_tenants.get(task_id=task.pk).record)


def test_how_it_was_settled_is_evidence_in_the_chain():
    olga, task = member("olga", "operator"), stuck()
    User.objects.filter(username="olga").update(name="Olga Łukasz")
    assignment.claim_task(olga, task.pk)
    assignment.delegate_task(olga, task.pk, member("paul", "operator").username)
    resolve(member("paul", "operator"), task, "done", "By bank transfer.")
    told = record_of(task)
    assert (told["outcome"], told["meaning"], told["comment"]) == (
        "done",
        "It was done by hand",
        "By bank transfer.",
    )
    assert (told["by"]["username"], told["by"]["via"], told["on_behalf_of"]) == ("paul", "session", "olga")
    assert (told["settled_by"], told["quorum"]["outcome"]) == ("task", "done")
    decide(member("ann"), asked())
    assert list(verify_chain(task.tenant_id)) == []


def test_what_a_redriven_dead_letter_settled_is_recorded_as_that():
    task, olga = stuck(), member("olga", "operator")
    User.objects.filter(username="olga").update(name="Olga Łukasz")
    dead_letters.redrive(olga, [one for one in make.letters(task.run_id) if one.node == "charge:compensate"])
    told = record_of(task)
    assert (told["settled_by"], told["outcome"], told["by"]["name"]) == (
        "dead letter",
        "retry",
        "Olga Łukasz",
    )
    assert list(verify_chain(task.tenant_id)) == []


def test_what_was_settled_on_the_server_names_who_said_so():
    task = stuck()
    resolve_compensation(task.tenant_id, str(task.run_id), task.step_id, "abandon", by="cron")
    told = record_of(task)
    assert told["by"] == {
        "username": "cron",
        "name": "cron",
        "user_id": None,
        "via": "command",
        "signed": False,
    }
    assert told["settled_by"] == "command"
    assert list(verify_chain(task.tenant_id)) == []


def test_a_discarded_dead_letter_settles_nothing():
    task = stuck()
    dead_letters.discard(member("olga", "operator"), make.letters(task.run_id))
    assert again(task).status == "OPEN"
    resolve(member("olga", "operator"), task, "done")
    assert undo_the_rest() == ["reserve:compensate"]


def test_task_and_compensation_are_settled_both_or_neither(monkeypatch):
    task = stuck()

    def fail(*_, **__):
        raise RuntimeError

    monkeypatch.setattr(statements, "close_compensation_task", fail)
    with pytest.raises(RuntimeError):
        resolve_compensation(task.tenant_id, str(task.run_id), task.step_id, "done", by="olga")
    assert make.run(task.run_id).status == "WAITING_FOR_MANUAL_ACTION"
    assert make.statuses(task.run_id)["charge:compensate"] == "FAILED"
    assert again(task).status == "OPEN"


def test_a_compensation_whose_step_is_gone_is_refused_as_one_that_nobody_waits_for():
    task = stuck()
    with transaction.atomic():
        StepExecution.objects.for_tenant(task.tenant_id).filter(pk=task.step_id).delete()
        with pytest.raises(RunRefused) as refused:
            resolve(member("olga", "operator"), task, "done")
        assert again(task).status == "OPEN"
        # What holds of every run after a test does not hold without that row.
        transaction.set_rollback(True)
    assert (refused.value.code, refused.value.conflict) == ("nothing_to_resolve", True)


def test_a_compensation_of_another_run_is_not_settled():
    task, other = stuck(), stuck()
    with pytest.raises(RunRefused, match="waits for a person"):
        resolve_compensation(task.tenant_id, str(task.run_id), other.step_id, "done", by="olga")
    assert {again(task).status, again(other).status} == {"OPEN"}


def test_who_may_not_is_refused_and_nothing_changes():
    task, approval = stuck(), asked()
    with pytest.raises(NotAllowed) as refused:
        resolve(member("ann", "approver"), task, "done")
    assert refused.value.code == "not_a_candidate"
    with pytest.raises(NotAllowed):
        resolve(member("vic", "viewer"), task, "done")
    admin = member("ada", "admin")
    with pytest.raises(Conflict, match="with /complete"):
        resolve(admin, approval, "done")
    with pytest.raises(Conflict, match="use /resolve"):
        decide(admin, task, "done")
    assignment.claim_task(member("olga", "operator"), task.pk)
    with pytest.raises(Conflict, match="olga has claimed"):
        resolve(admin, task, "done")
    assert (again(task).status, make.run(task.run_id).status) == ("OPEN", "WAITING_FOR_MANUAL_ACTION")
    assert make.statuses(task.run_id)["charge:compensate"] == "FAILED"
    assert again(approval).status == "OPEN"


def test_another_tenants_is_not_there():
    task = stuck()
    with pytest.raises(Missing):
        resolve(People().principal("admin", "theirs"), task, "done")


def test_it_may_be_given_only_to_those_whom_it_asks():
    task, olga = stuck(), member("olga", "operator")
    member("ann", "approver")
    with pytest.raises(Invalid, match="may not decide"):
        assignment.assign_task(olga, task.pk, "ann")
    assert assignment.assign_task(olga, task.pk, "olga").assignee == "olga"


def test_the_run_says_whom_it_waits_for():
    task = stuck()
    assert found_run(task.tenant_id, task.run_id)["waiting_for"].startswith("somebody to see to")
