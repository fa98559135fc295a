"""Who may decide a task hands it to somebody else, who decides on their behalf, unless excluded (R-146, R-149)."""

from dataclasses import replace

import pytest

from accounts.models import Membership, User
from accounts.principal import Forbidden
from accounts.roles import SCOPES_OF_ROLE
from lib.refusals import Conflict, Invalid, Missing, NotAllowed
from tasks_inbox.actions import assignment
from tasks_inbox.eligibility import identity
from tasks_inbox.models import ManualTask
from tasks_inbox.reading import listing, sources, task_rows
from tests import factories as make
from tests.inbox.asking import again, approval, asked, decide, hand, member, resolve, stuck, undo_the_rest

ONLY_ANN = {"candidates": {"users": ["ann"]}}


def test_a_delegate_who_was_not_asked_decides_and_all_say_for_whom(clock):
    task, ann, bob = asked(approval(**ONLY_ANN)), member("ann"), member("bob")
    with pytest.raises(NotAllowed):
        decide(bob, task)
    handed = hand(ann, task, "BOB", "I am away.")
    assert (handed.assignee, handed.delegated_by) == ("bob", "ann")
    (event,) = make.events(task.run_id, "TASK_DELEGATED")
    assert event.payload == {"task": str(task.pk), "by": "ann", "to": "bob", "reason": "I am away."}
    with pytest.raises(Conflict, match="bob has claimed"):
        decide(ann, task)
    done = decide(bob, task)
    assert (done.decided_by, done.delegated_by) == ("bob", "ann")
    make.work()
    assert make.steps(task.run_id)["ask"].output == {
        "outcome": "approved",
        "data": None,
        "by": "bob",
        "on_behalf_of": "ann",
        "at": clock.now.isoformat(),
        "comment": "",
        "branch": "approved",
    }
    assert make.events(task.run_id, "TASK_COMPLETED")[0].payload["on_behalf_of"] == "ann"
    assert make.statuses(task.run_id)["yes"] == "COMPLETED"


def test_a_reason_is_not_needed_and_who_has_claimed_it_may_hand_it_over():
    task, ann = asked(), member("ann")
    member("bob")
    assignment.claim_task(ann, task.pk)
    assert hand(ann, task, "bob").assignee == "bob"
    assert "reason" not in make.events(task.run_id, "TASK_DELEGATED")[0].payload


def test_a_task_that_somebody_else_has_is_handed_over_by_nobody():
    task, ann, boss = asked(), member("ann"), member("boss", "admin")
    member("bob")
    assignment.claim_task(ann, task.pk)
    with pytest.raises(Conflict) as refused:
        hand(boss, task, "bob")
    assert (refused.value.code, again(task).assignee) == ("claimed", "ann")


def test_whom_it_does_not_ask_hands_nothing_over():
    task = asked(approval(**ONLY_ANN, exclude=["eve"]))
    member("bob")
    for name, code in (("cid", "not_a_candidate"), ("eve", "excluded")):
        with pytest.raises(NotAllowed) as refused:
            hand(member(name), task, "bob")
        assert refused.value.code == code
    with pytest.raises(Forbidden):
        hand(member("vic", "viewer"), task, "bob")
    assert again(task).assignee is None


def test_to_whom_it_cannot_be_handed_is_told_at_the_field():
    task, ann = asked(approval(exclude=["Eve"])), member("ann")
    member("eve", "admin")
    member("vic", "viewer")
    member("old")
    User.objects.filter(username="old").update(is_active=False)
    make.a_user("stranger")
    for to, code in (
        ("ann", "invalid"),
        ("ANN", "invalid"),
        ("eve", "excluded"),
        ("vic", "not_a_candidate"),
        ("old", "invalid"),
        ("stranger", "invalid"),
        ("nobody", "invalid"),
    ):
        with pytest.raises(Invalid) as refused:
            hand(ann, task, to)
        assert (refused.value.field, refused.value.code) == ("to", code), to
    assert (again(task).assignee, make.events(task.run_id, "TASK_DELEGATED")) == (None, [])


def test_handed_on_it_stays_delegated_by_who_was_asked():
    task, ann, bob, cid = asked(approval(**ONLY_ANN)), member("ann"), member("bob"), member("cid")
    hand(ann, task, "bob")
    handed = hand(bob, task, "cid")
    assert (handed.assignee, handed.delegated_by) == ("cid", "ann")
    assert [event.payload["by"] for event in make.events(task.run_id, "TASK_DELEGATED")] == ["ann", "bob"]
    with pytest.raises(NotAllowed):
        decide(bob, task)
    back = hand(cid, task, "ann")
    assert (back.assignee, back.delegated_by) == ("ann", None)
    decide(ann, task)
    assert "on_behalf_of" not in make.steps(task.run_id)["ask"].output


