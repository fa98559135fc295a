"""One's vote in somebody else's hands, where several decide (R-146, R-149)."""

from datetime import timedelta

import pytest

from accounts.models import GroupMember, Membership
from lib.refusals import Conflict, Invalid, NotAllowed
from tasks_inbox.actions import absences, assignment, escalating, holding
from tasks_inbox.actions.decision import Decision
from tasks_inbox.duties import settling
from tasks_inbox.eligibility import identity, membership
from tasks_inbox.eligibility.standing import standing
from tasks_inbox.mail import notices
from tasks_inbox.models import DELEGATED, REMINDED, HeldDecision, ManualTask, TaskDecision, TaskMark
from tasks_inbox.reading import sources, task_rows
from tests import factories as make
from tests.inbox.asking import again, approval, asked, decide, hand, member, read

LEGAL = {"candidates": {"groups": ["Legal"]}, "quorum": 2}


@pytest.fixture
def people():
    """Ann and bob of Legal, cat and dan of nothing."""
    legal = {name: member(name, "approver", "Legal") for name in ("ann", "bob")}
    return legal | {name: member(name) for name in ("cat", "dan")}


def ids(who, view):
    parts = sources.parts_of(identity.who_is(who), view=view)
    found = {pk for part in parts for pk in part.values_list("pk", flat=True)}
    whole = set(sources.tasks_of(identity.who_is(who), view=view).values_list("pk", flat=True))
    assert found == whole
    return found


def row(who, task):
    return task_rows.whole_row(standing(who, again(task)), "w")


def test_a_vote_is_handed_over_given_in_their_place_and_counts_once(people):
    ann, bob, cat = people["ann"], people["bob"], people["cat"]
    task = asked(approval(**LEGAL))
    hand(ann, task, "cat", "on the road")
    assert (ids(ann, "open"), ids(ann, "delegated"), ids(cat, "mine")) == (set(), {task.pk}, {task.pk})
    assert row(cat, task)["stands_in_for"] == "ann"
    assert [row(who, task)["may_decide"] for who in (ann, bob, cat)] == [False, True, True]
    assert decide(cat, task).status == "OPEN"
    (vote,) = TaskDecision.unsafe_all_tenants.all()
    assert (vote.by, vote.on_behalf_of, again(task).voted) == ("cat", "ann", ["cat", "ann"])
    assert (ids(cat, "mine"), ids(cat, "done"), ids(ann, "done")) == (set(), {task.pk}, {task.pk})
    # What they gave is there until it is decided.
    assert ids(ann, "delegated") == set()
    assert decide(bob, task).outcome == "approved"
    assert [event for event in make.history(task.run_id) if event.startswith("TASK_")] == [
        "TASK_OPENED ask",
        "TASK_DELEGATED ask",
        "TASK_VOTED ask",
        "TASK_COMPLETED ask",
    ]


def test_it_counts_for_the_group_of_whose_it_is(people):
    member("fay", "approver", "Finance")
    task = asked(
        approval(candidates={"groups": ["Legal", "Finance"]}, quorum={"groups": {"Legal": 1, "Finance": 1}})
    )
    hand(people["ann"], task, "cat")
    decide(people["cat"], task)
    (vote,) = TaskDecision.unsafe_all_tenants.all()
    assert vote.groups == ["legal"]


def test_meanwhile_it_is_not_theirs_and_taken_back_it_is(people):
    ann, cat = people["ann"], people["cat"]
    task = asked(approval(**LEGAL))
    hand(ann, task, "cat")
    with pytest.raises(Conflict, match="given your vote to cat") as refused:
        decide(ann, task)
    assert refused.value.code == "handed_on"
    assignment.unclaim_task(ann, task.pk)
    with pytest.raises(NotAllowed):
        decide(cat, task)
    assert (again(task).proxies, ids(cat, "mine"), ids(ann, "open")) == ([], set(), {task.pk})
    assert decide(ann, task).status == "OPEN"


