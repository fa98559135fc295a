"""Which tasks a person is shown, and that lists offer exactly what may be done."""

import pytest

from lib.refusals import Refusal
from tasks_inbox.actions import assignment
from tasks_inbox.eligibility import identity
from tasks_inbox.models import ManualTask
from tasks_inbox.reading import listing, sources, task_rows
from tasks_inbox.store import queries
from tests import factories as make
from tests.inbox.asking import approval, asked, decide, member
from tests.store.watching import watching


def seen(who, view):
    return {task.title for task in sources.tasks_of(identity.who_is(who), view=view)}


def test_mine_open_and_done():
    ann = member("ann", "approver", "Finance")
    for title, params in {
        "anybody": {},
        "ann": {"candidates": {"users": ["Ann"]}},
        "finance": {"candidates": {"groups": ["FINANCE"]}},
        "legal": {"candidates": {"groups": ["Legal"]}},
        "not ann": {"exclude": ["ann"]},
        "claimed": {},
        "done": {},
    }.items():
        task = asked(approval(**{**params, "title": title}))
        if title == "claimed":
            assignment.claim_task(ann, task.pk)
        if title == "done":
            decide(ann, task)
    assert seen(ann, "mine") == {"claimed"}
    assert seen(ann, "open") == {"anybody", "ann", "finance"}
    assert seen(ann, "done") == {"done"}
    assert listing.waiting_for(identity.who_is(ann)) == 4
    viewer = member("vic", "viewer")
    assert (seen(viewer, "open"), listing.waiting_for(identity.who_is(viewer))) == (set(), 0)
    assert len(seen(viewer, None)) == 7


@pytest.mark.parametrize("role", ["viewer", "approver", "operator", "admin"])
def test_what_a_list_offers_may_be_done_and_nothing_else(role):
    who = member("ann", role, "Finance")
    offers = [
        {},
        {"candidates": {"users": ["ann"]}},
        {"candidates": {"roles": ["approver"]}},
        {"candidates": {"roles": ["admin"], "groups": ["finance"]}},
        {"candidates": {"groups": ["Legal"]}},
        {"candidates": {"users": ["ann"]}, "exclude": ["ANN"]},
    ]
    tasks = [asked(approval(**params)) for params in offers]
    offered = {task.pk for task in sources.tasks_of(identity.who_is(who), view="open")}
    for task in tasks:
        try:
            decide(who, task)
        except Refusal:
            assert task.pk not in offered
        else:
            assert task.pk in offered


def test_a_list_takes_few_statements():
    make.start(approval(), *({"amount": n} for n in range(30)))
    make.work()
    ann = member("ann")
    with watching() as wire:
        who = identity.who_is(ann)
        tasks = list(sources.tasks_of(who, view="open"))
        names = queries.workflows_of(who.tenant_id, tasks)
        assert len(task_rows.list_rows(tasks, names, who)) == 30
    assert wire.trips == 3


def test_every_task_is_its_runs():
    task = asked()
    run = make.run(str(task.run_id))
    assert (task.tenant_id, task.shard, task.workflow_id) == (run.tenant_id, run.shard, run.workflow_id)
    assert ManualTask.objects.for_tenant(run.tenant_id).get() == task
