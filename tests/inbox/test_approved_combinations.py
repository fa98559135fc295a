"""Approved = executed, in combinations: decisions without a question, other versions, runs below, loops, people."""

import pytest

from lib.refusals import NotAllowed
from runs.commands import items
from runs.commands.items import ItemPlace
from runs.kernel import rounds
from runs.kernel.refused import RunRefused
from runs.models import Approval, Run
from tests import factories as make
from tests.inbox.approving import ASK, JOB, NAP, PAY, WAYS, begun, complete, decide, edit, fail, pass_on, poll
from tests.inbox.asking import member, task_of

pytestmark = pytest.mark.django_db

MINE = {"by": "test", "reason": "because"}


@pytest.fixture
def ann():
    return member("ann", "approver")


def test_a_skip_of_a_question_that_could_not_be_asked_is_a_decision_like_others(ann):
    asks = {**ASK, "input": {"x": "{{ input.missing.x }}"}}
    (run,) = make.start(make.graph([asks, PAY, "no"], WAYS), {"amount": 10}, by="somebody")
    make.work()
    assert make.statuses(run)["ask"] == "FAILED"
    make.skip(run, "ask", {"branch": "approved"})
    make.work()
    job = poll()
    assert job.step.approval is not None
    fail(job)

    make.retry(run, "pay", {"amount": 99_999})
    assert poll() is None


@pytest.mark.parametrize(
    "votes", [[{"at": "2099-01-01T00:00:00Z"}], [{"at": "later"}], [{}], [1], {"at": 1}, "x"]
)
def test_since_when_changes_count_is_not_said_by_an_output(ann, votes):
    asks = {**ASK, "input": {"x": "{{ input.missing.x }}"}}
    rate = {"id": "rate", **JOB, "queue": "rate"}
    pay = {**PAY, "params": {"rate": "{{ steps.rate.output.rate }}"}}
    (run,) = make.start(
        make.graph([asks, rate, pay], [{**WAYS[0], "to": "rate"}, "rate>pay"]), {"amount": 10}, by="somebody"
    )
    make.work()
    make.skip(run, "ask", {"branch": "approved", "decisions": votes})
    make.work()
    pass_on(run, "rate", {"rate": 99_999})

    assert poll() is None


def test_a_step_that_nobody_has_decided_about_in_this_version_is_asked_about(ann):
    run = begun(make.graph([ASK, NAP, "no"], [{**WAYS[0], "to": "nap"}, WAYS[1]]), ann)
    assert not Approval.objects.for_tenant(make.a_tenant().pk).exists()
    paying = make.graph([ASK, NAP, PAY, "no"], [{**WAYS[0], "to": "nap"}, "nap>pay", WAYS[1]])
    make.migrate(run, make.newer(run, paying))
    make.send(run, "go")
    make.work()

    assert poll() is None
    assert task_of(run).round == 2
    decide(ann, run)
    assert poll() is not None


def through(rate, when="true"):
    made = {"id": "made", "type": "transform", "params": {"set": {"rate": rate}}}
    way = {"id": "way", "type": "decision"}
    pay = {"id": "pay", **JOB, "input": {"rate": "{{ steps.made.output.rate }}"}}
    edges = [
        {**WAYS[0], "to": "nap"},
        "nap>made",
        "made>way",
        {"from": "way", "to": "pay", "when": when},
        WAYS[1],
    ]
    return make.graph([ASK, NAP, made, way, pay, "no"], edges)


BEFORE = {
    "the same": ("{{ input.amount }}", "true", True),
    "another value": ("{{ input.amount * 1000 }}", "true", False),
    "another condition": ("{{ input.amount }}", "1 < 2", False),
}


@pytest.mark.parametrize("change", BEFORE)
def test_a_version_that_does_something_else_before_a_covered_step_is_asked_about(ann, change):
    rate, when, begins = BEFORE[change]
    run = begun(through("{{ input.amount }}"), ann)
    make.migrate(run, make.newer(run, through(rate, when)))
    make.send(run, "go")
    make.work()

    assert (poll() is not None) == begins


