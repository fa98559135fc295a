"""Decisions that were held back count when their time has come, as things are then."""

import logging
from functools import partial
from uuid import UUID

from accounts.queries import member_principal
from lib.apart import one_by_one
from lib.refusals import Refusal
from runs.kernel import live
from runs.kernel.refused import RunRefused
from tasks_inbox.actions import deciding, holding
from tasks_inbox.actions.decision import Decision
from tasks_inbox.models import HeldDecision, ManualTask
from tasks_inbox.store import queries, statements

BATCH = 200
POSTPONED_SECONDS = 10.0
log = logging.getLogger("handoff.tasks")


def tick() -> int:
    """Have those count whose time has come, at most so many at once; gives how many there were."""
    due = statements.due_held(BATCH)
    one_by_one(due, lambda one: settle(one[1], one[0]), log, _postponed)
    return len(due)


def _postponed(due: tuple[UUID, int, UUID]) -> str:
    """What to say of one that could not be counted: it is tried again behind all others, and holds up nobody else's."""
    decision_id, _tenant, task = due
    statements.postpone_held(decision_id, POSTPONED_SECONDS)
    return f"the decision {decision_id} of task {task} does not count yet"


def settle_before_deadline(task: ManualTask) -> bool:
    """Have what was decided of a task before its deadline count now; False where nothing that counts was."""
    decisions = HeldDecision.objects.for_tenant(task.tenant_id).filter(task_id=task.pk, refused__isnull=True)
    for decision in decisions.order_by("until", "pk"):
        settle(task.tenant_id, decision.pk)
    return queries.task_of(task.tenant_id, task.pk).status != task.status


def settle(tenant: int, held_id: UUID) -> None:
    """Have a decision count that was held back, for the one who made it, as things are now."""
    decision = HeldDecision.objects.for_tenant(tenant).filter(pk=held_id, refused__isnull=True).first()
    if decision is None:
        return
    try:
        deciding.complete_task(
            member_principal(tenant, decision.username, decision.via),
            decision.task_id,
            decision=Decision(decision.outcome, decision.data, decision.comment, decision.seen),
            guard=partial(holding.redeem, decision),
            # It was asked for when it was held back.
            confirms=False,
        )
    except (Refusal, RunRefused) as refusal:
        statements.refuse_held(decision.pk, refusal.message)
        live.tell_inboxes([tenant])
