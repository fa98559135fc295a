"""Before somebody leaves a group, has another role or is deactivated it is said which tasks nobody could decide then.

What is foretold is compared with what the duty finds after the change.
"""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts import members, services
from accounts.models import Group, Membership
from accounts.ports import SeatChange, impact_of
from tasks_inbox.duties import undecidable
from tests import factories as make
from tests.inbox.asking import again, approval, asked, decide, hand, member

LEGAL = {"candidates": {"groups": ["Legal"]}}
BY_NAME = {"candidates": {"users": ["ann"]}}
TWO = {"candidates": {"groups": ["Legal"]}, "quorum": {"need": 2}}
ALL = {"candidates": {"groups": ["Legal"]}, "quorum": {"need": "all"}}


def tenant():
    return make.a_tenant().pk


def legal():
    return Group.unsafe_all_tenants.get(key="legal")


def leaves(boss):
    members.remove_member(boss, "ann")


def is_deactivated(boss):
    members.set_active(boss, "ann", False, reason="left")


def loses_the_role(boss):
    members.change_member(boss, "ann", role="viewer")


def leaves_the_group(boss):
    services.change_groups_of(boss, "ann", [])


def deletes_the_group(boss):
    services.delete_group(boss, legal().pk)


WAYS = {
    leaves: lambda: SeatChange(gone=frozenset({"ann"})),
    is_deactivated: lambda: SeatChange(gone=frozenset({"ann"})),
    loses_the_role: lambda: SeatChange(roles={"ann": "viewer"}),
    leaves_the_group: lambda: SeatChange(groups={"legal": frozenset({"bob", "cyd"})}),
    deletes_the_group: lambda: SeatChange(groups={"legal": frozenset()}),
}


@pytest.mark.parametrize("others", [(), ("bob",), ("bob", "cyd")])
@pytest.mark.parametrize("params", [LEGAL, BY_NAME, TWO, ALL, {}])
@pytest.mark.parametrize("way", WAYS)
def test_what_is_foretold_is_what_the_duty_finds(way, params, others):
    boss, ann = member("boss", "admin"), member("ann", "approver", "Legal")
    for name in others:
        member(name, "approver", "Legal")
    task = asked(approval(**params))
    if "quorum" in params and others:
        decide(ann, task)
    undecidable.tick()
    was_stuck = again(task).undecidable_since is not None
    foretold = [one[0] for one in impact_of(tenant(), WAYS[way]()).tasks]
    way(boss)
    undecidable.tick()
    row = again(task)
    is_stuck = row.status == "OPEN" and row.undecidable_since is not None and not was_stuck
    assert foretold == ([str(task.pk)] if is_stuck else [])


def test_a_form_of_who_started_the_run_and_what_was_delegated_count():
    member("bob", "approver", "Legal")
    ann = member("ann", "approver")
    handed = asked(approval(**LEGAL))
    hand(member("bob", "approver", "Legal"), handed, "ann")
    Membership.unsafe_all_tenants.filter(user__username="bob").update(role="viewer")
    assert [one[0] for one in impact_of(ann.tenant_id, SeatChange(gone=frozenset({"ann"}))).tasks] == [
        str(handed.pk)
    ]
    assert impact_of(ann.tenant_id, SeatChange(gone=frozenset({"nobody"}))).tasks == []


def test_many_tasks_are_looked_at_in_as_many_statements_as_one():
    member("ann", "approver", "Legal")
    member("bob", "approver", "Legal")

    def cost(count):
        for _ in range(count):
            asked(approval(**TWO))
            asked(approval(**BY_NAME))
        with CaptureQueriesContext(connection) as queries:
            impact = impact_of(tenant(), SeatChange(gone=frozenset({"ann"})))
        return len(impact.tasks), len(queries)

    assert (cost(1), cost(3)) == ((2, 4), (8, 4))
