"""All open tasks of a run are given to somebody while others take or decide them: all are given, or none."""

import pytest

from lib.refusals import Conflict
from runs.commands.reassigning import Taker, reassign_run
from tasks_inbox.actions import assignment
from tasks_inbox.models import ManualTask
from tests import factories as make
from tests.inbox.asking import decide, member
from tests.races.staging import blocked, holding

TITLES = ("First?", "Second?")
ASKS_TWO = make.graph(
    [
        {"id": f"ask{n}", "type": "human.approval", "params": {"title": title}}
        for n, title in enumerate(TITLES)
    ],
    [],
)


def asked_two() -> tuple[str, list[ManualTask]]:
    """A run that asks two at once, and what it asks."""
    (run_id,) = make.start(ASKS_TWO, {})
    make.work()
    return run_id, tasks_of(run_id)


def tasks_of(run_id: str) -> list[ManualTask]:
    return list(ManualTask.unsafe_all_tenants.filter(run_id=run_id).order_by("id"))


def test_who_takes_one_meanwhile_comes_too_late(rounds):
    boss, bob = member("boss", "admin"), member("bob")
    member("ann")
    for _ in rounds:
        run_id, (_, second) = asked_two()
        with holding(lambda run=run_id: reassign_run(boss, run, Taker("ann")), before="give_task"):
            claim = blocked(lambda task=second: assignment.claim_task(bob, task.pk))
        with pytest.raises(Conflict, match="ann has claimed"):
            claim.end()
        assert [task.assignee for task in tasks_of(run_id)] == ["ann", "ann"]


def test_who_decides_one_meanwhile_comes_too_late(rounds):
    boss, bob = member("boss", "admin"), member("bob")
    member("ann")
    for _ in rounds:
        run_id, (_, second) = asked_two()
        with holding(lambda run=run_id: reassign_run(boss, run, Taker("ann")), before="give_task"):
            late = blocked(lambda task=second: decide(bob, task))
        with pytest.raises(Conflict):
            late.end()
        assert [(task.assignee, task.status) for task in tasks_of(run_id)] == [("ann", "OPEN")] * 2


def test_what_is_decided_first_is_no_task_to_be_given(rounds):
    boss, bob = member("boss", "admin"), member("bob")
    member("ann")
    for _ in rounds:
        run_id, (first, _) = asked_two()
        with holding(lambda task=first: decide(bob, task), before="advance"):
            late = blocked(lambda run=run_id: reassign_run(boss, run, Taker("ann")))
        late.end()
        assert [(task.assignee, task.status) for task in tasks_of(run_id)] == [
            (None, "COMPLETED"),
            ("ann", "OPEN"),
        ]
