"""Decisions that can be undone: the server holds them back for some seconds, and then they count (R-146).

Nothing happened until then, so undoing takes nothing back but the intent. When its time has come, all is checked anew:
what was excluded, decided, cancelled or changed meanwhile does not count, and who decided is told so.
"""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db.models import Q

from accounts import audit
from accounts.principal import Principal
from engine.catalogue import Json
from lib.refusals import Conflict
from lib.uuid7 import uuid7
from runs.kernel import live
from runs.kernel.unit_of_work import changing
from tasks_inbox.actions.decision import Decision, check_decision, encoded, require_seen
from tasks_inbox.actions.locking import LockedTask, lock_task
from tasks_inbox.eligibility.standing import Standing, standing
from tasks_inbox.evidence import presentation
from tasks_inbox.models import FOR_OPERATORS, HeldDecision, ManualTask
from tasks_inbox.store import queries, statements

WHILE_DECIDING = 60
"""Seconds that deciding many together takes at most: none of it counts before all of it is decided."""


def seconds_to_undo(task: ManualTask, outcome: str) -> int:
    """How long a decision of this outcome can be undone; 0: it counts at once, as one that is signed always does."""
    choice = next((one for one in task.outcomes if one["name"] == outcome), None)
    if choice is None or choice.get("sign") or task.kind in FOR_OPERATORS:
        return 0
    usual: int = settings.HANDOFF_UNDO_SECONDS
    return usual if task.undo_seconds is None else task.undo_seconds


def hold_decision(
    principal: Principal, task_id: UUID, decision: Decision, *, batch: UUID | None = None
) -> ManualTask:
    """Have a decision count later; gives the task as it stands then. Takes and raises as `hold`, and Missing."""
    stands = standing(principal, queries.task_of(principal.tenant_id, task_id))
    hold(principal, stands, decision, batch=batch)
    return queries.task_of(principal.tenant_id, task_id)


def hold(principal: Principal, stands: Standing, decision: Decision, *, batch: UUID | None = None) -> None:
    """Decide a task so that it counts when `seconds_to_undo` are over. Meanwhile nobody else decides it, but for those
    who decide beside them. Deciding anew replaces it. `batch` is the same for all that is decided together, of which
    `count_together` says when it counts.

    Raises as a decision that counts at once; Conflict `no_undo` where it does.
    """
    task = stands.task
    stands.require()
    check_decision(task, decision)
    require_seen(decision.seen)
    seconds = seconds_to_undo(task, decision.outcome)
    if not seconds:
        raise Conflict("A decision of this task counts at once.", code="no_undo")
    with changing(task.tenant_id, [str(task.run_id)]):
        locked = lock_task(principal, task.pk, decision.seen)
        fields = {"outcome": decision.outcome, "data": encoded(decision.data), "comment": decision.comment}
        statements.hold_decision(
            uuid7(),
            task=task.pk,
            by=principal.username,
            via=principal.via,
            seconds=seconds + (WHILE_DECIDING if batch else 0),
            # Whatever they said that they had read, it is about what is asked now.
            seen=presentation.hash_of(locked.task, principal.username),
            batch=batch,
            fields=fields | {"on_behalf_of": locked.on_behalf_of},
        )
        audit.record(principal, f"hold back {decision.outcome}", f"task {task.pk}", reason=decision.why)
        live.tell_inboxes([task.tenant_id])


def redeem(decision: HeldDecision, locked: LockedTask) -> None:
    """Take out a decision whose time has come, behind the lock of its task, so that it counts. Raises Conflict where it
    was taken back, or would be in another's place now.
    """
    if statements.drop_held(decision.task_id, decision.username, decision.pk) is None:
        raise Conflict("This was taken back.", code="taken_back")
    if decision.on_behalf_of != locked.on_behalf_of:
        was, now = decision.on_behalf_of or "yourself", locked.on_behalf_of or "yourself"
        message = f"You decided this for {was}, and would decide it for {now} now: decide it again."
        raise Conflict(message, code="task_changed")


def count_together(principal: Principal, batch: UUID) -> dict[UUID, datetime]:
    """Have what they decided together count together, so that all of it can be undone as long; gives when, by task."""
    statements.count_together(principal.tenant_id, principal.username, batch, sooner=WHILE_DECIDING)
    live.tell_inboxes([principal.tenant_id])
    decisions = HeldDecision.objects.for_tenant(principal.tenant_id)
    decisions = decisions.filter(username=principal.username, batch=batch, refused__isnull=True)
    return dict(decisions.values_list("task_id", "until"))


def undo_decision(principal: Principal, task_id: UUID, *, reason: str | None = None) -> dict[str, Json]:
    """Take back what one is about to decide; gives what it said (`outcome`, `data`, `comment`, `refused`).

    Raises Missing, and Conflict `nothing_to_undo` where it counts already or there was none.
    """
    task = queries.task_of(principal.tenant_id, task_id)
    with changing(task.tenant_id, [str(task.run_id)]):
        was = statements.drop_held(task_id, principal.username)
        if was is None:
            raise Conflict("There is nothing left to undo.", code="nothing_to_undo")
        audit.record(principal, f"undo {was['outcome']}", f"task {task_id}", reason=reason)
        live.tell_inboxes([task.tenant_id])
    return was


def held_of(principal: Principal, among: Collection[UUID] = ()) -> list[HeldDecision]:
    """What somebody is about to decide, and what of that did not count, the next to count first; with it what others
    are about to decide `among` these tasks.
    """
    condition = Q(username=principal.username)
    if among:
        condition |= Q(task_id__in=among, refused__isnull=True)
    return list(
        HeldDecision.objects.for_tenant(principal.tenant_id).filter(condition).order_by("until", "pk")
    )
