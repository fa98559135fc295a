"""Who is away has a substitute for a time and some workflows, who decides on their behalf and hands nothing on."""

from datetime import timedelta

import pytest

from accounts import members
from accounts.models import User
from accounts.principal import Forbidden
from lib.refusals import Conflict, Invalid, Missing, NotAllowed, Refusal
from tasks_inbox.actions import absences, assignment, drafts
from tasks_inbox.eligibility import identity
from tasks_inbox.mail import notices
from tasks_inbox.models import ASKED, REMINDED, AwayRule, TaskDecision, TaskDraft
from tasks_inbox.reading import listing, sources, task_rows
from tasks_inbox.store import queries
from tests import factories as make
from tests.inbox.asking import again, approval, asked, decide, hand, member, task_of

ANN = {"candidates": {"users": ["ann"]}}
DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def _everybody(clock):
    for name in ("ann", "bob", "cid"):
        member(name)


def rule(clock, of="ann", by="bob", start=-1, end=7, **more):
    """`by` stands in for `of`, so many days from now."""
    dates = {"starts_at": clock.now + start * DAY, "ends_at": clock.now + end * DAY}
    return absences.add_rule(member(of), by, **dates, **more)


def offered(name):
    who = identity.who_is(member(name))
    return {task.pk for task in sources.tasks_of(who, view="open")}


def may(name, task):
    """Whether they decide it; whatever comes of it, the list must have said the same."""
    was_offered = task.pk in offered(name)
    try:
        decide(member(name), task)
        done = True
    except Refusal:
        done = False
    assert was_offered == done
    return done


def test_a_substitute_decides_on_behalf_of_who_is_away_and_all_say_so(clock):
    rule(clock)
    task = asked(approval(**ANN))
    who = identity.who_is(member("bob"))
    row = task_rows.list_rows([task], {task.workflow_id: queries.Called("x", "x", 0)}, who)[0]
    assert (row["may_decide"], row["stands_in_for"], listing.waiting_for(who)) == (True, "ann", 1)
    assert may("bob", task)
    assert again(task).decided_by == "bob"
    make.work()
    assert make.steps(task.run_id)["ask"].output["on_behalf_of"] == "ann"
    assert make.events(task.run_id, "TASK_COMPLETED")[0].payload["on_behalf_of"] == "ann"
    (decision,) = TaskDecision.unsafe_all_tenants.filter(task_id=task.pk)
    assert decision.on_behalf_of == "ann"
    assert '"on_behalf_of":"ann"' in decision.record


def test_what_who_is_away_has_typed_goes_with_the_vote_of_their_substitute(clock):
    rule(clock)
    (run,) = make.start(approval(quorum=2, candidates={"users": ["ann", "cid"]}), {"amount": 40})
    make.work()
    drafts.save_draft(member("ann"), task_of(run).pk, data={}, comment="I think")
    decide(member("bob"), task_of(run))
    assert not TaskDraft.unsafe_all_tenants.exists()


def test_what_asks_the_groups_of_who_is_away_asks_the_substitute_too(clock):
    member("ann", "approver", "Finance")
    rule(clock)
    assert may("bob", asked(approval(candidates={"groups": ["Finance"]})))
    assert not may("bob", asked(approval(candidates={"groups": ["Legal"]})))


@pytest.mark.parametrize(("start", "end"), [(-7, -1), (1, 7)])
def test_only_while_the_rule_holds(clock, start, end):
    rule(clock, start=start, end=end)
    assert not may("bob", asked(approval(**ANN)))


def test_it_begins_and_ends_by_itself_and_by_hand(clock):
    made, task = rule(clock, start=1, end=2), asked(approval(**ANN))
    for days, expected in ((0, set()), (1, {task.pk}), (1, set())):
        clock.advance(days * 86_400)
        assert offered("bob") == expected
    made = rule(clock, start=0)
    assert offered("bob") == {task.pk}
    absences.end_rule(member("ann"), made.pk)
    assert not may("bob", task)


def test_only_in_the_workflows_that_it_names(clock):
    inside, outside = asked(approval(**ANN)), asked(approval(**ANN))
    names = queries.workflows_of(inside.tenant_id, [inside, outside])
    assert len(names) == 2
    rule(clock, workflows=[names[inside.workflow_id].name])
    assert not may("bob", outside)
    assert may("bob", inside)


def test_a_substitute_hands_nothing_on_and_claims_nothing(clock):
    rule(clock)
    task = asked(approval(**ANN))
    for act in (
        lambda: hand(member("bob"), task, "cid"),
        lambda: assignment.claim_task(member("bob"), task.pk),
    ):
        with pytest.raises(Conflict) as refused:
            act()
        assert refused.value.code == "stands_in"
    assert again(task).assignee is None


def test_a_substitute_of_a_substitute_gets_nothing(clock):
    rule(clock)
    rule(clock, of="bob", by="cid")
    task = asked(approval(**ANN))
    assert not may("cid", task)
    assert may("bob", task)


