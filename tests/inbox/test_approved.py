"""Approved = executed: what a decision covers is what begins, by every way to change it between (docs/security.md)."""

import re

import pytest

from accounts.models import User
from lib.refusals import Conflict, NotAllowed
from runs.commands import job_reports
from runs.kernel.refused import RunRefused
from runs.models import Approval, ApprovalUse
from tasks_inbox.actions import deciding
from tasks_inbox.actions.decision import Decision
from tasks_inbox.duties.clock import tick
from tasks_inbox.evidence import presentation
from tasks_inbox.models import ManualTask
from tests import factories as make
from tests.inbox.approving import ASK, JOB, PAY, PAYMENT, WAYS, begun, complete, decide, fail, poll
from tests.inbox.asking import member, task_of

pytestmark = pytest.mark.django_db

BETWEEN = make.graph(
    [
        ASK,
        {"id": "rate", **JOB, "queue": "rate", "input": {"amount": "{{ input.amount }}"}},
        {**PAY, "params": {"rate": "{{ steps.rate.output.rate }}"}},
        "no",
    ],
    [{"from": "ask", "to": "rate", "branch": "approved"}, "rate>pay", WAYS[1]],
)


@pytest.fixture
def ann():
    return member("ann", "approver")


def test_what_was_approved_begins_and_tells_its_approval(ann):
    run = begun(PAYMENT, ann)

    job = poll()

    [approval] = Approval.objects.for_tenant(make.a_tenant().pk).filter(run_id=run)
    assert job.params == {"amount": 10}
    assert job.step.approval == (str(approval.pk), approval.digest)
    assert ApprovalUse.objects.for_tenant(make.a_tenant().pk).filter(run_id=run, node="pay").count() == 1
    complete(job, {})
    assert make.run(run).status == "COMPLETED"


def test_another_input_after_the_approval_is_asked_about_before_it_begins(ann):
    run = begun(PAYMENT, ann)
    job = poll()
    fail(job)

    make.retry(run, "pay", {"amount": 99_999})
    assert poll() is None
    task = task_of(run)
    assert (task.node, task.round, task.status) == ("ask", 2, "OPEN")
    assert make.statuses(run)["pay"] == "WAITING"

    decide(ann, run)
    again = poll()
    assert again.step.input == {"amount": 99_999}
    assert again.idempotency_key == f"{run}/pay~1" != job.idempotency_key
    complete(again, {})
    assert make.run(run).status == "COMPLETED"


def test_the_page_shows_what_a_decision_covers_and_what_has_changed_since(ann, client):
    client.force_login(User.objects.get(username="ann"))
    run = begun(PAYMENT, None)
    page = client.get(f"/inbox/{task_of(run).pk}").content.decode()
    assert "What your decision covers" in page
    assert re.search(r"amount</dt><dd>\s*10", page)

    decide(ann, run)
    fail(poll())
    make.retry(run, "pay", {"amount": 99_999})
    assert poll() is None
    page = client.get(f"/inbox/{task_of(run).pk}").content.decode()
    assert "is not what was approved" in page
    assert "Last changed by test: “because”" in page
    assert "99999" in page
    assert "“External job (pay)” begins as it is now." in page
    assert "“External job (pay)” fails: it was not approved." in page


def test_a_decision_is_refused_if_what_it_covers_has_changed_since_it_was_shown(ann):
    both = make.graph(
        [
            ASK,
            {"id": "rate", **JOB, "queue": "rate"},
            {**PAY, "params": {"rate": "{{ steps.rate.output.rate }}"}},
        ],
        [{"from": "ask", "to": "pay", "branch": "approved"}, "rate>pay"],
    )
    run = begun(both, None)
    task = task_of(run)
    before = presentation.hash_of(task, "ann")
    complete(poll("rate"), {"rate": 1.5})

    with pytest.raises(Conflict, match="what the steps after it would do"):
        deciding.complete_task(ann, task.pk, Decision("approved", seen=before))

    deciding.complete_task(ann, task.pk, Decision("approved", seen=presentation.hash_of(task, "ann")))


