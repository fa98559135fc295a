"""What is with somebody who leaves is handed over: each thing with the rights that it needs, and its own result."""

import logging
from datetime import timedelta

import pytest

from accounts import members
from accounts.models import ApiToken, Membership
from accounts.principal import Forbidden
from accounts.services import create_token
from lib.clock import now_here
from lib.refusals import Conflict, Invalid, Missing
from tasks_inbox.actions import absences, assignment, handover
from tasks_inbox.actions.handover import Choice
from tasks_inbox.duties import undecidable
from tasks_inbox.models import AwayRule
from tasks_inbox.reading import left
from tests import factories as make
from tests.inbox.asking import again, approval, asked, decide, hand, member
from tests.schedules import a_schedule, an_owner
from tests.store.watching import watching
from triggers.schedules import firing
from triggers.schedules.models import Schedule
from triggers.webhooks.models import InboundWebhook
from triggers.webhooks.service import create_webhook

LEGAL = {"candidates": {"groups": ["Legal"]}}
ANN = {"candidates": {"users": ["ann"]}}


@pytest.fixture
def boss(db):
    return member("boss", "admin")


@pytest.fixture
def ann(boss):
    return member("ann", "operator", "Legal")


@pytest.fixture
def bob(boss):
    return member("bob", "operator", "Legal")


def scheduled():
    """A schedule and a webhook that act for Ann, who may start their workflow."""
    version = make.a_version(make.chain("noop"))
    schedule = a_schedule(version)
    hook = create_webhook(
        an_owner(version), name="orders", workflow=version.workflow.name, action="start", mapping={}
    )
    Schedule.unsafe_all_tenants.update(acts_for="ann")
    InboundWebhook.unsafe_all_tenants.update(acts_for="ann")
    return schedule, hook.webhook


def substitute(who, name, days=30):
    now = now_here()
    return absences.add_rule(who, name, starts_at=now, ends_at=now + timedelta(days=days))


def of_kind(who, kind, name="ann"):
    return [(one.id, one.actions[0]) for one in left.items_of(who, name) if one.kind == kind]


def done(results):
    return {(one.item.kind, one.item.id): (one.action, one.to, one.code) for one in results}


def test_everything_of_somebody_is_listed_with_what_is_proposed(boss, ann, bob):
    schedule, hook = scheduled()
    claimed, named = asked(approval(**LEGAL)), asked(approval(**ANN))
    assignment.claim_task(ann, claimed.pk)
    handed, given = asked(approval(**LEGAL)), asked(approval(**LEGAL))
    hand(bob, handed, "ann")
    hand(ann, given, "bob")
    token, _ = create_token(user=make.a_user("ann"), tenant=make.a_tenant(), name="export")
    stands_in = substitute(bob, "ann")
    away = substitute(ann, "boss")
    members.change_member(boss, "bob", manager="ann")
    assert set(of_kind(boss, "task")) == {
        (str(claimed.pk), "give_back"),
        (str(handed.pk), "give_back"),
        (str(given.pk), "keep"),
        (str(named.pk), "hand"),
    }
    assert of_kind(boss, "schedule") == [("nightly", "hand")]
    assert of_kind(boss, "webhook") == [(str(hook.pk), "hand")]
    assert of_kind(boss, "token") == [(token.public_id, "revoke")]
    assert set(of_kind(boss, "absence")) == {(str(stands_in.pk), "hand"), (str(away.pk), "end")}
    assert of_kind(boss, "report") == [("bob", "hand")]
    assert schedule.name == "nightly"


def test_all_is_handed_over_as_they_are_deactivated(boss, ann, bob, caplog):
    scheduled()
    cyd = member("cyd", "operator", "Legal")
    claimed, named = asked(approval(**LEGAL)), asked(approval(**ANN))
    assignment.claim_task(ann, claimed.pk)
    create_token(user=make.a_user("ann"), tenant=make.a_tenant(), name="export")
    rule = substitute(bob, "ann")
    members.change_member(boss, "bob", manager="ann")
    with caplog.at_level(logging.INFO, "handoff.audit"):
        results = handover.hand_over(boss, "ann", to="cyd", end="deactivate", reason="left")
    assert {one.code for one in results} == {None}, results
    assert "member.hand_over ann by boss" in caplog.text
    assert "schedule.hand nightly by boss" in caplog.text
    schedule = Schedule.unsafe_all_tenants.get()
    assert (schedule.enabled, schedule.off_reason, schedule.acts_for) == (True, "", "cyd")
    assert InboundWebhook.unsafe_all_tenants.get().acts_for == "cyd"
    assert again(claimed).assignee is None
    assert again(named).assignee == "cyd"
    assert decide(cyd, named).decided_by == "cyd"
    assert ApiToken.unsafe_all_tenants.get(name="export").revoked_at is not None
    (other,) = AwayRule.unsafe_all_tenants.all()
    assert (other.pk != rule.pk, other.substitute, other.ends_at) == (True, "cyd", rule.ends_at)
    assert Membership.unsafe_all_tenants.get(user__username="bob").manager.user.username == "cyd"
    assert left.items_of(boss, "ann") == []
    assert (firing.stop_orphans(), undecidable.tick()) == (0, 0)


