"""All, and a share, are of everybody who was asked, whoever of them is left (R-149): no record says otherwise."""

import json

import pytest

from accounts.models import GroupMember, Membership, User
from lib.refusals import Invalid
from runs.kernel.refused import RunRefused
from tasks_inbox.actions import assignment, escalating
from tasks_inbox.design.summary import forecast_deciders
from tasks_inbox.models import TaskDecision
from tests import factories as make
from tests.inbox.asking import again, approval, asked, decide, member, task_of
from tests.inbox.persons import template
from workflows.checking.check import check
from workflows.versions import lifecycle

ALL = {"quorum": {"need": "all"}}


def removed(name):
    Membership.unsafe_all_tenants.filter(user__username=name).delete()


def demoted(name):
    Membership.unsafe_all_tenants.filter(user__username=name).update(role="viewer")


def deactivated(name):
    User.objects.filter(username=name).update(is_active=False)


def out_of_the_group(name):
    GroupMember.unsafe_all_tenants.filter(membership__user__username=name).delete()


def last_record():
    return json.loads(TaskDecision.unsafe_all_tenants.order_by("seq").last().record)


def test_a_run_that_names_who_cannot_decide_is_refused_at_its_start():
    member("ann"), member("vic", "viewer")
    definition = approval(candidates={"expr": "{{ input.people }}"}, **ALL)
    version = make.a_version(definition)
    with pytest.raises(RunRefused, match="bbo, vic, nobody") as refused:
        make.start_version(version, {"amount": 1, "people": ["ANN", "ann", "bbo", "vic", "nobody"]})
    assert (refused.value.code, refused.value.field) == ("cannot_decide", "input")
    assert make.runs_of(version) == []
    with pytest.raises(RunRefused) as refused:
        make.start_version(version, {"amount": 1, "people": ["ann"]}, {"amount": 1, "people": ["bbo"]})
    assert refused.value.field == "items[1].input"
    assert make.start_version(version, {"amount": 1, "people": ["ann"]})


def each(body):
    return make.graph([{"id": "each", "type": "map", "params": {"items": [1], "body": body}}], [])


def undone_by(ask):
    return make.graph([{"id": "pay", "type": "noop", "compensate": ask}, "after"], ["pay>after"])


@pytest.mark.parametrize(
    "where",
    [lambda ask: each({"steps": [{"id": "ask", **ask}]}), each, undone_by],
    ids=["among a container's steps", "a container's only step", "what undoes a step"],
)
def test_so_is_one_whose_steps_further_in_they_cannot_decide(where):
    member("ann")
    ask = {
        "type": "human.approval",
        "params": {"title": "Well?", "candidates": {"expr": "{{ input.people }}"}},
    }
    ask["params"] |= ALL
    version = make.a_version(where(ask))
    with pytest.raises(RunRefused, match="these can't decide: bbo"):
        make.start_version(version, {"people": ["ann", "bbo"]})
    assert make.start_version(version, {"people": ["ann"]})


def test_whom_only_an_item_names_is_not_judged_at_the_start():
    member("ann")
    ask = approval(candidates={"expr": "{{ item }}"}, **ALL)["nodes"][0]
    assert make.start(each({"steps": [ask]}), {"amount": 1})


def test_the_shipped_attestation_is_refused_at_its_start_and_confirms_by_all():
    boss = member("boss", "admin")
    lifecycle.create_from_example(boss, template("policy_attestation"))
    member("ann"), member("bob")
    definition = template("policy_attestation").definition
    given = {"policy": "Conduct", "link": "https://example.org", "people": ["ann", "bbo", "nobody"]}
    with pytest.raises(RunRefused, match="bbo, nobody"):
        make.start(definition, given)
    (run_id,) = make.start(definition, given | {"people": ["ann", "bob"]})
    make.work()
    for name in ("ann", "bob"):
        decide(member(name), task_of(run_id), "confirmed", data={"read": True})
    make.work()
    output = make.run(run_id).output
    assert (output["confirmed_by_all"], output["asked"], output["confirmed"]) == (
        True,
        ["ann", "bob"],
        ["ann", "bob"],
    )


@pytest.mark.parametrize("gone", [removed, demoted, deactivated])
@pytest.mark.parametrize("candidates", [{"users": ["ann", "bob"]}, {"groups": ["Legal"]}])
def test_who_cannot_decide_any_more_was_asked_all_the_same(gone, candidates):
    ann = member("ann", "approver", "Legal")
    member("bob", "approver", "Legal")
    task = asked(approval(candidates=candidates, **ALL))
    gone("bob")
    assert decide(ann, task).status == "OPEN"
    record = last_record()
    assert record["named"] == [{"name": "ann"}, {"name": "bob"}]
    assert (record["quorum"]["need"], record["quorum"]["have"], record["quorum"]["outcome"]) == (2, 1, None)


