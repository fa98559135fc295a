"""What the SQL lets a step become is what engine.statuses says, for every status and every statement (R-032)."""

import pytest

from engine.statuses import STEP, StepStatus
from runs.kernel import compensation
from runs.kernel.hand_back import hand_back
from runs.models import Run, StepExecution
from runs.store import hot, waits
from runs.store.children import cancel_children
from runs.store.items import pass_item
from runs.store.jobs import Offer, claim_jobs
from tests import factories as make

pytestmark = pytest.mark.django_db

LOST = {"lease_expires_at": "2020-01-01T00:00:00Z"}
HELD = {"worker": "w", "lease_expires_at": "2031-01-01T00:00:00Z"}


def step_in(status, **columns):
    """A step that is in this status by decree."""
    run_id = make.start(make.graph("ab", []))[0]
    held = next(step for step in make.claimed() if step.node == "a")
    make.change(held, **{"status": status, **HELD, **columns})
    return run_id, held


def ended(held, **row):
    given = {"id": held.id, "epoch": held.epoch, "sinks": 0, "taken": [], **row}
    hot.advance(worker=None, ended=[given], anchors=[], steps=[], arrivals=[])


def given_up_while_closing(run_id, held):
    Run.unsafe_all_tenants.filter(pk=run_id).update(status="CANCELLING")
    hand_back([held])


def closing(run_id, cause, statuses):
    hot.cancel_open_steps([run_id], cause=cause, statuses=statuses)


def container_over(run_id):
    make.ContainerFactory(run_id=run_id)
    cancel_children([run_id])


def reopened(run_id, status):
    Run.unsafe_all_tenants.filter(pk=run_id).update(status=status, completed_at="2020-01-01T00:00:00Z")
    hot.reopen_runs([run_id], {})


NOT_STARTED = ["QUEUED", "WAITING"]

WAYS = {
    ("claim", "claim"): ({}, lambda run, step: make.claimed()),
    ("claim", "claim_alone"): (
        {"solo": True},
        lambda run, step: hot.claim_alone(queue="default", worker="v"),
    ),
    ("claim", "claim_jobs"): (
        {"queue": "mine"},
        lambda run, step: claim_jobs(
            tenant=make.a_tenant().pk, queues=["mine"], offers=[Offer("v", 0, b"x")], alone=False
        ),
    ),
    ("complete", "advance"): ({}, lambda run, step: ended(step, status="COMPLETED", output={})),
    ("fail", "advance"): ({}, lambda run, step: ended(step, status="FAILED", error={})),
    ("retry", "advance"): ({}, lambda run, step: ended(step, status="QUEUED", error={}, delay=1)),
    ("lease lost", "advance"): (LOST, lambda run, step: ended(step, status="QUEUED", delay=1, by="lease")),
    ("lease lost", "hand_back"): (LOST, lambda run, step: hand_back([step], lost=True)),
    ("release", "hand_back"): ({}, lambda run, step: hand_back([step])),
    ("release", "advance"): ({}, lambda run, step: given_up_while_closing(run, step)),
    ("outcome unknown", "advance"): (LOST, lambda run, step: ended(step, status="CANCELLED", by="lease")),
    ("wait", "enter_waits"): (
        {},
        lambda run, step: waits.enter_waits(
            [{"id": step.id, "epoch": step.epoch, "wait": {"kind": "signal", "name": "x"}}]
        ),
    ),
    ("wake", "advance"): ({}, lambda run, step: ended(step, status="COMPLETED", output={}, by="wait")),
    ("interrupt", "advance"): ({}, lambda run, step: ended(step, status="CANCELLED", output={}, by="timer")),
    ("skip", "advance"): ({}, lambda run, step: ended(step, status="SKIPPED", output={}, by="operator")),
    ("cancel", "cancel_open_steps"): ({}, lambda run, step: closing(run, "cancelled", NOT_STARTED)),
    ("run ended", "cancel_open_steps"): (
        {},
        lambda run, step: closing(run, "run ended", [*NOT_STARTED, "RUNNING"]),
    ),
    ("container ended", "cancel_children"): ({"index": 0}, lambda run, step: container_over(run)),
    ("cancel item", "advance"): (
        {},
        lambda run, step: ended(step, status="FAILED", error={}, by="timer"),
    ),
    ("skip item", "pass_item"): ({"index": 0}, lambda run, step: pass_item(step.id, {}, {})),
    ("resume", "reopen_runs"): ({"cancel_cause": "failure"}, lambda run, step: reopened(run, "FAILED")),
}


@pytest.mark.parametrize("status", StepStatus)
@pytest.mark.parametrize("way", WAYS, ids=" by ".join)
def test_a_statement_changes_a_status_iff_the_table_allows_it(way, status):
    event, _ = way
    columns, act = WAYS[way]
    allowed = STEP.get((status, event), ())
    run_id, held = step_in(status, **columns)
    before = StepExecution.unsafe_all_tenants.get(pk=held.id)

    act(run_id, held)

    after = StepExecution.unsafe_all_tenants.get(pk=held.id)
    if not allowed:
        assert (after.status, after.epoch, after.attempt) == (status, before.epoch, before.attempt)
    elif way == ("lease lost", "hand_back"):
        assert (after.status, after.attempt) == ("QUEUED", 0)
    else:
        assert after.status in allowed
        assert after.epoch >= before.epoch


@pytest.mark.parametrize("status", StepStatus)
def test_a_heartbeat_is_for_running_steps_and_changes_no_status(status):
    run_id, held = step_in(status)

    kept = hot.heartbeat([{"id": held.id, "epoch": held.epoch}])

    assert (held.id in kept) == (status == "RUNNING")
    assert make.statuses(run_id)["a"] == status


@pytest.mark.parametrize("way", [way for way in WAYS if way[1] in ("advance", "hand_back")], ids=" by ".join)
def test_nothing_moves_a_step_for_who_holds_an_older_epoch(way):
    columns, act = WAYS[way]
    run_id, held = step_in("RUNNING", **columns)
    held.epoch -= 1

    act(run_id, held)

    assert make.statuses(run_id)["a"] == "RUNNING"


@pytest.mark.parametrize("status", ["RUNNING", "COMPLETED", "CANCELLED"])
def test_only_the_steps_of_a_failed_run_are_requeued(status):
    run_id, _ = step_in("FAILED")
    if status == "RUNNING":
        hot.reopen_runs([run_id], {})
    else:
        reopened(run_id, status)

    assert make.statuses(run_id)["a"] == "FAILED"


def test_what_a_person_cancelled_is_not_requeued():
    run_id, _ = step_in("CANCELLED", cancel_cause="cancelled")

    reopened(run_id, "FAILED")

    assert make.statuses(run_id)["a"] == "CANCELLED"


@pytest.mark.parametrize("how", ["retry", "done", "abandon"])
@pytest.mark.parametrize("status", StepStatus)
def test_only_what_failed_is_settled_by_a_person(status, how):
    run_id, _ = step_in(status)
    StepExecution.unsafe_all_tenants.filter(run_id=run_id, node="a").update(undoes="a")
    before = make.steps(run_id)["a"]

    found = compensation.resolve(run_id, "a", how, by="ann", reason="")

    after = make.steps(run_id)["a"]
    if status == "FAILED":
        assert found == (after.status, "default")
        assert after.status == ("QUEUED" if how == "retry" else "SKIPPED")
        assert after.status in {*STEP[status, "resume"], *STEP[status, "done by hand"]}
        assert after.epoch == before.epoch + 1
    else:
        assert (found, after.status, after.epoch) == (None, status, before.epoch)
