"""Four eyes hold over the runs of a tree: what somebody decides above or below bars them, beside it does not."""

from itertools import count

import pytest
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from lib.refusals import NotAllowed
from runs.models import Run
from tasks_inbox.eligibility import identity, policies
from tasks_inbox.eligibility.standing import standing
from tasks_inbox.models import ManualTask
from tasks_inbox.reading import sources
from tasks_inbox.store import trees
from tests import factories as make
from tests.inbox.asking import again, decide, member
from tests.inbox.mixing import tried
from tests.store.watching import watching

pytestmark = pytest.mark.django_db

PEOPLE = ("ann", "bob", "cat")
OUTCOMES = [{"name": "done", "label": "Done"}]


def ask(name, eyes=True):
    params = {"title": "?", "due_seconds": 60, "exclude_deciders": eyes, "outcomes": OUTCOMES}
    return {"id": name, "type": "human.approval", "params": params}


def each(name, steps, items=(1, 2)):
    return {"id": name, "type": "map", "params": {"items": [*items], "body": {"steps": steps, "edges": []}}}


def steps_of(shape, names):
    return [
        ask(f"a{next(names)}", one)
        if isinstance(one, bool)
        else each(f"m{next(names)}", steps_of(one, names))
        for one in shape
    ]


SHAPES = st.recursive(
    st.lists(st.booleans(), min_size=1, max_size=2),
    lambda inner: st.lists(st.booleans() | inner, min_size=1, max_size=3),
    max_leaves=4,
)


def opened(steps):
    (run,) = make.start(make.graph(steps, []))
    make.work()
    return run


def is_related(one, other):
    shorter, longer = sorted([one, other], key=len)
    return longer[: len(shorter)] == shorter


@tried(15)
@given(shape=SHAPES, course=st.lists(st.tuples(st.integers(0, 50), st.sampled_from(PEOPLE)), max_size=8))
def test_who_decided_is_barred_above_and_below_and_not_beside(shape, course):
    with transaction.atomic():
        lives_in(shape, course)
        transaction.set_rollback(True)


def lives_in(shape, course):
    """The course of who decides what, against which of the tasks each may decide by the places of the runs."""
    opened(steps_of(shape, count()))
    people = {name: member(name) for name in PEOPLE}
    tasks = list(ManualTask.unsafe_all_tenants.filter(status="OPEN").order_by("id"))
    places = {run.pk: run.place or [] for run in Run.unsafe_all_tenants.all()}
    before: list[tuple[ManualTask, str]] = []

    def is_barred(task, name):
        return task.bars_deciders and any(
            name == who and is_related(places[task.run_id], places[other.run_id]) for other, who in before
        )

    for number, name in course:
        if not tasks:
            break
        task = tasks[number % len(tasks)]
        if is_barred(task, name):
            with pytest.raises(NotAllowed, match="above or below"):
                decide(people[name], task, "done")
        else:
            decide(people[name], task, "done")
            tasks.remove(task)
            before.append((task, name))
        for who, principal in people.items():
            rows = sources.tasks_of(identity.who_is(principal), view="open")
            offers = {row.pk for row in rows}
            assert offers == {row.pk for row in tasks if not is_barred(row, who)}, (before, who)
            assert all(standing(principal, again(row)).may_decide == (row.pk in offers) for row in tasks)


def test_what_is_asked_later_bars_who_decided_above_or_below_before():
    later = {"steps": [{"id": "late", "type": "job", "queue": "late"}, ask("inner")]}
    body = {"id": "m", "type": "map", "params": {"items": [1, 2], "body": later}}
    run = opened([ask("outer", eyes=False), body])
    (outer,) = ManualTask.unsafe_all_tenants.filter(status="OPEN")
    decide(member("ann"), outer, "done")
    make.complete(*make.claimed("late"), output={})
    make.work()

    inner = ManualTask.unsafe_all_tenants.filter(status="OPEN")
    assert [task.exclude for task in inner] == [["ann"], ["ann"]]
    decide(member("bob"), inner[0], "done")
    assert [task.exclude for task in inner.all()] == [["ann"]]
    assert {*trees.decided_around([run])[run]} == {"ann", "bob"}


def test_a_workflow_that_a_step_runs_is_of_the_tree():
    definition = make.graph([ask("inner")], [])
    make.next_version(make.a_workflow("inner", definition), definition)
    opened([{"id": "sub", "type": "subworkflow", "params": {"workflow": "inner"}}, ask("outer")])
    inner, outer = ManualTask.unsafe_all_tenants.filter(status="OPEN").order_by("node")
    decide(member("ann"), inner, "done")

    with pytest.raises(NotAllowed, match="above or below"):
        decide(member("ann"), outer, "done")


def test_a_decision_that_was_not_seen_when_the_task_was_marked_bars_all_the_same():
    opened([ask("outer"), each("m", [ask("inner")], [1])])
    inner, outer = ManualTask.unsafe_all_tenants.filter(status="OPEN").order_by("node")
    ann = member("ann")
    decide(ann, inner, "done")
    # As if somebody had claimed it at that moment.
    ManualTask.unsafe_all_tenants.filter(pk=outer.pk).update(exclude=[], why_excluded=None)

    with pytest.raises(NotAllowed, match=policies.sentence_of("decider")[:40]):
        decide(ann, outer, "done")
    assert again(outer).status == "OPEN"


def test_decisions_that_a_rerun_keeps_bar_and_others_do_not():
    more = {"id": "pay", "type": "job", "queue": "pay", "retry": "none"}
    steps = [ask("one"), each("m", [ask("inner")], [1]), ask("two"), more]
    edges = ["one>m", "m>two", "two>pay"]
    (run,) = make.start(make.graph(steps, edges))
    make.work()
    for name in PEOPLE:
        (task,) = ManualTask.unsafe_all_tenants.filter(status="OPEN")
        decide(member(name), task, "done")
        make.work()
    make.fail(*make.claimed("pay"))

    make.rerun(run, "two")
    make.work()
    (task,) = ManualTask.unsafe_all_tenants.filter(status="OPEN")
    assert {*task.exclude} == {"ann", "bob"}


@pytest.mark.parametrize("items", [1, 8])
def test_the_number_of_statements_depends_on_no_number_of_runs(items):
    opened([ask("outer"), each("m", [ask("inner")], range(items))])
    outer = ManualTask.unsafe_all_tenants.get(node="outer")
    ann = member("ann")
    with watching() as seen:
        decide(ann, outer, "done")
    assert seen.trips <= 24, seen.trips
    assert all(task.exclude == ["ann"] for task in ManualTask.unsafe_all_tenants.filter(node="inner"))


@pytest.mark.parametrize("kept", [True, False])
def test_whoever_reruns_is_a_requester_too_and_the_first_remains_one(kept):
    steps = [{"id": "first", "type": "noop"}, {"id": "ask", **ask("ask")}]
    steps[1]["params"] |= {"exclude_deciders": False, "exclude_requester": True}
    pay = {"id": "pay", "type": "job", "queue": "pay", "retry": "none"}
    (run,) = make.start(make.graph([*steps, pay], ["first>ask", "ask>pay"]), by="olga")
    make.work()
    decide(member("ann"), ManualTask.unsafe_all_tenants.get(), "done")
    make.work()
    make.fail(*make.claimed("pay"))

    again_id = make.rerun(run, "ask" if kept else "first")
    make.work()

    task = ManualTask.unsafe_all_tenants.get(run_id=again_id)
    assert {*task.exclude} == {"olga", "test"}
    assert {*trees.askers([again_id])[again_id]} == {"olga", "test"}
