"""Approved = executed where a run is repeated, or goes on with another version, and what of it people are shown."""

import pytest

from lib.refusals import NotAllowed
from operations.bulk import service as bulk_jobs
from operations.bulk import work
from operations.bulk.aims import Aim
from runs.commands import jobs
from runs.kernel import rounds
from runs.kernel.refused import RunRefused
from runs.models import Approval
from tasks_inbox.actions import rounds as rounds_of_task
from tasks_inbox.evidence import presentation
from tasks_inbox.evidence.approves import approves_of
from tests import factories as make
from tests.inbox.approving import ASK, JOB, NAP, PAY, WAYS, begun, complete, decide, edit, fail, pass_on, poll
from tests.inbox.asking import member, task_of
from tests.operations.bulk.test_jobs import ALL, counted

pytestmark = pytest.mark.django_db
ALSO_MAIL = {"from": "ask", "to": "mail", "branch": "approved"}
MAIL = {"id": "mail", **JOB, "queue": "mail"}
KNOWN = {"id": "known", **JOB, "queue": "known", "input": {"a": "{{ input.amount }}"}}
GATE = {"id": "gate", "type": "decision"}


@pytest.fixture
def ann():
    return member("ann", "approver")


@pytest.mark.parametrize("when", ["input.amount > 1000", None])
def test_another_input_of_the_run_is_a_difference_for_all_that_was_decided(ann, when):
    beside, way = {"id": "beside", **JOB, "queue": "beside"}, {"id": "way", "type": "decision"}
    made = {"id": "made", "type": "transform", "params": {"set": {"rate": 2}}}
    amount = 1 if when else "{{ input.amount * steps.made.output.rate }}"
    pay = {"id": "pay", **JOB, "params": {"amount": amount}, "input": {}}
    edges = [{**WAYS[0], "to": "made"}, "made>way", {"from": "way", "to": "no", "default": True}]
    edges.append({"from": "way", "to": "pay", "when": when or "true"})
    run = begun(make.graph([ASK, beside, made, way, pay, "no"], edges), None)
    make.pause(run)
    decide(ann, run)
    make.cancel(run)
    again = make.rerun(run, "beside", {"amount": 99_999})
    make.work()

    assert poll() is None
    assert task_of(again).status == "OPEN"


@pytest.mark.parametrize("mapping", [None, {"x": "{{ steps.known.output.amount * steps.made.output.rate }}"}])
def test_another_input_of_a_step_that_was_over_at_the_decision_is_a_difference(ann, mapping):
    made = {"id": "made", "type": "transform", "params": {"set": {"rate": 1}}}
    pay = {"id": "pay", **JOB, "join": "all"} | ({"input": mapping} if mapping else {})
    edges = [{**WAYS[0], "to": "made"}, "made>pay", "gate>known", "known>pay"]
    (run,) = make.start(make.graph([GATE, ASK, KNOWN, made, pay], edges), {"amount": 10})
    make.work()
    complete(poll("known"), {"amount": 10})
    make.pause(run)
    decide(ann, run)
    make.cancel(run)
    make.rerun(run, "known", {"a": 99_999})
    make.work()
    complete(poll("known"), {"amount": 99_999})

    assert poll() is None


def test_what_is_changed_after_a_renewal_is_a_difference(ann):
    way, pay = {"id": "way", "type": "decision"}, {"id": "pay", **JOB, "params": {"fixed": 1}, "input": {}}
    edges = [
        {**WAYS[0], "to": "nap"},
        "nap>way",
        {"from": "way", "to": "pay", "when": "steps.nap.output.ok"},
        {"from": "way", "to": "no", "default": True},
    ]
    run = begun(make.graph([ASK, NAP, way, pay, "no"], edges), ann)
    pass_on(run, "nap", {"ok": True})
    assert poll() is None
    decide(ann, run)
    make.cancel(run)
    again = make.rerun(run, "nap")
    make.work()
    pass_on(again, "nap", {"ok": True, "other": 1})

    assert poll() is None


def test_a_renewal_in_a_rerun_leaves_each_other_effect_one_approval(ann):
    run = begun(make.graph([ASK, PAY, MAIL, "no"], [*WAYS, ALSO_MAIL]), ann)
    fail(poll())
    make.work()
    again = make.rerun(run, "pay")
    make.work()
    assert poll() is None
    decide(ann, again)
    complete(poll("mail"), {})
    make.resume(run)
    make.work()

    assert poll("mail") is None


def test_an_approval_that_was_not_used_holds_in_a_rerun_whatever_run_it_is(ann):
    run = begun(make.graph([ASK, {**PAY, "params": {"ref": "{{ run.id }}"}}, "no"], WAYS), ann)
    make.cancel(run)
    again = make.rerun(run, "pay")
    make.work()

    assert poll().params == {"ref": again}


def test_a_covered_loop_may_be_given_the_run_in_which_it_is(ann, settings, monkeypatch):
    settings.HANDOFF_CONTINUE_AFTER_EVENTS = 8
    monkeypatch.setattr(rounds, "LOOKS_EACH", 2)
    body = {"steps": [{**PAY, "params": {}, "input": {}}]}
    each = {
        "id": "each",
        "type": "loop",
        "input": {"ref": "{{ run.id }}"},
        "params": {"body": body, "count": 12},
    }
    begun(make.graph([ASK, each], [{**WAYS[0], "to": "each"}]), ann)

    for _ in range(12):
        complete(poll(), {"amount": 10})


NARROWER = {**ASK, "params": {**ASK["params"], "covers": ["mail"]}}