def test_below_a_covered_step_a_question_that_covers_something_else_lets_nothing_be_changed(ann):
    inner = {**ASK, "id": "inner", "params": {**ASK["params"], "covers": ["other"]}}
    other = {"id": "other", **JOB, "queue": "other"}
    pay = {**PAY, "on_error": "ask"}
    edges = [{"from": "inner", "to": "other", "branch": "approved"}, "other>pay"]
    child = make.a_version(make.graph([inner, other, pay], edges)).workflow
    sub = {"id": "sub", "type": "subworkflow", "params": {"workflow": child.name, "input": {"amount": 10}}}
    run = begun(make.graph([ASK, sub], [{**WAYS[0], "to": "sub"}]), ann)
    [below] = make.children_of(run)
    decide(ann, str(below.pk))
    complete(poll("other"), {})
    fail(poll())
    make.work()

    with pytest.raises(RunRefused) as refused:
        make.retry(str(below.pk), "pay", {"amount": 99_999})
    assert refused.value.code == "approved"
    make.retry(str(below.pk), "pay")
    assert poll().params == {"amount": 10}


def test_below_a_covered_step_what_a_question_there_covers_may_be_changed_and_is_asked_about(ann):
    child = make.a_version(make.graph([ASK, {**PAY, "on_error": "ask"}, "no"], WAYS)).workflow
    sub = {"id": "sub", "type": "subworkflow", "params": {"workflow": child.name, "input": {"amount": 10}}}
    run = begun(make.graph([ASK, sub], [{**WAYS[0], "to": "sub"}]), ann)
    [below] = make.children_of(run)
    decide(ann, str(below.pk))
    fail(poll())
    make.work()

    make.retry(str(below.pk), "pay", {"amount": 99_999})
    assert poll() is None
    assert task_of(below.pk).round == 2


def paid_behind_a_child():
    """What a person approves is paid with what a child workflow without effects gives."""
    made = {"id": "made", "type": "transform", "params": {"set": {"rate": "{{ prev.rate }}"}}}
    child = make.a_version(make.graph([NAP, made], ["nap>made"])).workflow
    sub = {"id": "sub", "type": "subworkflow", "params": {"workflow": child.name, "input": {}}}
    pay = {"id": "pay", **JOB, "input": {"rate": "{{ steps.sub.output.rate }}"}}
    return make.graph([ASK, sub, pay, "no"], [{**WAYS[0], "to": "sub"}, "sub>pay", WAYS[1]])


def test_what_a_person_gives_a_run_below_a_step_before_is_a_difference(ann):
    run = begun(paid_behind_a_child(), ann)
    [below] = make.children_of(run)
    make.skip(str(below.pk), "nap", {"rate": 7})
    make.work()

    assert make.statuses(run)["sub"] == "COMPLETED"
    assert poll() is None
    assert task_of(run).round == 2


def test_a_rerun_keeps_that_a_person_has_changed_a_run_below(ann):
    run = begun(paid_behind_a_child(), ann)
    [below] = make.children_of(run)
    make.skip(str(below.pk), "nap", {"rate": 7})
    make.work()
    make.cancel(run)
    make.rerun(run, "pay")
    make.work()

    assert poll() is None


def test_a_covered_loop_that_goes_on_as_a_new_run_is_not_asked_about_again(ann, settings, monkeypatch):
    settings.HANDOFF_CONTINUE_AFTER_EVENTS = 8
    monkeypatch.setattr(rounds, "LOOKS_EACH", 2)
    each = {"id": "each", "type": "loop", "params": {"body": {"steps": [PAY]}, "count": 12}}
    run = begun(make.graph([ASK, each], [{**WAYS[0], "to": "each"}]), ann)
    for _ in range(12):
        complete(poll(), {"amount": 10})

    chain = list(Run.objects.for_tenant(make.a_tenant().pk).filter(root_id=run).order_by("id"))
    assert len(chain) > 2
    assert chain[-1].status == "COMPLETED"
    # What is done below it in the newest of them is covered as before.
    again = make.rerun(str(chain[-1].pk), "each")
    make.work()
    assert task_of(again).status == "OPEN"
    assert poll() is None


def test_below_a_covered_loop_nothing_is_changed_however_often_it_went_on(ann, settings, monkeypatch):
    settings.HANDOFF_CONTINUE_AFTER_EVENTS = 8
    monkeypatch.setattr(rounds, "LOOKS_EACH", 2)
    each = {"id": "each", "type": "loop", "params": {"body": {"steps": [PAY]}, "count": 12}}
    run = begun(make.graph([ASK, each], [{**WAYS[0], "to": "each"}]), ann)
    for _ in range(11):
        complete(poll(), {"amount": 10})
    fail(poll())
    make.work()
    newest = Run.objects.for_tenant(make.a_tenant().pk).filter(root_id=run).order_by("id").last()
    *_, below = make.children_of(str(newest.pk))

    with pytest.raises(RunRefused) as refused:
        make.retry(str(below.pk), "pay", {"amount": 99_999})
    assert refused.value.code == "approved"


