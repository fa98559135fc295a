"""How somebody stands to a task: lists and decisions say the same, and a request asks for it once."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import User
from accounts.names import key_of
from lib import named_sql
from lib.clock import now_here
from lib.refusals import Conflict, NotAllowed
from tasks_inbox.actions import absences, assignment
from tasks_inbox.eligibility import identity, policies
from tasks_inbox.eligibility.standing import standing, standing_in_list, to_decide
from tasks_inbox.models import ManualTask
from tasks_inbox.reading import sources
from tests import factories as make
from tests.inbox.asking import again, approval, asked, hand, member, read, task_of
from tests.inbox.mixing import tried
from tests.inbox.persons import Person

PEOPLE = {
    "ria": ("viewer",),
    "ann": ("approver", "Legal"),
    "bob": ("approver", "Finance"),
    "dan": ("operator", "Legal", "Finance"),
    "zoe": ("admin",),
}
NAMES = sorted(PEOPLE)
SOME = st.lists(st.sampled_from(NAMES), max_size=2, unique=True)
MAYBE = st.one_of(st.none(), st.sampled_from(NAMES))
CANDIDATES = st.fixed_dictionaries(
    {
        "users": SOME,
        "groups": st.lists(st.sampled_from(["Legal", "Finance"]), max_size=2, unique=True),
        "roles": st.lists(st.sampled_from(["approver", "operator", "admin"]), max_size=1),
    }
)


@st.composite
def tasks(draw):
    """Columns of a task: whom it asks, bars and counts, who has it, or who has whose vote of it."""
    candidates = draw(CANDIDATES)
    audience = policies.audience_of(candidates)
    if draw(st.booleans()):
        audience.append(policies.starter_mark("ria"))
    row = {"candidates": candidates, "audience": audience, "exclude": draw(SOME)}
    row["kind"] = draw(st.sampled_from(["approval", "approval", "form", "compensation"]))
    if draw(st.booleans()):
        hands = draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=2, unique=True))
        proxies = [{"by": by, "by_key": by, "to": to, "to_key": to} for by, to in [hands]]
        return row | {
            "quorum": {"need": 2},
            "voted": draw(SOME),
            "proxies": draw(st.sampled_from([proxies, []])),
        }
    assignee = draw(MAYBE)
    row |= {"assignee": assignee, "delegated_by": draw(MAYBE) if assignee else None}
    return row | draw(st.sampled_from([{}, {}, {"returned_to": "ria", "stopped_by": "zoe"}]))


AWAY = st.lists(st.tuples(st.sampled_from(NAMES[:4]), st.sampled_from(NAMES[:4])), max_size=2)


def arranged(row, away):
    """A task with these columns, people, and who of them stands in for whom."""
    for name, (role, *groups) in PEOPLE.items():
        member(name, role, *groups)
    task, today = asked(), now_here()
    for person, substitute in dict(away).items():
        if "ria" not in (person, substitute) and person != substitute:
            who = member(person, *PEOPLE[person])
            absences.add_rule(who, substitute, starts_at=today, ends_at=today + timedelta(days=1))
    ManualTask.unsafe_all_tenants.filter(pk=task.pk).update(**row)
    return again(task)


def is_listed(who, task, *views):
    return any(sources.tasks_of(who, view=view).filter(pk=task.pk).exists() for view in views)


def lists_offer_it_to_whom_it_is_to_decide(row, away):
    with transaction.atomic():
        task = arranged(row, away)
        for name, (role, *groups) in PEOPLE.items():
            principal = member(name, role, *groups)
            # In folders that let operators operate: where they do not, lists offer them less (tests/api/test_reach.py).
            who = replace(identity.who_is(principal), operates=None)
            in_list, stands = standing_in_list(who, task), standing(principal, task, who)
            assert stands.stands_in_for == in_list.stands_in_for
            # A vote is looked after where it is given: whose it is may not be asked any more.
            if not in_list.has_vote_of:
                assert stands.may_decide == in_list.may_decide, (name, stands.refusal, in_list.refusal)
            assert stands.may_decide <= in_list.may_decide, (name, stands.refusal)
            assert in_list.may_decide <= is_listed(who, task, "open", "mine"), name
            # Whose vote somebody has goes before whom they stand in for.
            if not in_list.has_vote_of:
                assert is_listed(who, task, "open") <= in_list.may_decide, (name, in_list.refusal)
            if key_of(name) in task.exclude:
                assert not stands.may_decide, name
        transaction.set_rollback(True)


@tried(25)
@given(row=tasks(), away=AWAY)
def test_whatever_a_task_is_like_lists_offer_it_to_whom_it_is_to_decide(db, row, away):
    lists_offer_it_to_whom_it_is_to_decide(row, away)


@pytest.mark.soak
@tried(500)
@given(row=tasks(), away=AWAY)
def test_so_it_is_for_long(db, row, away):
    lists_offer_it_to_whom_it_is_to_decide(row, away)


def test_the_first_reason_against_it_is_told():
    ann, bob, vic = member("ann"), member("bob"), member("vic", "viewer")
    task = asked(approval(candidates={"users": ["ann"]}, exclude=["cat"]))
    assert (standing(ann, task).refusal, standing(ann, task).may_decide) == (None, True)
    assert standing(bob, task).refusal.code == "not_a_candidate"
    assert standing(vic, task).refusal.details == {"scope": "tasks:decide"}
    cat = standing(member("cat", "admin"), task)
    assert (cat.refusal.code, cat.why_excluded) == ("excluded", cat.refusal.message)
    with pytest.raises(NotAllowed, match="asks others"):
        to_decide(bob, task.pk)
    make.cancel(str(task.run_id))
    assert isinstance(standing(ann, again(task)).refusal, Conflict)
    assert standing(vic, again(task)).refusal.code == "task_cancelled"


def test_what_somebody_else_has_is_theirs_and_not_free():
    ann, bob = member("ann"), member("bob")
    task = asked()
    assignment.claim_task(bob, task.pk)
    stands = standing(ann, again(task))
    assert (stands.refusal, stands.is_free, stands.may_decide) == (None, False, False)
    assert standing(bob, again(task)).may_decide


def test_whose_vote_it_is_must_be_asked_still():
    ann, ned = member("ann", "approver", "Legal"), member("ned")
    member("bob", "approver", "Legal")
    task = asked(approval(candidates={"groups": ["Legal"]}, quorum=2))
    hand(ann, task, "ned")
    stands = standing(ned, again(task))
    assert (stands.stands_in_for, stands.has_vote_of, stands.may_decide) == ("ann", "ann", True)
    assert standing(ann, again(task)).vote_is_with == "ned"
    ManualTask.unsafe_all_tenants.filter(pk=task.pk).update(audience=["user:bob"])
    assert "no longer asks ann, whose vote you have" in standing(ned, again(task)).refusal.message
    assert standing_in_list(identity.who_is(ned), again(task)).refusal is None


def several(count, **params):
    runs = make.start(approval(**params), *({"amount": number} for number in range(count)))
    make.work()
    return [task_of(run) for run in runs]


class Cost:
    """What was asked of the database: all statements, and how often who is asking."""

    def __init__(self, act):
        named = []
        named_sql.watchers.append(named.append)
        try:
            with CaptureQueriesContext(connection) as orm:
                answer = act()
        finally:
            named_sql.watchers.remove(named.append)
        assert answer.status_code in (200, 302), answer.content
        self.statements, self.who = len(orm) + len(named), named.count("who")


def test_a_request_asks_once_who_asks_and_once_more_behind_the_lock(client, settings):
    settings.HANDOFF_UNDO_SECONDS = 0
    ann, tasks = Person("ann"), several(5)
    client.force_login(User.objects.get(username="ann"))
    # The first time a version is compiled, and the use of a token noted.
    Cost(lambda: client.get(f"/inbox/{tasks[0].pk}"))
    Cost(lambda: ann.get("tasks"))
    bodies = [{"outcome": "approved", "seen": read(ann.principal, task)} for task in tasks]
    costs = {
        "list": Cost(lambda: client.get("/inbox/?view=teams")),
        "open": Cost(lambda: client.get(f"/inbox/{tasks[0].pk}")),
        "see": Cost(lambda: ann.get(f"tasks/{tasks[0].pk}")),
        "claim": Cost(lambda: ann.post(f"tasks/{tasks[0].pk}/claim")),
        "decide": Cost(lambda: client.post(f"/inbox/{tasks[0].pk}/decide", bodies[0])),
        "decide by REST": Cost(lambda: ann.post(f"tasks/{tasks[1].pk}/complete", bodies[1])),
    }
    settings.HANDOFF_UNDO_SECONDS = 10
    costs["hold"] = Cost(lambda: client.post(f"/inbox/{tasks[2].pk}/decide", bodies[2]))
    assert {name: cost.who for name, cost in costs.items()} == {
        "list": 1,
        "open": 1,
        "see": 1,
        "claim": 1,
        "decide": 2,
        "decide by REST": 2,
        "hold": 2,
    }
    # One of each but the list is whether they may see the task.
    at_most = {"list": 11, "open": 23, "see": 9, "claim": 12, "decide": 24, "decide by REST": 28, "hold": 16}
    assert {name: cost.statements for name, cost in costs.items() if cost.statements > at_most[name]} == {}


@pytest.mark.parametrize(("undo_seconds", "each"), [(0, 19), (10, 11)])
def test_many_are_decided_by_somebody_who_is_asked_for_once_and_behind_each_lock(
    settings, undo_seconds, each
):
    settings.HANDOFF_UNDO_SECONDS = undo_seconds
    ann, tasks = Person("ann"), several(12)

    def decided(some):
        body = {"action": "decide", "outcome": "approved", "undoable": bool(undo_seconds)}
        body |= {"seen": {str(task.pk): read(ann.principal, task) for task in some}}
        return Cost(lambda: ann.post("tasks/bulk", body | {"ids": [str(task.pk) for task in some]}))

    few, many = decided(tasks[:2]), decided(tasks[2:])
    assert (few.who, many.who) == (3, 11)
    assert (many.statements - few.statements) / 8 <= each


def test_a_list_and_a_claim_of_many_ask_once_who_asks():
    ann, tasks = Person("ann"), several(12)
    Cost(lambda: ann.get("tasks"))
    few, many = (Cost(lambda limit=limit: ann.get(f"tasks?view=teams&limit={limit}")) for limit in (2, 12))
    assert (few.who, many.who, many.statements) == (1, 1, few.statements)
    body = {"action": "claim", "ids": [str(task.pk) for task in tasks]}
    assert Cost(lambda: ann.post("tasks/bulk", body)).who == 1