def test_what_asks_a_group_of_theirs_alone_is_handed_over_once_they_have_left(boss, ann):
    task, cyd = asked(approval(**LEGAL)), member("cyd", "operator")
    assert of_kind(boss, "task") == [(str(task.pk), "hand")]
    (result,) = handover.hand_over(boss, "ann", to="cyd")
    assert result.code == "invalid"
    (result,) = handover.hand_over(boss, "ann", to="cyd", end="deactivate", reason="left")
    assert result.code is None
    assert decide(cyd, task).decided_by == "cyd"


def test_nobody_gets_what_they_have_no_right_to(boss, ann):
    _, hook = scheduled()
    member("vic", "viewer")
    named = asked(approval(**ANN, exclude_requester=False))
    results = done(handover.hand_over(boss, "ann", to="vic", end="deactivate", reason="left"))
    assert results["schedule", "nightly"] == ("hand", "vic", "may_not_start")
    assert results["webhook", str(hook.pk)] == ("hand", "vic", "may_not_do")
    assert results["task", str(named.pk)] == ("hand", "vic", "invalid")
    assert Schedule.unsafe_all_tenants.get().acts_for == "ann"
    assert Schedule.unsafe_all_tenants.get().enabled is False
    assert again(named).assignee is None


def test_while_somebody_may_decide_it_their_task_is_handed_to_nobody_whom_it_does_not_ask(boss, ann):
    named = asked(approval(**ANN))
    member("cyd", "operator")
    (result,) = handover.hand_over(boss, "ann", [Choice("task", str(named.pk), "hand", "cyd")])
    assert (result.code, again(named).candidates["users"]) == ("invalid", ["ann"])


@pytest.mark.parametrize(("kind", "state"), [("schedule", Schedule), ("webhook", InboundWebhook)])
def test_what_starts_runs_can_be_stopped_instead(boss, ann, kind, state):
    _, hook = scheduled()
    id_ = "nightly" if kind == "schedule" else str(hook.pk)
    (result,) = handover.hand_over(boss, "ann", [Choice(kind, id_, "stop")], reason="not needed")
    assert (result.code, state.unsafe_all_tenants.get().enabled) == (None, False)


def test_somebody_who_was_removed_has_what_they_left_until_it_is_handed_over(boss, ann, bob):
    scheduled()
    members.remove_member(boss, "ann")
    assert [(one.username, one.count) for one in left.left_by(boss.tenant_id)] == [("ann", 2)]
    handover.hand_over(boss, "ann", to="bob")
    assert left.left_by(boss.tenant_id) == []
    with pytest.raises(Missing):
        handover.items_of(boss, "ann")


@pytest.mark.parametrize(
    ("choice", "to", "field"),
    [
        (Choice("schedule", "none", "hand", "bob"), "", "items[0].id"),
        (Choice("schedule", "nightly", "revoke"), "", "items[0].action"),
        (Choice("schedule", "nightly", "hand"), "", "items[0].to"),
        (Choice("schedule", "nightly", "hand", "nobody"), "", "items[0].to"),
        (Choice("schedule", "nightly", "hand", "ann"), "", "items[0].to"),
        (Choice("schedule", "nightly", "stop"), "nobody", "to"),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_done(boss, ann, bob, choice, to, field):
    scheduled()
    with pytest.raises(Invalid) as refusal:
        handover.hand_over(boss, "ann", [choice], to=to, end="deactivate")
    assert refusal.value.field == field
    row = Schedule.unsafe_all_tenants.get()
    assert (row.enabled, row.acts_for) == (True, "ann")


def test_where_they_cannot_be_deactivated_nothing_is_handed_over(boss):
    member("ann", "operator")
    scheduled()
    Schedule.unsafe_all_tenants.update(acts_for="boss")
    with pytest.raises(Conflict):
        handover.hand_over(boss, "boss", to="ann", end="deactivate")
    assert Schedule.unsafe_all_tenants.get().acts_for == "boss"


def test_it_needs_the_right_to_manage_members(boss, ann, bob):
    for act in (lambda: handover.items_of(bob, "ann"), lambda: handover.hand_over(bob, "ann", [])):
        with pytest.raises(Forbidden):
            act()


def test_many_things_are_listed_in_as_many_statements_as_few(boss, ann, bob):
    scheduled()

    def cost(count):
        for number in range(count):
            asked(approval(**ANN))
            asked(approval(candidates={"groups": ["Legal"]}, quorum={"need": 2}))
            create_token(user=make.a_user("ann"), tenant=make.a_tenant(), name=f"export {number}")
        with watching() as seen:
            left.items_of(boss, "ann")
            left.left_by(boss.tenant_id)
        return seen.trips

    cost(1)
    assert cost(1) == cost(4)