@pytest.mark.parametrize("rule", ["exclude_requester", "exclude_deciders"])
def test_all_who_changed_the_run_since_do_not_approve_it_and_those_who_changed_the_step_are_named(ann, rule):
    anna, bert = member("anna", "admin"), member("bert", "admin")
    asks = {**ASK, "params": {**ASK["params"], rule: True}}
    beside = {"id": "beside", **JOB, "queue": "beside"}
    ways = [*WAYS, {"from": "ask", "to": "beside", "branch": "approved"}]
    run = begun(make.graph([asks, PAY, beside, "no"], ways), ann)
    fail(poll())
    edit(run, "pay", {"amount": 99_999}, "anna")
    pass_on(run, "beside", {}, "bert")
    make.work()
    assert poll() is None

    for person in (anna, bert):
        with pytest.raises(NotAllowed):
            decide(person, run)
    step = make.steps(run)["pay"]
    assert [one["by"] for one in step.waiting["approves"]["changes"]] == ["anna"]
    decide(ann, run)
    assert poll().step.input == {"amount": 99_999}


@pytest.mark.parametrize("rule", ["exclude_requester", "exclude_deciders"])
def test_who_changed_a_run_below_or_the_run_before_a_rerun_does_not_approve_it(ann, rule):
    anna = member("anna", "admin")
    definition = paid_behind_a_child()
    definition["nodes"][0]["params"] = {**ASK["params"], rule: True}
    run = begun(definition, ann)
    [below] = make.children_of(run)
    pass_on(str(below.pk), "nap", {"rate": 7}, "anna")
    make.work()
    assert poll() is None
    with pytest.raises(NotAllowed):
        decide(anna, run)

    make.cancel(run)
    again = make.rerun(run, "pay")
    make.work()
    assert poll() is None
    with pytest.raises(NotAllowed):
        decide(anna, again)
    decide(ann, again)
    assert poll().step.input == {"rate": 7}


def test_what_a_round_of_a_covered_loop_gives_the_next_one_is_said_by_nobody(ann):
    again = {**PAY, "params": {"amount": "{{ item.amount }}"}}
    for body in ({"steps": [again]}, {key: again[key] for key in ("type", "queue", "params", "retry")}):
        each = {"id": "each", "type": "loop", "params": {"body": body, "count": 2}, "input": "{{ input }}"}
        run = begun(make.graph([ASK, each], [{**WAYS[0], "to": "each"}]), ann)
        fail(poll())
        make.work()

        with pytest.raises(RunRefused) as refused:
            items.act_on_item(
                make.a_tenant().pk, ItemPlace(run, "each", 0), "skip", output={"amount": 99_999}, **MINE
            )
        assert refused.value.code == "approved"


def test_a_variable_that_a_person_has_set_beside_the_question_is_a_difference(ann):
    setter = {**NAP, "id": "setter", "set_vars": {"rate": "{{ output.rate }}"}}
    pay = {"id": "pay", **JOB, "params": {"rate": "{{ vars.rate }}"}}
    wait = {"id": "wait", "type": "signal", "params": {"name": "on"}}
    ways = [{**WAYS[0], "to": "wait"}, "wait>pay", WAYS[1]]
    definition = make.graph([ASK, wait, setter, pay, "no"], ways, variables={"rate": 1})
    run = begun(definition, ann)
    make.skip(run, "setter", {"rate": 99_999})
    make.send(run, "on")
    make.work()

    assert poll() is None
    assert task_of(run).round == 2
    decide(ann, run)
    assert poll() is not None


def below(child, ann):
    """A run in which a person has approved that this child workflow runs; gives its run."""
    name = make.a_version(child).workflow.name
    sub = {"id": "sub", "type": "subworkflow", "params": {"workflow": name, "input": {}}}
    run = begun(make.graph([ASK, sub], [{**WAYS[0], "to": "sub"}]), ann)
    [child_run] = make.children_of(run)
    return str(child_run.pk)


