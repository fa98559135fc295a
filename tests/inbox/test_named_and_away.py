"""Who stands in for somebody decides, is listed and is mailed, in whatever way a task names the one who is away."""

from dataclasses import replace
from datetime import timedelta

import pytest

from accounts import members
from lib.refusals import NotAllowed, Refusal
from tasks_inbox.actions import absences, assignment, escalating
from tasks_inbox.eligibility import identity
from tasks_inbox.eligibility.seeing import visible
from tasks_inbox.eligibility.standing import standing
from tasks_inbox.mail import notices
from tasks_inbox.models import REMINDED, ManualTask, Notification
from tasks_inbox.reading import sources
from tests import factories as make
from tests.inbox.asking import again, approval, asked, decide, hand, member

ANN = {"users": ["ann"]}
CID = {"users": ["cid"]}
BOTH = {"users": ["cid", "dan"]}


def named():
    return asked(approval(candidates=ANN))


def claimed():
    task = named()
    assignment.claim_task(member("ann"), task.pk)
    return task


def assigned():
    task = asked(approval(candidates={"users": ["ann", "cid"]}))
    assignment.assign_task(member("olga", "operator"), task.pk, "ann")
    return task


def delegated():
    task = asked(approval(candidates=CID))
    hand(member("cid"), task, "ann")
    return task


def delegated_on():
    task = asked(approval(candidates=CID))
    hand(member("cid"), task, "dan")
    hand(member("dan"), task, "ann")
    return task


def escalated():
    task = asked(approval(candidates=CID))
    escalating.escalate_task(member("cid"), task.pk, to=ANN, reason="Late.")
    return task


def managed():
    member("eve", "viewer")
    members.change_member(member("boss", "admin"), "eve", manager="ann")
    return asked(approval(candidates={"manager_of": "eve"}))


def in_a_quorum():
    return asked(approval(candidates={"users": ["ann", "cid"]}, quorum={"need": "all"}))


def vote_handed():
    task = asked(approval(candidates=BOTH, quorum=2))
    hand(member("cid"), task, "ann")
    return task


WAYS = [named, claimed, assigned, delegated, delegated_on, escalated, managed, in_a_quorum, vote_handed]
FOR = {"vote_handed": "cid"}


@pytest.fixture(autouse=True)
def _everybody():
    for name in ("ann", "bob", "cid", "dan"):
        member(name)


def away(clock, **more):
    dates = {"starts_at": clock.now, "ends_at": clock.now + timedelta(days=1)}
    absences.add_rule(member("ann"), "bob", **dates, **more)


def is_listed(name, task):
    who = identity.who_is(member(name))
    return any(sources.tasks_of(who, view=view).filter(pk=task.pk).exists() for view in ("open", "mine"))


@pytest.mark.parametrize("way", WAYS)
def test_the_substitute_decides_is_listed_and_mailed(clock, way):
    task = way()
    assert not is_listed("bob", task)
    with pytest.raises(Refusal):
        decide(member("bob"), task)
    away(clock)
    assert is_listed("bob", task)
    who = identity.who_is(member("bob"))
    some = ManualTask.unsafe_all_tenants.filter(pk=task.pk)
    assert visible(replace(who, folders=()), some).exists()
    assert {"ann", "bob"} <= set(notices.people_of(again(task), REMINDED, None))
    on_behalf = FOR.get(way.__name__, "ann")
    assert standing(member("bob"), again(task)).stands_in_for == on_behalf
    decide(member("bob"), task)
    assert not is_listed("bob", task)
    with pytest.raises(Refusal):
        decide(member("ann"), task)


@pytest.mark.parametrize("barred", ["ann", "bob"])
@pytest.mark.parametrize("way", [delegated, vote_handed])
def test_exclusion_bars_both_of_what_was_handed_over(clock, way, barred):
    task = way()
    away(clock)
    ManualTask.unsafe_all_tenants.filter(pk=task.pk).update(exclude=[barred])
    assert not is_listed("bob", task)
    with pytest.raises(NotAllowed):
        decide(member("bob"), task)


@pytest.mark.parametrize("way", [delegated, vote_handed])
def test_only_in_the_workflows_of_the_rule(clock, way):
    other = make.a_version(make.chain("noop", name="other")).workflow
    task = way()
    away(clock, workflows=[other.name])
    assert not is_listed("bob", task)
    with pytest.raises(NotAllowed):
        decide(member("bob"), task)


@pytest.mark.parametrize("way", [assigned, delegated, vote_handed])
def test_who_is_given_it_while_away_has_a_substitute_who_is_mailed(clock, way):
    away(clock)
    task = way()
    kinds = ("assigned", "delegated")
    told = Notification.unsafe_all_tenants.filter(task_id=task.pk, kind__in=kinds)
    assert sorted(told.values_list("username", flat=True)) == ["ann", "bob"]
    for one in told:
        assert notices._why_over(again(task), one.kind, one.username) is None
    assert notices._why_over(again(task), "delegated", "dan") is not None