def test_with_another_input_somebody_must_have_found_out_what_an_attempt_did(ann):
    run = begun(PAYMENT, ann)
    job = poll()
    say = {"tenant": make.a_tenant().pk, "job": job.step.id, "lease_token": job.lease_token}
    job_reports.fail(**say, code="Boom", message="?", details={"outcome": "unknown"}, retryable=False)

    with pytest.raises(RunRefused) as refused:
        make.retry(run, "pay", {"amount": 5})
    assert refused.value.code == "outcome_unknown"
    make.retry(run, "pay")
    assert poll().idempotency_key == job.idempotency_key


MADE = {"id": "made", "type": "transform", "params": {"set": {"rate": "{{ prev.rate }}"}}}
CHOSEN = [
    {"id": "way", "type": "decision"},
    {**PAY, "input": {"amount": 10}, "params": {}},
]
BEHIND = {
    "a transform": (
        [MADE, {"id": "pay", **JOB, "params": {"rate": "{{ prev.rate }}"}}],
        ["rate>made", "made>pay"],
    ),
    "a decision": (CHOSEN, ["rate>way", {"from": "way", "to": "pay", "when": "steps.rate.output.rate == 2"}]),
    "nothing": ([{"id": "step"}, PAY], ["rate>step", "step>pay"]),
}


@pytest.mark.parametrize("behind", BEHIND)
def test_what_a_person_gives_is_a_difference_however_far_before_the_effect_it_is(ann, behind):
    nodes, edges = BEHIND[behind]
    first = {"id": "rate", **JOB, "queue": "rate", "input": {"amount": "{{ input.amount }}"}}
    run = begun(
        make.graph([ASK, first, *nodes], [{"from": "ask", "to": "rate", "branch": "approved"}, *edges]), ann
    )
    make.skip(run, "rate", {"rate": 2})
    make.work()

    assert poll() is None
    assert task_of(run).round == 2


def test_another_input_of_a_step_that_the_engine_does_itself_is_a_difference(ann):
    first = {"id": "rate", **JOB, "queue": "rate", "input": {"amount": "{{ input.amount }}"}}
    pay = {"id": "pay", **JOB, "params": {"rate": "{{ prev.rate }}"}}
    edges = [{"from": "ask", "to": "rate", "branch": "approved"}, "rate>made", "made>pay"]
    run = begun(make.graph([ASK, first, MADE, pay], edges), ann)
    complete(poll("rate"), {"oops": 1})
    make.retry(run, "made", {"rate": 9})
    make.work()

    assert poll() is None
    assert task_of(run).round == 2
    decide(ann, run)
    assert poll().params == {"rate": 9}


def test_the_next_round_is_about_one_step_and_the_others_stay_as_they_were_approved(ann):
    run = begun(BETWEEN, ann)
    fail(poll("rate"))
    make.retry(run, "rate", {"amount": 11})
    assert poll("rate") is None
    decide(ann, run)
    complete(poll("rate"), {"rate": 3})
    # What it is given comes from a step that a person has changed, with what was approved since.
    assert poll().params == {"rate": 3}


def test_a_deadline_does_not_approve_what_a_person_has_changed(ann, clock):
    asks = {**ASK, "params": {**ASK["params"], "on_timeout": "approved"}}
    run = begun(make.graph([asks, PAY, "no"], WAYS), ann)
    fail(poll())
    make.retry(run, "pay", {"amount": 99_999})
    assert poll() is None
    clock.advance(10_000)
    tick()
    make.work()

    assert task_of(run).status == "OPEN"
    assert poll() is None