BELOW = {
    "an item": {"id": "g", "type": "map", "params": {"items": "{{ [1] }}", "body": {"steps": [NAP]}}},
    "a child of a child": {"id": "g", "type": "subworkflow"},
}


@pytest.mark.parametrize("place", BELOW)
def test_what_feeds_an_effect_between_is_changed_by_nobody_however_far_below(ann, place):
    step = dict(BELOW[place])
    if "params" not in step:
        step["params"] = {"workflow": make.a_version(make.graph([NAP], [])).workflow.name, "input": {}}
    pay = {"id": "pay", **JOB, "params": {"x": "{{ steps.g.output }}"}}
    child = below(make.graph([step, pay], ["g>pay"]), ann)
    [lowest] = make.children_of(child)

    with pytest.raises(RunRefused) as refused:
        pass_on(str(lowest.pk), "nap", {"amount": 99_999})
    assert refused.value.code == "approved"


def test_a_step_of_a_round_says_nothing_to_the_next_round_of_a_covered_loop(ann):
    pay = {**PAY, "input": {"amount": "{{ item.amount }}"}, "params": {}}
    body = {"steps": [pay, NAP], "edges": [{"from": "pay", "to": "nap"}]}
    each = {"id": "each", "type": "loop", "params": {"body": body, "count": 2}, "input": "{{ input }}"}
    run = begun(make.graph([ASK, each], [{**WAYS[0], "to": "each"}]), ann)
    complete(poll(), {})
    [part] = make.children_of(run)

    with pytest.raises(RunRefused) as refused:
        pass_on(str(part.pk), "nap", {"amount": 99_999})
    assert refused.value.code == "approved"


def test_a_variable_that_an_effect_below_reads_is_set_by_nobody(ann):
    setter = {**NAP, "id": "setter", "set_vars": {"rate": "{{ output.rate }}"}}
    pay = {"id": "pay", **JOB, "params": {"rate": "{{ vars.rate }}"}}
    child = below(make.graph([setter, NAP, pay], ["nap>pay"], variables={"rate": 1}), ann)

    with pytest.raises(RunRefused) as refused:
        pass_on(child, "setter", {"rate": 99_999})
    assert refused.value.code == "approved"


def test_a_child_run_that_a_person_cancels_is_a_difference_for_what_follows(ann):
    name = make.a_version(make.graph([NAP], [])).workflow.name
    sub = {
        "id": "sub",
        "type": "subworkflow",
        "params": {"workflow": name, "input": {}},
        "on_error": "branch",
    }
    edges = [
        {**WAYS[0], "to": "sub"},
        {"from": "sub", "to": "pay", "on": "error"},
        {"from": "sub", "to": "no"},
    ]
    run = begun(make.graph([ASK, sub, PAY, "no"], edges), ann)
    [child] = make.children_of(run)
    make.cancel(str(child.pk))
    make.work()

    assert poll() is None
    assert task_of(run).round == 2


def test_votes_count_for_what_the_first_of_them_saw(ann):
    bob = member("bob", "approver")
    asks = {**ASK, "params": {**ASK["params"], "quorum": {"need": 2}}}
    rate, gate = {"id": "rate", **JOB, "queue": "rate"}, {"id": "gate", "type": "decision"}
    pay = {"id": "pay", **JOB, "join": "all", "params": {"rate": "{{ steps.rate.output.rate }}"}, "input": {}}
    run = begun(make.graph([gate, asks, rate, pay], ["gate>rate", "rate>pay", WAYS[0]]), None)
    decide(ann, run)
    pass_on(run, "rate", {"rate": 99_999})
    decide(bob, run)

    assert poll() is None
    assert task_of(run).round == 2


def test_an_item_that_is_skipped_leaves_the_others_approved(ann):
    body = {"type": "job", "queue": "pay", "retry": "none", "params": {"amount": "{{ item }}"}}
    each = {
        "id": "each",
        "type": "map",
        "params": {"items": "{{ [1, 2] }}", "body": body, "max_concurrency": 1},
    }
    run = begun(make.graph([ASK, each], [{**WAYS[0], "to": "each"}]), ann)
    fail(poll())
    make.work()
    items.act_on_item(make.a_tenant().pk, ItemPlace(run, "each", 0), "skip", output={}, **MINE)
    make.work()

    assert poll().params == {"amount": 2}
