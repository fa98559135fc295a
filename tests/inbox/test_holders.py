"""A task whose holder can't decide it any more is given back to all whom it asks; if nobody is left, that is told."""

import logging

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts import members
from accounts.models import GroupMember, Membership, User
from lib import named_sql
from tasks_inbox.actions import assignment
from tasks_inbox.duties import undecidable
from tasks_inbox.models import ManualTask
from tests.inbox.asking import again, approval, asked, decide, hand, member

LEGAL = {"candidates": {"groups": ["Legal"]}}


def leaves_the_group(task):
    GroupMember.unsafe_all_tenants.filter(membership__user__username="ann").delete()


def leaves(task):
    members.remove_member(member("boss", "admin"), "ann")


def is_deactivated(task):
    User.objects.filter(username="ann").update(is_active=False)


def loses_the_role(task):
    Membership.unsafe_all_tenants.filter(user__username="ann").update(role="viewer")


def is_barred(task):
    ManualTask.unsafe_all_tenants.filter(pk=task.pk).update(exclude=["ann"])


WAYS = [leaves_the_group, leaves, is_deactivated, loses_the_role, is_barred]


def claimed(ann, task):
    assignment.claim_task(ann, task.pk)


def assigned(ann, task):
    assignment.assign_task(member("olga", "operator"), task.pk, "ann")


def delegated(ann, task):
    hand(member("bob", "approver", "Legal"), task, "ann")


HOLDS = [claimed, assigned, delegated]


@pytest.mark.parametrize("is_gone", WAYS)
@pytest.mark.parametrize("holds", HOLDS)
def test_others_whom_it_asks_can_decide_it(caplog, holds, is_gone):
    ann, bob = member("ann", "approver", "Legal"), member("bob", "approver", "Legal")
    task = asked(approval(**LEGAL))
    holds(ann, task)
    is_gone(task)
    with caplog.at_level(logging.INFO, "handoff.audit"):
        assert undecidable.tick() == 0
    if holds is delegated and is_gone is leaves_the_group:
        # Who was handed it need not be asked.
        assert again(task).assignee == "ann"
        return
    assert (again(task).assignee, again(task).delegated_by) == (None, None)
    if is_gone is not leaves:
        assert f"unclaim task {task.pk} by the server" in caplog.text
    assert decide(bob, task).decided_by == "bob"


@pytest.mark.parametrize("is_gone", WAYS)
@pytest.mark.parametrize("holds", [claimed, assigned])
def test_where_nobody_else_is_asked_that_is_told(holds, is_gone):
    ann = member("ann", "approver", "Legal")
    task = asked(approval(**LEGAL))
    holds(ann, task)
    is_gone(task)
    assert undecidable.tick() == 1
    assert (again(task).assignee, again(task).undecidable_since is None) == (None, False)


def test_many_are_given_back_in_as_many_statements_as_one():
    ann, _ = member("ann", "approver", "Legal"), member("bob", "approver", "Legal")

    def cost(count):
        for _ in range(count):
            claimed(ann, asked(approval(**LEGAL)))
        leaves_the_group(None)
        named = []
        named_sql.watchers.append(named.append)
        try:
            with CaptureQueriesContext(connection) as orm:
                undecidable.tick()
        finally:
            named_sql.watchers.remove(named.append)
        member("ann", "approver", "Legal")
        return len(orm) + len(named)

    assert cost(1) == cost(6) <= 14
    assert not ManualTask.unsafe_all_tenants.filter(assignee__isnull=False).exists()
