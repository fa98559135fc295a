"""Whatever people do with tasks that several decide, alone and with many at once, handing their votes over and taking
decisions back: each decision counts once, for whom it was made, or says why not; and pages offer what may be done.
"""

import pytest
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from accounts import members
from accounts.models import GroupMember
from accounts.names import key_of
from accounts.queries import member_principal
from lib.refusals import Refusal
from runs.kernel.refused import RunRefused
from tasks_inbox.actions import assignment, bulk, deciding, escalating, holding, rounds
from tasks_inbox.actions.bulk import UNDO, BulkCommand
from tasks_inbox.actions.decision import Decision
from tasks_inbox.eligibility import identity
from tasks_inbox.eligibility.electors import electors_of
from tasks_inbox.eligibility.standing import standing
from tasks_inbox.models import OPEN, RETURNED, HeldDecision, ManualTask, TaskDecision
from tasks_inbox.reading import listing, sources, task_rows
from tests import factories as make
from tests import invariants
from tests.inbox.asking import again, deciding_together, member, read
from tests.inbox.mixing import go_away, lives_through, time_goes, tried

ROLES = {"ria": "viewer", "ann": "approver", "bob": "approver", "cat": "approver", "dan": "operator"}
NAMES = st.sampled_from(sorted(ROLES))
OUTCOMES = st.sampled_from(["approved", "approved", "rejected"])
QUORUMS = [1, 2, {"need": "all"}, {"need": 2, "rule": "majority"}, {"groups": {"Legal": 2}}]
SOME = st.lists(st.sampled_from([0, 1, 2]), min_size=1, max_size=3, unique=True)


def hold(world, who, at, outcome, other):
    task = world.tasks[at[0]].pk
    holding.hold_decision(who, task, Decision(outcome, comment="So.", seen=read(who, task)))
    world.means(who, at[0], outcome)


def hold_together(world, who, at, outcome, other):
    tasks = [world.tasks[place].pk for place in at]
    wanted = deciding_together(who, tasks, outcome, comment="So.", undoable=True)
    for place, one in zip(at, world.all(who, at, wanted), strict=True):
        assert (one["held_until"] is not None) == (one["result"] == "done"), one
        if one["result"] == "done":
            world.means(who, place, outcome)


def undo(world, who, at, outcome, other):
    holding.undo_decision(who, world.tasks[at[0]].pk)
    world.meant.pop((world.tasks[at[0]].pk, who.username), None)


def undo_together(world, who, at, outcome, other):
    for place, one in zip(at, world.all(who, at, BulkCommand(UNDO)), strict=True):
        if one["result"] == "done":
            world.meant.pop((world.tasks[place].pk, who.username), None)


def decide(world, who, at, outcome, other):
    task = world.tasks[at[0]]
    world.means(who, at[0], outcome)
    deciding.complete_task(who, task.pk, Decision(outcome, comment="So.", seen=read(who, task)))


def decide_together(world, who, at, outcome, other):
    before = dict(world.meant)
    for place in at:
        world.means(who, place, outcome)
    tasks = [world.tasks[place].pk for place in at]
    wanted = deciding_together(who, tasks, outcome, comment="So.")
    for place, one in zip(at, world.all(who, at, wanted), strict=True):
        key = (world.tasks[place].pk, who.username)
        if one["result"] != "done":
            world.meant.pop(key)
            world.meant |= {key: before[key]} if key in before else {}


def change_role(world, who, at, outcome, other):
    role = {"approved": "approver", "rejected": "viewer"}[outcome]
    members.change_member(world.boss, other, role=role)


def change_group(world, who, at, outcome, other):
    if outcome == "approved":
        member(other, ROLES[other], "Legal")
    else:
        GroupMember.unsafe_all_tenants.filter(membership__user__username=other).delete()


VERBS = {
    "hold": hold,
    "hold together": hold_together,
    "undo": undo,
    "undo together": undo_together,
    "decide": decide,
    "decide together": decide_together,
    "hand": lambda world, who, at, outcome, other: assignment.delegate_task(
        who, world.tasks[at[0]].pk, other
    ),
    "take back": lambda world, who, at, outcome, other: assignment.unclaim_task(who, world.tasks[at[0]].pk),
    "claim": lambda world, who, at, outcome, other: assignment.claim_task(who, world.tasks[at[0]].pk),
    "escalate": lambda world, who, at, outcome, other: escalating.escalate_task(
        who, world.tasks[at[0]].pk, to={"users": [other]}, reason="Late."
    ),
    "return": lambda world, who, at, outcome, other: rounds.return_task(
        who, world.tasks[at[0]].pk, comment="Look.", to=other, seen=read(who, world.tasks[at[0]])
    ),
    "send again": lambda world, who, at, outcome, other: rounds.send_again(
        who, world.tasks[at[0]].pk, facts={"Amount": len(world.meant)} if outcome == "approved" else None
    ),
    "some time": time_goes(6),
    "much time": time_goes(21),
    "go away": go_away,
    "change role": change_role,
    "change group": change_group,
    "exclude": lambda world, who, at, outcome, other: ManualTask.unsafe_all_tenants.filter(
        pk=world.tasks[at[0]].pk
    ).update(exclude=[other]),
}
OFTEN = ["hold", "hold together", "hand", "hand", "take back", "escalate", "undo together", "some time"]


@st.composite
def courses(draw):
    """What happens, in its order: `(verb, who, tasks, choice, other)`."""
    verb = st.sampled_from([*sorted(VERBS), *OFTEN])
    return draw(st.lists(st.tuples(verb, NAMES, SOME, OUTCOMES, NAMES), min_size=15, max_size=40))