def test_put_back_it_is_with_who_delegated_it_and_then_with_all():
    task, ann, bob = asked(approval(**ONLY_ANN)), member("ann"), member("bob")
    hand(ann, task, "bob")
    with pytest.raises(Forbidden):
        assignment.unclaim_task(ann, task.pk)
    back = assignment.unclaim_task(bob, task.pk)
    assert (back.assignee, back.delegated_by) == ("ann", None)
    with pytest.raises(NotAllowed):
        decide(bob, task)
    assert assignment.unclaim_task(ann, task.pk).assignee is None


@pytest.mark.parametrize("gone", ["left", "inactive", "demoted"])
def test_put_back_it_is_open_where_who_delegated_it_could_decide_it_no_more(gone):
    task, ann, bob = asked(), member("ann"), member("bob")
    hand(ann, task, "bob")
    seat = Membership.objects.for_tenant(ann.tenant_id).filter(user_id=ann.user_id)
    if gone == "left":
        seat.delete()
    elif gone == "demoted":
        seat.update(role="viewer")
    else:
        User.objects.filter(pk=ann.user_id).update(is_active=False)
    back = assignment.unclaim_task(bob, task.pk)
    assert (back.assignee, back.delegated_by) == (None, None)


def test_who_may_assign_takes_it_from_a_delegate_and_makes_nobody_eligible():
    task, ann, boss = asked(approval(**ONLY_ANN)), member("ann"), member("boss", "operator")
    bob = member("bob")
    hand(ann, task, "bob")
    with pytest.raises(Invalid, match="may not decide"):
        assignment.assign_task(boss, task.pk, "bob")
    given = assignment.assign_task(boss, task.pk, "ann")
    assert (given.assignee, given.delegated_by) == ("ann", None)
    with pytest.raises(NotAllowed):
        decide(bob, task)


def test_exclusion_and_roles_count_again_when_a_delegate_decides():
    task, ann, bob = asked(approval(**ONLY_ANN)), member("ann"), member("bob")
    hand(ann, task, "bob")
    with pytest.raises(Forbidden):
        decide(replace(bob, role="viewer", scopes=SCOPES_OF_ROLE["viewer"]), task)
    ManualTask.objects.for_tenant(ann.tenant_id).filter(pk=task.pk).update(exclude=["bob"])
    with pytest.raises(NotAllowed) as refused:
        decide(bob, task)
    assert (refused.value.code, again(task).status) == ("excluded", "OPEN")


def test_a_delegate_finds_it_among_what_they_have_and_who_gave_it_does_not():
    task, ann, bob = asked(approval(**ONLY_ANN)), member("ann"), member("bob")
    hand(ann, task, "bob")

    def mine(who):
        return [one.pk for one in sources.tasks_of(identity.who_is(who), view="mine")]

    assert (mine(ann), mine(bob)) == ([], [task.pk])
    assert (listing.waiting_for(identity.who_is(ann)), listing.waiting_for(identity.who_is(bob))) == (0, 1)


def test_a_closed_task_and_another_tenants_are_not_handed_over(people):
    task, ann = asked(), member("ann")
    member("bob")
    with pytest.raises(Missing):
        hand(people.principal("admin", tenant="theirs"), task, "bob")
    decide(ann, task)
    with pytest.raises(Conflict) as refused:
        hand(ann, task, "bob")
    assert refused.value.code == "decided_already"


def test_a_compensation_stays_with_those_who_may_mend_runs():
    task, olga = stuck(), member("olga", "operator")
    member("ann")
    paul = member("paul", "operator")
    with pytest.raises(Invalid, match="operators and admins only") as refused:
        hand(olga, task, "ann")
    assert refused.value.field == "to"
    assert hand(olga, task, "paul").delegated_by == "olga"
    with pytest.raises(Conflict):
        resolve(olga, task, "done")
    assert resolve(paul, task, "done").decided_by == "paul"
    undo_the_rest()


def test_those_who_are_offered_may_be_given_it_and_are_few():
    task, ann = asked(approval(exclude=["eve"])), member("ann")
    for name, role in (("cid", "approver"), ("bob", "operator"), ("eve", "admin"), ("vic", "viewer")):
        member(name, role)
    offered = task_rows.delegates_of(task, identity.who_is(ann), 200)
    assert offered == [("bob", ""), ("cid", "")]
    assert task_rows.delegates_of(task, identity.who_is(ann), 1) == [("bob", "")]
    member("olga", "operator")
    offered = task_rows.delegates_of(stuck(), identity.who_is(member("paul", "operator")), 200)
    assert [name for name, _ in offered] == ["bob", "eve", "olga"]
