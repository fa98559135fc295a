"""Runs that ask people, and the people."""

from collections.abc import Iterable
from uuid import UUID

from accounts.principal import Principal
from accounts.queries import member_principal
from engine.catalogue import Json
from tasks_inbox.actions import assignment, bulk, comments, deciding, resolving
from tasks_inbox.actions.decision import Decision
from tasks_inbox.evidence import presentation
from tasks_inbox.models import ManualTask, TaskComment
from tests import factories as make

ORDER = {
    "name": "order",
    "nodes": [
        {"id": "paid", "type": "transform", "params": {"set": {"order": "{{ input.order }}"}}},
        {
            "id": "approve",
            "type": "human.approval",
            "params": {
                "title": "Ship order {{ input.order }}?",
                "facts": {"City": "{{ input.city }}"},
                "candidates": {"groups": ["Compliance"]},
                "due_seconds": 172_800,
            },
        },
        {"id": "ship", "type": "transform", "params": {"set": {"by": "{{ steps.approve.output.by }}"}}},
        {"id": "stop", "type": "noop"},
    ],
    "edges": [
        {"from": "paid", "to": "approve"},
        {"from": "approve", "to": "ship", "branch": "approved"},
        {"from": "approve", "to": "stop", "default": True},
    ],
}
"""An order that compliance must approve before it is shipped."""


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
    seat = make.MembershipFactory(user__username=name, role=role)
    for group in groups:
        make.GroupMemberFactory(membership=seat, group__name=group)
    return member_principal(seat.tenant_id, name, "session")


def read(who: Principal, task: ManualTask | UUID) -> str:
    """What a decision says when they have read the task as it is now."""
    id = task.pk if isinstance(task, ManualTask) else task
    return presentation.hash_of(ManualTask.unsafe_all_tenants.get(pk=id), who.username)


def deciding_together(who: Principal, ids: Iterable[UUID], outcome: str, **more: Json) -> bulk.BulkCommand:
    """What decides these tasks together, as they have read them."""
    seen = {str(id): read(who, id) for id in ids}
    return bulk.BulkCommand(bulk.DECIDE, outcome=outcome, seen=seen, **more)


def decide(who: Principal, task: ManualTask, outcome: str = "approved", **more: Json) -> ManualTask:
    """They decide it, as they have read it unless `seen` says otherwise."""
    password = more.pop("password", None)
    more.setdefault("seen", read(who, task))
    return deciding.complete_task(who, task.pk, Decision(outcome, **more), password=password)


def hand(who: Principal, task: ManualTask, to: str, reason: str | None = None) -> ManualTask:
    """They hand it to somebody."""
    return assignment.delegate_task(who, task.pk, to, reason=reason)


def say(who: Principal, task: ManualTask, text: str, **more: Json) -> TaskComment:
    """They say something of it."""
    return comments.add_comment(who, task.pk, text, **more)


def booking(**undo: Json) -> dict[str, Json]:
    """A definition of three jobs, two of which can be undone; each in a queue of its name, undoing in `undo`."""
    undo = {"type": "job", "queue": "undo", "retry": "none", **undo}
    names = {"reserve": "Reserve a room", "charge": "Charge the card"}
    nodes = [
        {"id": name, "type": "job", "queue": name, "title": title, "retry": "none", "compensate": undo}
        for name, title in names.items()
    ]
    last = {"id": "tell", "type": "job", "queue": "tell", "retry": "none"}
    return make.graph([*nodes, last], ["reserve>charge", "charge>tell"])


def not_undone(*inputs: Json, output: Json = None, **undo: Json) -> list[str]:
    """Runs that wait for a person, because charging the card could not be undone."""
    runs = make.start(booking(**undo), *(inputs or ({"order": 1},)))
    make.complete(*make.claimed("reserve"), output={"room": 5})
    make.complete(*make.claimed("charge"), output=output or {"receipt": "ch_1"})
    make.fail(*make.claimed("tell"))
    make.fail(*make.claimed("undo"), code="BankDown")
    return runs


def stuck(**more: Json) -> ManualTask:
    """The task of one such run."""
    (run_id,) = not_undone(**more)
    return task_of(run_id)


def resolve(who: Principal, task: ManualTask, resolution: str, reason: str = "") -> ManualTask:
    """They resolve it."""
    return resolving.resolve_task(who, task.pk, resolution=resolution, reason=reason)


def undo_the_rest() -> list[str]:
    """Undo what is to be undone, one after another; gives the nodes in their order."""
    names = []
    while steps := make.claimed("undo"):
        names += [step.node for step in steps]
        make.complete(*steps, output={})
    return names