def test_a_rerun_keeps_no_decision_on_a_version_in_which_it_covers_less(ann):
    run = begun(make.graph([ASK, PAY, "no"], WAYS), ann)
    make.cancel(run)
    version = make.newer(run, make.graph([NARROWER, PAY, MAIL, "no"], [*WAYS, ALSO_MAIL]))

    with pytest.raises(RunRefused) as refused:
        make.rerun(run, "pay", version=version)
    assert refused.value.code == "does_not_fit"


@pytest.mark.parametrize("door", [make.migrate, make.resume_on])
def test_no_run_goes_on_with_a_version_in_which_another_step_pays_and_is_not_covered(ann, door):
    ways = [{**WAYS[0], "to": "nap"}, WAYS[1]]
    run = begun(make.graph([ASK, NAP, PAY, "no"], [*ways, "nap>pay"]), ann)
    if door is make.resume_on:
        make.send(run, "go")
        make.work()
        fail(poll())
        make.work()
    other = {**PAY, "id": "other", "params": {"amount": 99_999}}
    version = make.newer(
        run, make.graph([NARROWER, NAP, other, MAIL, "no"], [*ways, "nap>other", "other>mail"])
    )

    with pytest.raises(RunRefused) as refused:
        door(run, version)
    assert refused.value.code == "does_not_fit"


@pytest.mark.parametrize("rule", ["exclude_requester", "exclude_deciders"])
def test_who_changed_a_step_does_not_approve_it_after_a_decision_about_another(ann, rule):
    bert = member("bert", "admin")
    asks = {**ASK, "params": {**ASK["params"], rule: True}}
    steps = [asks, {**PAY, "on_error": "ask"}, {**MAIL, "on_error": "ask"}, "no"]
    (run,) = make.start(make.graph(steps, [*WAYS, ALSO_MAIL]), {"amount": 10}, by="somebody")
    make.work()
    decide(ann, run)
    fail(poll())
    fail(poll("mail"))
    make.work()
    edit(run, "pay", {"amount": 20}, "olga")
    assert poll() is None
    edit(run, "mail", {"to": "bert"}, "bert")
    decide(ann, run)
    assert poll("mail") is None

    with pytest.raises(NotAllowed):
        decide(bert, run)


@pytest.mark.parametrize("value", [{"from": 5}, {"from": "DE12", "of": 3}, {"is": 5}])
def test_a_value_is_shown_as_it_is_whatever_its_keys_are(ann, value):
    run = begun(make.graph([ASK, {**PAY, "params": {}}, "no"], WAYS), None, value)
    task = task_of(run)
    [outcome] = approves_of([task])[task.pk].row()["outcomes"]
    [step] = outcome["steps"]

    shown = {one["path"]: one["value"] for one in step["values"]}
    assert shown == {f"input.amount.{key}": part for key, part in value.items()}
    assert all(not one["sources"] for one in step["values"])


def test_a_large_list_is_counted_and_its_first_values_are_shown(ann):
    rows = [{"a": at, "api_key": "abc"} for at in range(3000)]
    asks = {**ASK, "params": {"title": "Pay?"}}
    run = begun(make.graph([asks, {**PAY, "params": {}}, "no"], WAYS), None, rows)
    task = task_of(run)
    [outcome] = approves_of([task])[task.pk].row()["outcomes"]
    [step] = outcome["steps"]

    assert len(step["values"]) == 40
    assert step["more"] == 6000 - 40
    assert "abc" not in str(step)


def test_two_runs_that_are_polled_for_together_do_not_share_an_approval(ann):
    run = begun(make.graph([ASK, PAY, MAIL, "no"], [*WAYS, ALSO_MAIL]), ann)
    fail(poll("mail"))
    make.work()
    make.rerun(run, "mail")
    make.resume(run)
    make.work()

    claimed = jobs.poll(tenant=make.a_tenant().pk, worker="w", queues=["mail", "pay"], max_jobs=10)
    assert sorted(job.step.node for job in claimed) == ["mail", "pay"]


def test_a_step_that_is_withheld_begins_after_its_question_was_returned_and_sent_again(ann):
    olga = member("test", "operator")
    run = begun(make.graph([ASK, PAY, "no"], WAYS), ann)
    fail(poll())
    edit(run, "pay", {"amount": 99_999})
    assert poll() is None
    task = task_of(run)
    seen = presentation.hash_of(task, ann.username)
    sent = {"comment": "Why so much?", "to": "test", "seen": seen}
    rounds_of_task.return_task(ann, task.pk, **sent)
    with pytest.raises(RunRefused):
        edit(run, "pay", {"amount": 99_998})
    rounds_of_task.send_again(olga, task.pk)
    assert (poll(), make.statuses(run)["pay"]) == (None, "WAITING")

    decide(ann, run)
    assert poll().step.input == {"amount": 99_999}
    assert [one.outcome for one in Approval.objects.for_tenant(ann.tenant_id)] == ["approved"] * 2


def test_a_bulk_move_to_a_version_that_pays_otherwise_is_asked_about_in_each_run(ann):
    nap = [{**WAYS[0], "to": "nap"}, "nap>pay", WAYS[1]]
    runs = make.start(make.graph([ASK, NAP, PAY, "no"], nap), {"amount": 10}, {"amount": 20})
    make.work()
    for run in runs:
        decide(ann, run)
    other = make.newer(runs[0], make.graph([ASK, NAP, {**PAY, "params": {"amount": 99_999}}, "no"], nap))
    aim = Aim(version=other.number)
    job = bulk_jobs.begin_verb(member("boss", "admin"), "migrate", f"workflow:{other.workflow.name}", aim=aim)
    work.work(ALL)
    assert counted(job) == {"moved": 2}
    for run in runs:
        make.send(run, "go")
    make.work()

    assert [poll(), poll()] == [None, None]
    assert [task_of(run).round for run in runs] == [2, 2]
