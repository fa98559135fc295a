"""Runs that ask people, and the people."""

from typing import Any

from accounts.models import Group, GroupMember, Membership, User
from accounts.names import key_of
from accounts.principal import Principal
from accounts.roles import SCOPES_OF_ROLE
from tasks_inbox import actions
from tasks_inbox.models import ManualTask
from tests import factories as make

Json = Any


def approval(*, type: str = "human.approval", more: Json = (), **params: Json) -> dict[str, Json]:
    """A definition that asks, then goes on to `yes` or `no` (`after` for a form)."""
    ask = {"id": "ask", "type": type, "params": {"title": "Refund {{ input.amount }} EUR?", **params}}
    if type == "human.form":
        return make.graph([ask, "after", *more], ["ask>after"])
    edges = [
        {"from": "ask", "to": "yes", "branch": "approved"},
        {"from": "ask", "to": "no", "branch": "rejected"},
    ]
    return make.graph([ask, "yes", "no", *more], edges)


def asked(definition: dict[str, Json] | None = None, **given: Json) -> ManualTask:
    """The one task of a run of this definition that was started and waits."""
    (run_id,) = make.start(definition or approval(), {"amount": 40, **given})
    make.work()
    return task_of(run_id)


def task_of(run_id: object) -> ManualTask:
    """The newest task of a run."""
    return ManualTask.unsafe_all_tenants.filter(run_id=run_id).latest("id")


def again(task: ManualTask) -> ManualTask:
    """The task as it stands now."""
    return ManualTask.unsafe_all_tenants.get(pk=task.pk)


def member(name: str, role: str = "approver", *groups: str) -> Principal:
    """A member of the default tenant, in these groups, who asks."""
    tenant = make.a_tenant()
    user, _ = User.objects.get_or_create(username=name)
    seat, _ = Membership.unsafe_all_tenants.get_or_create(tenant=tenant, user=user, defaults={"role": role})
    for group in groups:
        found, _ = Group.unsafe_all_tenants.get_or_create(
            tenant=tenant, key=key_of(group), defaults={"name": group}
        )
        GroupMember.unsafe_all_tenants.get_or_create(tenant=tenant, group=found, membership=seat)
    return Principal(tenant.pk, tenant.slug, user.pk, name, role, SCOPES_OF_ROLE[role], "session")


def decide(who: Principal, task: ManualTask, outcome: str = "approved", **more: Json) -> ManualTask:
    """They decide it."""
    return actions.complete_task(who, task.pk, outcome=outcome, **more)
