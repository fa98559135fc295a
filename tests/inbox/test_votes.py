"""Several decide, and four eyes: who may, what each decision is worth, and what stays of it (R-149)."""

import pytest

from accounts import services
from accounts.models import Membership
from lib.refusals import Conflict, Invalid, NotAllowed
from tasks_inbox.actions import assignment
from tasks_inbox.eligibility import identity
from tasks_inbox.evidence import ledger
from tasks_inbox.models import TaskDecision
from tasks_inbox.reading import sources
from tests import factories as make
from tests.inbox.asking import again, approval, asked, decide, member

LEGAL_AND_FINANCE = {
    "candidates": {"groups": ["Legal", "Finance"]},
    "quorum": {"groups": {"Legal": 2, "Finance": 1}},
}


def statuses(task):
    make.work()
    return make.statuses(task.run_id)


def offered(who):
    return set(sources.tasks_of(identity.who_is(who), view="open").values_list("pk", flat=True))


def test_two_must_agree_and_the_run_waits_for_the_second():
    ann, bob = member("ann"), member("bob")
    task = asked(approval(quorum=2))
    assert decide(ann, task, comment="Fine.").status == "OPEN"
    assert (statuses(task)["ask"], offered(ann), offered(bob)) == ("WAITING", set(), {task.pk})
    with pytest.raises(Conflict) as refused:
        decide(ann, task)
    assert refused.value.code == "voted_already"
    assert decide(bob, task).status == "COMPLETED"
    assert statuses(task)["yes"] == "COMPLETED"
    output = make.steps(task.run_id)["ask"].output
    assert (output["by"], output["branch"]) == ("bob", "approved")
    assert [(one["by"], one["comment"]) for one in output["decisions"]] == [("ann", "Fine."), ("bob", "")]
    assert [event for event in make.history(task.run_id) if event.startswith("TASK_")] == [
        "TASK_OPENED ask",
        "TASK_VOTED ask",
        "TASK_COMPLETED ask",
    ]


def test_one_who_says_no_decides_by_veto_and_by_majority_is_outvoted():
    people = [member(name) for name in ("ann", "bob", "cat")]
    task = asked(approval(quorum=2))
    decide(people[0], task)
    assert decide(people[1], task, "rejected", comment="No.").outcome == "rejected"
    task = asked(approval(quorum={"need": 2, "rule": "majority"}))
    decide(people[0], task)
    assert decide(people[1], task, "rejected", comment="No.").status == "OPEN"
    assert decide(people[2], task).outcome == "approved"


def test_two_of_legal_and_one_of_finance_are_three_people():
    both = member("ann", "approver", "Legal", "Finance")
    bob, cat = member("bob", "approver", "legal"), member("cat", "approver", "Finance")
    task = asked(approval(**LEGAL_AND_FINANCE))
    decide(both, task)
    assert decide(bob, task).status == "OPEN"
    with pytest.raises(NotAllowed):
        decide(member("dan"), task)
    assert decide(cat, task).outcome == "approved"
    told = TaskDecision.unsafe_all_tenants.order_by("seq").last()
    assert '"groups":[{"have":2,"name":"Legal","need":2},{"have":1,"name":"Finance","need":1}]' in told.record


def test_what_several_decide_nobody_has_alone():
    ann = member("ann", "admin")
    member("bob")
    task = asked(approval(quorum=2))
    for refused_act in (
        lambda: assignment.claim_task(ann, task.pk),
        lambda: assignment.assign_task(ann, task.pk, "bob"),
    ):
        with pytest.raises(Conflict) as refused:
            refused_act()
        assert refused.value.code == "several_decide"


def test_who_started_the_run_may_not_decide_not_even_as_admin():
    ann, bob = member("ann", "admin"), member("bob")
    make.start(approval(exclude_requester=True), {"amount": 40}, by="ANN")
    make.work()
    (task,) = sources.tasks_of(identity.who_is(bob), view="open")
    assert offered(ann) == set()
    with pytest.raises(NotAllowed, match="You started this run"):
        decide(ann, task)
    assert decide(bob, task).outcome == "approved"


def test_who_decided_one_step_may_not_decide_the_next_nor_one_beside_it():
    ann, bob = member("ann"), member("bob")
    eyes = {"id": "second", "type": "human.approval", "params": {"title": "Sure?", "exclude_deciders": True}}
    beside = {**eyes, "id": "beside"}
    definition = make.graph(
        [{"id": "ask", "type": "human.approval", "params": {"title": "Go?"}}, eyes, beside, "no", "end"],
        [
            {"from": "ask", "to": "second", "branch": "approved"},
            {"from": "ask", "to": "no", "default": True},
            "second>end",
        ],
    )
    make.start(definition, {})
    make.work()
    tasks = {task.node: task for task in sources.tasks_of(identity.who_is(ann), view="open")}
    decide(ann, tasks["ask"])
    make.work()
    assert offered(ann) == set()
    open_to_bob = list(sources.tasks_of(identity.who_is(bob), view="open"))
    assert {task.node for task in open_to_bob} == {"second", "beside"}
    for task in open_to_bob:
        with pytest.raises(NotAllowed, match="decided another step"):
            decide(ann, task)
    decide(bob, open_to_bob[0])
    assert offered(bob) == set()


def test_the_manager_of_who_started_it_decides_and_without_one_nobody():
    ann, boss = member("ann", "author"), member("Boss")
    definition = approval(candidates={"manager_of": "{{ run.created_by }}"})
    make.start(definition, {"amount": 1}, by="ann")
    make.work()
    assert offered(boss) == set()
    seats = Membership.unsafe_all_tenants
    seats.filter(user_id=ann.user_id).update(manager=seats.get(user_id=boss.user_id))
    make.start(definition, {"amount": 2}, by="ann")
    make.work()
    (task,) = sources.tasks_of(identity.who_is(boss), view="open")
    assert decide(boss, task).outcome == "approved"


def test_a_decision_upon_what_was_changed_meanwhile_is_refused():
    ann, task = member("ann"), asked()
    with pytest.raises(Conflict) as refused:
        decide(ann, task, seen="0" * 64)
    assert (refused.value.code, again(task).status) == ("task_changed", "OPEN")
    assert decide(ann, task, seen=ledger.shown_hash(task)).status == "COMPLETED"


def test_an_outcome_needs_its_own_fields_and_its_signature(people):
    user = people.member("approver", tenant=make.a_tenant().slug)
    services.set_password(user, "a long password")
    who = member(user.username)
    task = asked(
        approval(
            outcomes=[
                {"name": "approved", "label": "Approve", "require": ["limit"], "sign": True},
                {"name": "rejected", "label": "Reject"},
            ],
            form={"type": "object", "properties": {"limit": {"type": "integer"}}},
        )
    )
    for data, password, field in (
        ({}, None, "data.limit"),
        ({"limit": 5}, None, "password"),
        ({"limit": 5}, "wrong", "password"),
    ):
        with pytest.raises(Invalid) as refused:
            decide(who, task, data=data, password=password)
        assert refused.value.field == field
    decide(who, task, data={"limit": 5}, password="a long password")
    (told,) = TaskDecision.unsafe_all_tenants.all()
    assert '"signed":true' in told.record
    assert "a long password" not in told.record