class World:
    """Three runs that ask the same, and what each person wants to count."""

    def __init__(self, clock, quorum):
        self.clock, self.meant, self.last, self.looking = clock, {}, 0, set()
        self.made = {
            name: member(name, role, *(["Legal"] if name in ("ann", "bob") else []))
            for name, role in ROLES.items()
        }
        self.boss = member("zoe", "admin")
        ask = {
            "title": "So?",
            "quorum": quorum,
            "candidates": {"groups": ["Legal"]},
            "facts": {"Amount": "{{ input.amount }}"},
            "amendable": ["Amount"],
            "exclude_requester": True,
            "undo_seconds": 10,
        }
        definition = make.graph([{"id": "ask", "type": "human.approval", "params": ask}], [])
        self.runs = make.start(definition, *({"amount": n} for n in range(3)), by="ria")
        make.work()
        self.tasks = list(ManualTask.unsafe_all_tenants.filter(run_id__in=self.runs).order_by("pk"))
        assert len(self.tasks) == 3

    def all(self, who, at, wanted):
        return bulk.act(who, [self.tasks[place].pk for place in at], wanted)

    def means(self, who, place, outcome):
        """What they want to count, and for whom."""
        task = again(self.tasks[place])
        for_whom = standing(who, task).stands_in_for or task.delegated_by
        self.meant[task.pk, who.username] = (outcome, task.round, for_whom)

    def principal(self, name):
        made = self.made[name]
        try:
            return member_principal(made.tenant_id, name, "session")
        except Refusal:
            return made

    def does(self, verb, name, at, outcome, other):
        known, self.looking = dict(self.meant), {name, other}
        try:
            with transaction.atomic():
                VERBS[verb](self, self.principal(name), at, outcome, other)
        except (Refusal, RunRefused):
            self.meant = known
        make.work()
        self.is_sound()

    def is_sound(self):
        found = TaskDecision.unsafe_all_tenants.filter(run_id__in=self.runs)
        for one in found.filter(seq__gt=self.last).order_by("seq"):
            self.last = one.seq
            if one.outcome == RETURNED:
                self.meant.pop((one.task_id, one.by), None)
                continue
            # It was wanted, and is counted once: the next needs another.
            meant = self.meant.pop((one.task_id, one.by))
            assert meant == (one.outcome, one.round, one.on_behalf_of)
        held = HeldDecision.unsafe_all_tenants.values_list("task_id", "username", "outcome", "refused")
        waiting = {(task, name): outcome for task, name, outcome, refused in held if refused is None}
        gone = {(task, name) for task, name, _, refused in held if refused is not None}
        assert waiting.keys() | gone >= self.meant.keys() >= waiting.keys()
        for task in map(again, self.tasks):
            votes = [one for one in found if one.task_id == task.pk and one.round == task.round]
            keys = [
                key_of(name)
                for one in votes
                if one.outcome != RETURNED
                for name in (one.by, one.on_behalf_of)
                if name
            ]
            assert len(keys) == len(set(keys)), keys
            assert set(keys) == set(task.voted)
            hands = [key for one in task.proxies for key in (one["by_key"], one["to_key"])]
            assert len(hands) == len(set(hands)), task.proxies

    def may(self, task, principal, who):
        """What is offered may be done, and what may be done is offered."""
        name = principal.username
        row = task_rows.whole_row(standing(principal, task, who), "w")
        wanted = Decision("rejected", comment="No.", seen=read(principal, task))
        try:
            with transaction.atomic():
                deciding.complete_task(principal, task.pk, wanted)
                done, why = True, None
                transaction.set_rollback(True)
        except (Refusal, RunRefused) as refused:
            done, why = False, refused.message
        is_held = row["held"] and row["held"]["by"] == name
        assert row["may_decide"] == done or is_held, (name, why, row["may_decide"])
        if row["may_decide"]:
            views = [sources.tasks_of(who, view=view).filter(pk=task.pk) for view in ("open", "mine")]
            assert any(view.exists() for view in views), name

    def lists_agree(self, who):
        """Each view holds the same however it is asked for, and its count says so."""
        name = who.username
        counts = listing.counts(who).views
        for view in sources.VIEWS:
            found = set(sources.tasks_of(who, view=view).values_list("pk", flat=True))
            parts = [set(part.values_list("pk", flat=True)) for part in sources.parts_of(who, view=view)]
            assert found == set().union(*parts), (name, view)
            assert counts.get(view, len(found)) == len(found), (name, view)

    def ends(self):
        # Nothing that follows lasts: who somebody is stays the same.
        people = [(one, identity.who_is(one)) for one in map(self.principal, ROLES)]
        for _, who in people:
            # All five would take as long as the rest of the course.
            if who.username in self.looking:
                self.lists_agree(who)
        for task in map(again, self.tasks):
            for principal, who in people:
                self.may(task, principal, who)
            if task.status == OPEN and task.quorum and task.quorum.get("need") == "all" and task.voted:
                assert {one.key for one in electors_of(task)} - {*task.voted}, "nobody is left to decide"
        assert invariants.broken() == {}


@tried(8)
@given(quorum=st.sampled_from(QUORUMS), course=courses())
def test_each_decision_counts_once_for_whom_it_was_made_or_not_at_all(clock, quorum, course):
    lives_through(lambda: World(clock, quorum), course)


@pytest.mark.soak
@tried(500)
@given(quorum=st.sampled_from(QUORUMS), course=courses())
def test_so_it_is_for_long(clock, quorum, course):
    lives_through(lambda: World(clock, quorum), course)