def test_who_has_it_gives_it_back_and_hands_it_to_nobody(people):
    ann, cat = people["ann"], people["cat"]
    task = asked(approval(**LEGAL))
    hand(ann, task, "cat")
    with pytest.raises(Conflict) as refused:
        hand(cat, task, "dan")
    assert refused.value.code == "stands_in"
    assignment.unclaim_task(cat, task.pk)
    assert decide(ann, task).voted == ["ann"]
    with pytest.raises(Conflict) as refused:
        hand(ann, task, "cat")
    assert refused.value.code == "voted_already"


def test_given_it_is_not_taken_back(people):
    task = asked(approval(**LEGAL))
    hand(people["ann"], task, "cat")
    decide(people["cat"], task)
    for who in ("ann", "cat"):
        with pytest.raises(Conflict) as refused:
            assignment.unclaim_task(people[who], task.pk)
        assert refused.value.code == "voted_already"


@pytest.mark.parametrize(
    ("to", "code"),
    [
        ("ann", "invalid"),
        ("bob", "has_a_vote"),
        ("eve", "excluded"),
        ("vic", "not_a_candidate"),
        ("nobody", "invalid"),
    ],
)
def test_whom_it_can_not_be_handed_to(people, to, code):
    member("eve")
    member("vic", "viewer")
    task = asked(approval(**LEGAL, exclude=["eve"]))
    with pytest.raises(Invalid) as refused:
        hand(people["ann"], task, to)
    assert (refused.value.code, refused.value.field, again(task).proxies) == (code, "to", [])


def test_one_person_has_one_vote_whoevers_it_is(people):
    task = asked(approval(**LEGAL))
    hand(people["ann"], task, "cat")
    with pytest.raises(Invalid, match="cat already decides for ann") as refused:
        hand(people["bob"], task, "cat")
    assert refused.value.code == "has_a_vote"
    # Asked later, they have their own and not two.
    member("cat", "approver", "Legal")
    assert decide(people["cat"], task).voted == ["cat"]
    with pytest.raises(Conflict) as refused:
        decide(people["cat"], task)
    assert refused.value.code == "voted_already"
    assignment.unclaim_task(people["ann"], task.pk)
    assert decide(people["ann"], task).outcome == "approved"


def test_whose_vote_it_is_must_still_be_asked(people):
    task = asked(approval(**LEGAL))
    hand(people["ann"], task, "cat")
    GroupMember.unsafe_all_tenants.filter(membership__user__username="ann").delete()
    assert not row(people["cat"], task)["may_decide"]
    with pytest.raises(NotAllowed, match="no longer asks ann"):
        decide(people["cat"], task)


def test_a_substitute_has_no_vote_that_was_handed_on(people, clock):
    task = asked(approval(**LEGAL))
    dates = {"starts_at": clock.now, "ends_at": clock.now + timedelta(days=1)}
    absences.add_rule(people["ann"], "dan", **dates)
    assert ids(people["dan"], "open") == {task.pk}
    hand(people["ann"], task, "cat")
    assert ids(people["dan"], "open") == set()
    assert sorted(notices.people_of(again(task), REMINDED, None)) == ["bob", "cat"]
    with pytest.raises(NotAllowed):
        decide(people["dan"], task)
    assert decide(people["cat"], task).voted == ["cat", "ann"]


def test_four_eyes_bar_both(people):
    eyes = {"id": "second", "type": "human.approval", "params": {"title": "Sure?", "exclude_deciders": True}}
    task = asked(approval(**LEGAL, more=[eyes]))
    task = ManualTask.unsafe_all_tenants.get(run_id=task.run_id, node="ask")
    hand(people["ann"], task, "cat")
    decide(people["cat"], task)
    beside = ManualTask.unsafe_all_tenants.get(run_id=task.run_id, node="second")
    for who in ("ann", "cat"):
        with pytest.raises(NotAllowed, match="You have decided another step"):
            decide(people[who], beside)


@pytest.mark.parametrize("gone", ["ann", "cat"])
def test_who_may_decide_nothing_any_more_has_no_vote_to_hand_or_give(people, gone):
    task = asked(approval(**LEGAL))
    hand(people["ann"], task, "cat")
    Membership.unsafe_all_tenants.filter(user__username=gone).update(role="viewer")
    membership.member_changed(task.tenant_id, gone)
    assert again(task).proxies == []
    assert not TaskMark.unsafe_all_tenants.filter(mark__startswith="proxy:").exists()