@pytest.mark.parametrize("rule", ["exclude_requester", "exclude_deciders"])
def test_who_changed_it_does_not_approve_it_and_who_approved_it_before_may(ann, rule):
    olga = member("test", "operator")
    asks = {**ASK, "params": {**ASK["params"], rule: True}}
    (run,) = make.start(make.graph([asks, PAY, "no"], WAYS), {"amount": 10}, by="somebody")
    make.work()
    decide(ann, run)
    fail(poll())
    make.retry(run, "pay", {"amount": 99_999})
    assert poll() is None

    with pytest.raises(NotAllowed):
        decide(olga, run)
    decide(ann, run)
    assert poll().step.input == {"amount": 99_999}


def test_below_a_covered_step_nobody_changes_what_is_done(ann):
    item = {
        "steps": [
            {"id": "rate", **JOB, "queue": "rate"},
            {**PAY, "input": {"amount": "{{ item }}"}, "params": {}},
        ]
    }
    each = {"id": "each", "type": "map", "params": {"items": "{{ [input.amount] }}", "body": item}}
    run = begun(make.graph([ASK, each], [{"from": "ask", "to": "each", "branch": "approved"}]), ann)
    [part] = make.children_of(run)
    fail(poll("rate"))
    make.work()

    for change in (
        lambda: make.retry(str(part.pk), "rate", {"amount": 5}),
        lambda: make.skip(str(part.pk), "rate", {"amount": 5}),
    ):
        with pytest.raises(RunRefused) as refused:
            change()
        assert refused.value.code == "approved"
    make.retry(str(part.pk), "rate")
    make.work()
    complete(poll("rate"), {})
    assert poll().step.input == {"amount": 10}


def test_another_outcome_fails_what_was_not_approved(ann):
    run = begun(PAYMENT, ann)
    fail(poll())
    make.retry(run, "pay", {"amount": 99_999})
    assert poll() is None

    decide(ann, run, "rejected")

    pay = make.steps(run)["pay"]
    assert (make.run(run).status, pay.status, pay.error["code"]) == ("FAILED", "FAILED", "NotApproved")
    make.retry(run, "pay")
    assert poll() is None
    assert task_of(run).round == 3


def test_the_same_again_needs_no_other_approval(ann):
    run = begun(PAYMENT, ann)
    fail(poll())

    make.retry(run, "pay", {"amount": 10})

    job = poll()
    assert job.idempotency_key == f"{run}/pay"


def test_what_a_machine_gives_is_no_difference_and_what_a_person_gives_is(ann):
    begun(BETWEEN, ann)
    complete(poll("rate"), {"rate": 1.5})
    assert poll().params == {"rate": 1.5}

    other = begun(BETWEEN, ann)
    make.skip(other, "rate", {"rate": 9.0})
    make.work()
    assert poll() is None
    assert task_of(other).round == 2


def test_an_approval_is_used_once(ann):
    run = begun(PAYMENT, ann)
    complete(poll(), {})

    again = make.rerun(run, "pay")
    make.work()

    assert poll() is None
    assert (task_of(again).node, task_of(again).round) == ("ask", 1)
    decide(ann, again)
    assert poll() is not None


def test_a_rerun_may_use_an_approval_that_was_not_used(ann):
    run = begun(PAYMENT, ann)
    make.cancel(run)

    make.rerun(run, "pay")

    assert poll().params == {"amount": 10}


def test_another_version_is_asked_about(ann):
    run = begun(PAYMENT, ann)
    fail(poll())
    doubled = {**PAY, "params": {"amount": "{{ input.amount * 2 }}"}}
    make.resume_on(run, make.newer(run, make.graph([ASK, doubled, "no"], WAYS)))
    make.work()

    assert poll() is None
    assert task_of(run).round == 2


def test_nobody_is_asked_again_where_nothing_is_covered(ann):
    run = begun(make.graph([ASK, "yes", "no"], [{**WAYS[0], "to": "yes"}, WAYS[1]]), ann)

    assert make.run(run).status == "COMPLETED"
    assert not Approval.objects.for_tenant(make.a_tenant().pk).exists()
    assert ManualTask.objects.for_tenant(make.a_tenant().pk).count() == 1