@pytest.mark.parametrize("barred", ["ann", "bob"])
def test_exclusion_bars_both(clock, barred):
    rule(clock)
    task = asked(approval(candidates={"users": ["ann", "cid"]}, exclude=[barred]))
    assert not may("bob", task)
    with pytest.raises(NotAllowed) as refused:
        decide(member("bob"), task)
    assert refused.value.code == "excluded"


def test_an_admin_who_requested_decides_for_nobody(clock):
    boss = member("boss", "admin")
    rule(clock, by="boss")
    (run,) = make.start(approval(**ANN, exclude_requester=True), {"amount": 40}, by="boss")
    make.work()
    task = task_of(run)
    assert task.pk not in offered("boss")
    with pytest.raises(NotAllowed) as refused:
        decide(boss, task)
    assert refused.value.code == "excluded"


def test_a_person_and_their_substitute_are_one_vote(clock):
    rule(clock)
    everybody = {"candidates": {"users": ["ann", "bob", "cid"]}, "quorum": 2}
    for first, second in (("bob", "ann"), ("ann", "bob")):
        task = asked(approval(**everybody))
        decide(member(first), task)
        decide(member(second), task)
        assert [row.on_behalf_of for row in TaskDecision.unsafe_all_tenants.filter(task_id=task.pk)] == [
            None
        ] * 2
    task = asked(approval(**{**everybody, "candidates": {"users": ["ann", "cid"]}}))
    decide(member("bob"), task)
    for name in ("ann", "bob"):
        with pytest.raises(Conflict) as refused:
            decide(member(name), task)
        assert refused.value.code == "voted_already"
    assert decide(member("cid"), task).status == "COMPLETED"


def test_who_left_or_may_decide_no_more_is_stood_in_for_by_nobody(clock):
    rule(clock)
    boss, task = member("boss", "admin"), asked(approval(**ANN))
    members.change_member(boss, "ann", role="viewer")
    assert not may("bob", task)
    members.remove_member(boss, "ann")
    assert not may("bob", task)


def test_rules_of_one_person_do_not_overlap(clock):
    one, two = (asked(approval(**ANN)) for _ in range(2))
    names = queries.workflows_of(one.tenant_id, [one, two])
    first, second = names[one.workflow_id].name, names[two.workflow_id].name
    rule(clock, workflows=[first])
    rule(clock, by="cid", workflows=[second])
    rule(clock, by="cid", start=7, end=9)
    for more in ({}, {"workflows": [first]}, {"start": 8, "end": 20}):
        with pytest.raises(Conflict) as refused:
            rule(clock, **more)
        assert refused.value.code == "overlaps"


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"by": "ann"}, "substitute"),
        ({"by": "vic"}, "substitute"),
        ({"by": "nobody"}, "substitute"),
        ({"start": 2, "end": 2}, "until"),
        ({"workflows": ["none"]}, "workflows[0]"),
        ({"note": "x" * 501}, "note"),
    ],
)
def test_what_is_wrong_is_told_at_its_field(clock, given, field):
    member("vic", "viewer")
    with pytest.raises(Invalid) as refused:
        rule(clock, **given)
    assert refused.value.field == field


def test_others_rules_are_their_own(clock):
    dates = {"starts_at": clock.now, "ends_at": clock.now + DAY}
    with pytest.raises(Forbidden):
        absences.add_rule(member("bob"), "cid", username="ann", **dates)
    made = absences.add_rule(member("boss", "admin"), "bob", username="ann", **dates)
    assert (made.username, made.created_by) == ("ann", "boss")
    with pytest.raises(Forbidden):
        absences.end_rule(member("bob"), made.pk)
    with pytest.raises(Missing):
        absences.end_rule(member("cid"), made.pk)
    assert list(absences.rules_for(member("cid"))) == []
    assert User.objects.filter(username="ann").exists()
    absences.end_rule(member("boss", "admin"), made.pk)
    assert not AwayRule.unsafe_all_tenants.exists()


def test_a_substitute_is_told_what_the_person_who_is_away_is_told(clock):
    task, other = asked(approval(**ANN)), asked(approval(**ANN))
    name = queries.workflows_of(task.tenant_id, [task])[task.workflow_id].name
    rule(clock, workflows=[name])
    rule(clock, of="bob", by="cid")
    assert notices.people_of(task, ASKED, None) == ["ann", "bob"]
    assert notices.people_of(other, ASKED, None) == ["ann"]
    assignment.claim_task(member("ann"), task.pk)
    assert notices.people_of(again(task), REMINDED, None) == ["ann", "bob"]


def test_a_workflow_that_one_may_not_read_is_refused_as_one_that_is_not_there(clock):
    hidden = make.a_version(make.chain("noop", name="payroll")).workflow
    folder = make.FolderFactory(tenant_id=hidden.tenant_id)
    type(hidden).objects.for_tenant(hidden.tenant_id).filter(pk=hidden.pk).update(folder=folder.pk)
    said = []
    for name in (hidden.name, "nowhere"):
        with pytest.raises(Invalid) as refused:
            rule(clock, workflows=[name])
        said.append((refused.value.field, refused.value.message.replace(name, "it")))
    assert said[0] == said[1] == ("workflows[0]", "There is no workflow it.")
