"""Who leaves, or may decide no more, keeps no task from the others."""

import pytest

from accounts import members
from lib.refusals import NotAllowed
from tasks_inbox.actions import assignment
from tests.inbox.asking import again, approval, asked, decide, hand, member, resolve, stuck


@pytest.mark.parametrize("how", ["left", "demoted"])
def test_what_they_had_is_open_again_to_all_whom_it_asks(how):
    boss, ann, bob = member("boss", "admin"), member("ann"), member("bob")
    claimed, handed, other = asked(), asked(), asked()
    assignment.claim_task(ann, claimed.pk)
    hand(bob, handed, "ann")
    assignment.claim_task(bob, other.pk)
    if how == "left":
        members.remove_member(boss, "ann")
    else:
        members.change_member(boss, "ann", role="viewer")
    assert [(again(task).assignee, again(task).delegated_by) for task in (claimed, handed)] == [
        (None, None)
    ] * 2
    assert again(other).assignee == "bob"
    assert decide(bob, claimed).decided_by == "bob"


def test_a_role_that_decides_keeps_what_it_has():
    boss, ann, task = member("boss", "admin"), member("ann"), asked()
    assignment.claim_task(ann, task.pk)
    members.change_member(boss, "ann", role="operator", manager="boss")
    assert again(task).assignee == "ann"


def test_who_left_decided_what_they_decided():
    boss, ann, task = member("boss", "admin"), member("ann"), asked()
    decide(ann, task)
    members.remove_member(boss, "ann")
    assert again(task).decided_by == "ann"
    with pytest.raises(NotAllowed):
        decide(member("eve"), asked(approval(candidates={"users": ["ann"]})))


def test_who_may_mend_no_runs_any_more_keeps_what_is_asked_of_deciders_alone():
    boss, olga = member("boss", "admin"), member("olga", "operator")
    broken, task = stuck(), asked()
    for one in (broken, task):
        assignment.claim_task(olga, one.pk)
    members.change_member(boss, "olga", role="approver")
    assert (again(broken).assignee, again(task).assignee) == (None, "olga")
    assert resolve(boss, broken, "done").status == "COMPLETED"
