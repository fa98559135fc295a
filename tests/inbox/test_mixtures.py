"""Whatever people do with tasks in whatever order, and time, runs and administrators do to them: the tables are sound,
each decision is about what its maker had before them, and the evidence says so.
"""

import json
from pathlib import Path

import pytest
from django.db import connection, transaction
from hypothesis import given
from hypothesis import strategies as st

from accounts import members
from accounts.queries import member_principal
from lib.refusals import Refusal
from runs.kernel.refused import RunRefused
from tasks_inbox.actions import absences, assignment, comments, deciding, drafts, escalating, holding, rounds
from tasks_inbox.actions.decision import Decision
from tasks_inbox.eligibility import identity
from tasks_inbox.evidence import exports, ledger
from tasks_inbox.evidence.exported import verify
from tasks_inbox.forms import files
from tasks_inbox.models import OPEN, RETURNED, AwayRule, ManualTask, TaskDecision, TaskFile
from tasks_inbox.reading import sources, task_rows
from tasks_inbox.store.queries import workflows_of
from tests import factories as make
from tests import invariants
from tests.inbox.asking import again, member, read
from tests.inbox.mixing import go_away, lives_through, time_goes, tried

ROLES = {"ria": "viewer", "ann": "approver", "bob": "approver", "cat": "approver", "ops": "admin"}
NAMES = st.sampled_from(sorted(ROLES))
OUTCOMES = st.sampled_from(["approved", "rejected"])
MOST = {"need": 2, "rule": "majority"}
QUORUMS = [1, 1, 2, {"need": "all"}, MOST, {"groups": {"Legal": 1, "Finance": 1}}]
GROUPS = {"ann": ["Legal"], "bob": ["Finance", "Legal"], "cat": ["Finance"]}
FORM = {"type": "object", "properties": {"limit": {"type": "number"}}}
MARKED = next(text for name, text in invariants.ORACLES.items() if "in lists by each of its marks" in name)


def human(name, **params):
    facts = {"facts": {"Amount": "{{ input.amount }}", "To": "Eve"}, "amendable": ["Amount"]}
    return {"id": name, "type": "human.approval", "params": {"title": f"{name}?", **facts, **params}}


@st.composite
def definitions(draw):
    """Two tasks beside each other: one of one person or several with a clock, one that wants four eyes."""
    quorum = draw(st.sampled_from(QUORUMS))
    timed = {
        "due_seconds": 100,
        "reminders": [80, 20],
        "escalation": [{"after_seconds": 40, "users": ["cat"]}, {"after_seconds": 60, "roles": ["admin"]}],
    } | draw(st.sampled_from([{}, {"on_timeout": "rejected"}]))
    candidates = draw(
        st.sampled_from([{"roles": ["approver"]}, {"users": ["ann", "bob"]}, {"groups": ["Legal"]}])
    )
    if "groups" in str(quorum):
        candidates = {"groups": ["Legal", "Finance"]}
    one = human("one", quorum=quorum, candidates=candidates, form=FORM, undo_seconds=50, **timed)
    two = human("two", exclude_requester=True, exclude_deciders=True, undo_seconds=50)
    return make.graph([one, two], [])


@st.composite
def courses(draw):
    """What happens, in its order: `(verb, who, task, choice, other)`."""
    some = draw(st.lists(st.sampled_from(sorted(VERBS)), min_size=6, max_size=12, unique=True))
    verb = st.sampled_from([*some, "return to", "resubmit", "decide soon"])
    at = st.sampled_from([0, 0, 1])
    return draw(st.lists(st.tuples(verb, NAMES, at, OUTCOMES, NAMES), min_size=12, max_size=30))


def taken_up(world, who, task, outcome):
    """What decides: remembers what its maker had before them."""
    world.before[task.pk, who.username] = ledger.shown_hash(again(task))
    return Decision(outcome, {"limit": 2.5} if task.form else None, "So.", read(who, task))


def attach(world, who, task, outcome, other):
    files.attach(who, task.pk, name="a.txt", content=f"{who.username} {outcome}".encode())


def withdraw(world, who, task, outcome, other):
    file = TaskFile.unsafe_all_tenants.filter(task_id=task.pk).last()
    if file is not None:
        files.withdraw(who, task.pk, file.pk)


def come_back(world, who, task, outcome, other):
    if rule := AwayRule.unsafe_all_tenants.first():
        absences.end_rule(member("ops"), rule.pk)


def change_role(world, who, task, outcome, other):
    role = {"approved": "approver", "rejected": "viewer"}[outcome]
    members.change_member(member("ops"), other, role=role)


def resubmit(world, who, task, outcome, other):
    facts = {"Amount": len(world.before)} if outcome == "approved" else None
    rounds.send_again(who, task.pk, facts=facts)


