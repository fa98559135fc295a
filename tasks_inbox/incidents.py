"""What failed for good, and what was stuck, as tasks for operators, where `HANDOFF_OPERATOR_TASKS` wants them (R-136).

A tick finds what has no task yet, and closes tasks of dead letters that were seen to elsewhere. They are about a run
and not a part of it: its history and its evidence say nothing of them. Settling one is redriving or discarding its dead
letter.
"""

from typing import Any
from uuid import UUID

from django.conf import settings

from accounts import audit
from accounts.principal import Principal
from accounts.roles import RUNS_OPERATE, TASKS_DECIDE
from lib.clock import now_here
from lib.refusals import Conflict, Invalid
from lib.uuid7 import uuid7
from runs.commands import dead_letters
from runs.kernel import live
from runs.kernel.graphs import BrokenVersion, graph_of
from runs.kernel.transaction import changing
from runs.models import DeadLetter
from runs.store.hot import Row
from tasks_inbox import policies, queries, store
from tasks_inbox.compensations import ABANDON, CANDIDATES, DONE, RETRY
from tasks_inbox.models import ManualTask
from tasks_inbox.refused import conflict, task_to_decide

Json = Any
BATCH = 200
DAY_SECONDS = 86_400
FAILED = [
    {"name": RETRY, "label": "Try again", "require_comment": False},
    {"name": ABANDON, "label": "Leave it as it is", "require_comment": True},
]
STUCK = [{"name": DONE, "label": "Seen", "require_comment": False}]
_FAILED_HELP = "The run has failed and waits for nobody. Tried again, it goes on from the step that failed."
_STUCK_HELP = (
    "Nothing would have moved this run any more. Look whether it has done what it should, and say so."
)


def tick() -> int:
    """Open and close tasks of what is wanted; gives how many were opened."""
    wanted = list(settings.HANDOFF_OPERATOR_TASKS)
    if not wanted:
        return 0
    since = UUID(int=int((now_here().timestamp() - DAY_SECONDS) * 1000) << 80)
    tenants = store.close_incidents()
    found = store.new_incidents(wanted, since, BATCH)
    if found:
        tenants += store.open_incidents([_row(one) for one in found])
    if tenants:
        live.tell_inboxes({*tenants})
    return len(found)


def settle(principal: Principal, task_id: UUID, *, resolution: str, reason: str = "") -> ManualTask:
    """Settle an incident: `retry` or `abandon` what failed, or say that it is `done`.

    Raises as `actions.resolve_task`, Invalid for a resolution that it doesn't have, and RunRefused where the run can't
    go on.
    """
    principal.require(TASKS_DECIDE)
    principal.require(RUNS_OPERATE)
    task = task_to_decide(principal, task_id)
    if resolution not in {one["name"] for one in task.outcomes}:
        known = ", ".join(one["name"] for one in task.outcomes)
        raise Invalid(f"Choose one of {known}.", code="unknown_outcome", field="resolution")
    with changing(task.tenant_id, [str(task.run_id)]):
        if not store.settle_incident(task_id, outcome=resolution, comment=reason, by=principal.username):
            raise conflict(queries.task_of(principal.tenant_id, task_id))
        if resolution != DONE:
            _see_to(principal, task, resolution, reason)
        audit.record(principal, f"resolve {resolution}", f"task {task_id}", reason=reason)
        live.tell_inboxes([task.tenant_id])
    return queries.task_of(principal.tenant_id, task_id)


def _see_to(principal: Principal, task: ManualTask, resolution: str, reason: str) -> None:
    found = DeadLetter.objects.for_tenant(task.tenant_id).filter(pk=task.step_id)
    open_ones = list(found.filter(resolution=None))
    if not open_ones:
        raise Conflict("Its dead letter was seen to already.", code="resolved")
    if resolution == ABANDON:
        dead_letters.discard(principal, open_ones, reason=reason)
        return
    for refused in dead_letters.redrive(principal, open_ones, reason=reason).refused.values():
        raise refused


def _row(one: Row) -> Row:
    is_letter = one["what"] is None
    title = _title(one)
    facts = [
        ("Workflow", one["workflow"]),
        ("Business key", one["business_key"]),
        ("What went wrong", _wrong(one)),
        ("Attempts", one["attempts"]),
    ]
    return {
        "id": uuid7(),
        "run_id": one["run_id"],
        "step_id": one["step_id"],
        "node": one["node"],
        "title": f"“{title}” failed for good" if is_letter else f"A run was stuck at “{title}”",
        "instructions": _FAILED_HELP if is_letter else _STUCK_HELP,
        "facts": [{"label": label, "value": value} for label, value in facts if value not in (None, "")],
        "outcomes": FAILED if is_letter else STUCK,
        "candidates": CANDIDATES,
        "audience": policies.audience_of(CANDIDATES),
    }


def _wrong(one: Row) -> str:
    if one["what"] is None:
        return f"{one['error'].get('message', '')} ({one['error'].get('code', '')})"
    became = "It was repaired." if one["done"] else f"It can't be repaired. {one['detail']}".strip()
    return f"{one['what']}: {became}"


def _title(one: Row) -> str:
    name: str = one["node"] or one["workflow"]
    try:
        node = graph_of(one["version_id"]).nodes.get(one["node"])
    except BrokenVersion:
        return name
    return node.title or name if node else name