def test_who_has_it_is_told_and_reminded(people):
    task = asked(approval(**LEGAL))
    hand(people["ann"], task, "cat")
    cat = Membership.unsafe_all_tenants.select_related("user").get(user__username="cat")
    cat.user.email = "cat@example.org"
    assert notices.why_not(again(task), DELEGATED, cat) is None
    assert sorted(notices.people_of(again(task), REMINDED, None)) == ["bob", "cat"]


def ask_too(who, task, to):
    escalating.escalate_task(who, task.pk, to={"users": [to]}, reason="Late.")


@pytest.mark.parametrize("way", ["handed", "away"])
def test_all_agree_without_a_second_vote_of_who_gave_somebody_elses(people, clock, way):
    """Who gave it is asked themselves then, and has no vote left: nobody waits for one."""
    task = asked(approval(candidates={"groups": ["Legal"]}, quorum={"need": "all"}))
    if way == "handed":
        hand(people["ann"], task, "cat")
    else:
        dates = {"starts_at": clock.now, "ends_at": clock.now + timedelta(days=1)}
        absences.add_rule(people["ann"], "cat", **dates)
    decide(people["cat"], task)
    ask_too(people["bob"], task, "cat")
    assert decide(people["bob"], task).outcome == "approved"


def test_a_vote_whose_holder_gave_their_own_is_whose_it_was_again(people):
    task = asked(approval(candidates={"groups": ["Legal"]}, quorum={"need": "all"}))
    hand(people["ann"], task, "cat")
    ask_too(people["bob"], task, "cat")
    decide(people["cat"], task)
    assert (again(task).proxies, ids(people["ann"], "open")) == ([], {task.pk})
    assert sorted(notices.people_of(again(task), REMINDED, None)) == ["ann", "bob"]
    assert decide(people["ann"], task).outcome is None
    assert decide(people["bob"], task).outcome == "approved"


def test_who_has_a_vote_and_is_asked_too_is_told_once_and_hands_on_neither(people):
    task = asked(approval(**LEGAL))
    hand(people["ann"], task, "cat")
    ask_too(people["bob"], task, "cat")
    assert sorted(notices.people_of(again(task), REMINDED, None)) == ["bob", "cat"]
    with pytest.raises(Conflict, match="You have ann's vote here: give it back") as refused:
        hand(people["cat"], task, "dan")
    assert refused.value.code == "stands_in"


def test_whose_holder_is_barred_is_reminded_themselves(people):
    task = asked(approval(**LEGAL))
    hand(people["ann"], task, "cat")
    ManualTask.unsafe_all_tenants.filter(pk=task.pk).update(exclude=["cat"])
    assert sorted(notices.people_of(again(task), REMINDED, None)) == ["ann", "bob"]


def test_a_decision_counts_for_nobody_else_than_for_whom_it_was_made(people, clock, settings):
    settings.HANDOFF_UNDO_SECONDS = 10
    ann, bob, cat = people["ann"], people["bob"], people["cat"]
    asked_too, handed = asked(approval(**LEGAL)), asked(approval(**LEGAL))
    hand(ann, asked_too, "cat")
    holding.hold_decision(cat, asked_too.pk, Decision("approved", seen=read(cat, asked_too)))
    ask_too(bob, asked_too, "cat")
    dates = {"starts_at": clock.now, "ends_at": clock.now + timedelta(days=1)}
    absences.add_rule(bob, "cat", **dates)
    holding.hold_decision(cat, handed.pk, Decision("approved", seen=read(cat, handed)))
    hand(ann, handed, "cat")
    clock.advance(11)
    assert settling.tick() == 2
    assert (again(asked_too).voted, again(handed).voted) == ([], [])
    assert sorted(held.refused for held in HeldDecision.unsafe_all_tenants.all()) == [
        "You decided this for ann, and would decide it for yourself now: decide it again.",
        "You decided this for bob, and would decide it for ann now: decide it again.",
    ]