@pytest.mark.parametrize("gone", [removed, demoted, deactivated, out_of_the_group])
def test_who_has_decided_counts_whatever_becomes_of_them(gone):
    ann, bob = member("ann", "approver", "Legal"), member("bob", "approver", "Legal")
    task = asked(approval(candidates={"groups": ["Legal"]}, **ALL))
    decide(bob, task)
    gone("bob")
    assert decide(ann, task).outcome == "approved"
    assert last_record()["quorum"]["have"] == 2


def test_who_leaves_the_group_was_asked_and_who_comes_is_asked_too():
    ann, bob, cat = (member(name, "approver", "Legal") for name in ("ann", "bob", "cat"))
    task = asked(approval(candidates={"groups": ["Legal"]}, quorum={"need": "50%"}))
    out_of_the_group("bob"), out_of_the_group("cat")
    # Of three people asked two are a half; of who is left, one.
    assert decide(ann, task).status == "OPEN"
    assert decide(member("dan", "approver", "Legal"), task).outcome == "approved"
    assert bob.username != cat.username


@pytest.mark.parametrize("more", [{"groups": ["Nobody of them"]}, {"roles": ["operator"]}])
def test_a_group_or_a_role_without_anybody_has_not_agreed(more):
    ann, candidates = member("ann"), {"users": ["ann"], **more}
    with pytest.raises(RunRefused, match=r"can't decide: the (group Nobody of them|role operator)"):
        asked(approval(candidates=candidates, **ALL))
    task = asked(approval(candidates=candidates, quorum={"need": 1}))
    assert decide(ann, task).outcome == "approved"


def test_who_is_excluded_is_not_among_them_and_the_record_says_who_was_barred_later():
    ann, bob = member("ann"), member("bob")
    task = asked(approval(candidates={"users": ["ann", "bob"]}, exclude=["BOB"], **ALL))
    assert decide(ann, task).outcome == "approved"
    assert last_record()["named"] == [{"name": "ann"}]
    assert bob.username == "bob"


def test_names_that_are_no_texts_fail_the_step():
    member("ann")
    definition = approval(candidates={"expr": "{{ input.people }}"}, **ALL)
    for people in ([1, 2], {"a": 1}, 5, []):
        (run_id,) = make.start(definition, {"amount": 1, "people": people})
        make.work()
        step = make.steps(run_id)["ask"]
        assert (step.status, step.error["code"]) == ("FAILED", "BadParams")


def test_an_operator_replaces_who_cannot_decide_and_the_record_says_so():
    ann, olga = member("ann"), member("olga", "operator")
    member("bob"), member("cat")
    task = asked(approval(candidates={"users": ["ann", "bob"]}, **ALL))
    with pytest.raises(Invalid):
        escalating.escalate_task(ann, task.pk, to={"users": ["nobody"]}, reason="x")
    removed("bob")
    assignment.assign_task(olga, task.pk, "cat", reason="bob has left")
    assert make.events(str(task.run_id), "TASK_ESCALATED")[0].payload["by"] == "olga"
    assert decide(ann, task).status == "OPEN"
    assert decide(member("cat"), task).outcome == "approved"
    assert last_record()["named"] == [
        {"name": "ann"},
        {"name": "bob", "replaced_by": "olga"},
        {"name": "cat"},
    ]
    assert again(task).undecidable_since is None


def test_publishing_refuses_names_that_can_never_agree():
    member("ann"), member("vic", "viewer")
    tenant = make.a_tenant().pk

    def said(**params):
        definition = approval(**params)
        return [
            (one.code, one.message)
            for one in check(definition, tenant=tenant).problems
            if one.severity == "error"
        ]

    ((code, message),) = said(candidates={"users": ["ann", "vic", "bbo"]}, **ALL)
    assert (code, "can't decide: vic, bbo" in message) == ("quorum_out_of_reach", True)
    assert said(candidates={"users": ["ann"]}, **ALL) == said(candidates={"users": ["ann", "bbo"]}) == []
    told = forecast_deciders(tenant, {"title": "?", "candidates": {"users": ["ann", "bbo"]}, **ALL})
    assert (told.level, "bbo can’t decide" in told.words) == ("nobody", True)