VERBS = {
    "claim": lambda world, who, task, outcome, other: assignment.claim_task(who, task.pk),
    "put back": lambda world, who, task, outcome, other: assignment.unclaim_task(who, task.pk),
    "assign": lambda world, who, task, outcome, other: assignment.assign_task(who, task.pk, other),
    "delegate": lambda world, who, task, outcome, other: assignment.delegate_task(who, task.pk, other),
    "ask": lambda world, who, task, outcome, other: comments.ask(who, task.pk, "Why?"),
    "answer": lambda world, who, task, outcome, other: comments.answer(who, task.pk, "Because."),
    "return": lambda world, who, task, outcome, other: rounds.return_task(
        who, task.pk, comment="Look.", seen=read(who, task)
    ),
    "return to": lambda world, who, task, outcome, other: rounds.return_task(
        who, task.pk, comment="Look.", to=other, seen=read(who, task)
    ),
    "resubmit": resubmit,
    "resubmit anew": resubmit,
    "escalate": lambda world, who, task, outcome, other: escalating.escalate_task(
        who, task.pk, reason="Late."
    ),
    "escalate to": lambda world, who, task, outcome, other: escalating.escalate_task(
        who, task.pk, to={"users": [other]}, reason="Late."
    ),
    "draft": lambda world, who, task, outcome, other: drafts.save_draft(who, task.pk, data={"limit": "?"}),
    "attach": attach,
    "withdraw": withdraw,
    "decide": lambda world, who, task, outcome, other: deciding.complete_task(
        who, task.pk, taken_up(world, who, task, outcome)
    ),
    "decide soon": lambda world, who, task, outcome, other: holding.hold_decision(
        who, task.pk, taken_up(world, who, task, outcome)
    ),
    "decide later": lambda world, who, task, outcome, other: holding.hold_decision(
        who, task.pk, taken_up(world, who, task, outcome)
    ),
    "undo": lambda world, who, task, outcome, other: holding.undo_decision(who, task.pk),
    "some time": time_goes(21),
    "much time": time_goes(55),
    "go away": go_away,
    "come back": come_back,
    "change role": change_role,
    "pause": lambda world, who, task, outcome, other: make.pause(world.run),
    "go on": lambda world, who, task, outcome, other: make.unpause(world.run),
    "cancel": lambda world, who, task, outcome, other: outcome == other and make.cancel(world.run),
}


class World:
    """A run that asks, and what each who decided had before them."""

    def __init__(self, clock, definition):
        self.clock, self.before, self.last = clock, {}, 0
        self.made = {name: member(name, role, *GROUPS.get(name, ())) for name, role in ROLES.items()}
        (self.run,) = make.start(definition, {"amount": 40}, by="ria")
        make.work()
        self.tasks = list(ManualTask.unsafe_all_tenants.filter(run_id=self.run).order_by("node"))
        assert len(self.tasks) == 2, {name: one.error for name, one in make.steps(self.run).items()}

    def does(self, verb, name, at, outcome, other):
        task = self.tasks[at]
        known = dict(self.before)
        try:
            with transaction.atomic():
                VERBS[verb](self, self.principal(name), task, outcome, other)
        except (Refusal, RunRefused):
            self.before = known
        make.work()
        self.is_sound()

    def principal(self, name):
        made = self.made[name]
        try:
            return member_principal(made.tenant_id, name, "session")
        except Refusal:
            return made

    def is_sound(self):
        with connection.cursor() as cursor:
            cursor.execute(MARKED)
            assert cursor.fetchall() == []
        for one in TaskDecision.unsafe_all_tenants.filter(run_id=self.run, seq__gt=self.last).order_by("seq"):
            self.last = one.seq
            if one.outcome != RETURNED and one.by in ROLES:
                assert json.loads(one.record)["shown_sha256"] == self.before[one.task_id, one.by], (
                    one.by,
                    one.round,
                )
        for task in map(again, self.tasks):
            assert (task.stopped_at is not None) == (task.stopped_by is not None)
            assert task.returned_to is None or task.stopped_at is not None
            if task.status == OPEN and task.stopped_at is not None:
                assert task.next_at is None

    def lists_say_what_may_be_done(self, task, name):
        who = identity.who_is(self.principal(name))
        listed = any(
            sources.tasks_of(who, view=view).filter(pk=task.pk).exists() for view in ("open", "mine")
        )
        if task_rows.list_rows([task], workflows_of(who.tenant_id, [task]), who)[0]["may_decide"]:
            assert listed, (task.node, name)

    def ends(self):
        for task in map(again, self.tasks):
            for name in ROLES:
                self.lists_say_what_may_be_done(task, name)
        assert invariants.broken() == {}
        text = exports.export(member("ops"), self.run, "json").content.decode()
        assert list(verify.faults(text, Path("nowhere"))) == []


@tried(12)
@given(definition=definitions(), course=courses())
def test_whatever_happens_in_whatever_order_the_tables_are_sound(clock, definition, course):
    lives_through(lambda: World(clock, definition), course)


@pytest.mark.soak
@tried(500)
@given(definition=definitions(), course=courses())
def test_so_it_is_for_long(clock, definition, course):
    lives_through(lambda: World(clock, definition), course)
