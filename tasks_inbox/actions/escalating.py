"""Escalating by hand: the next level of a task's escalation comes now, or others are asked whom its author didn't name.

Nobody makes themselves eligible by that: who isn't asked can only bring the next level about (R-148).
"""

from collections.abc import Mapping, Sequence
from uuid import UUID

from accounts import audit
from accounts.principal import Principal
from lib.refusals import Conflict, Invalid
from runs.kernel import live
from runs.kernel.unit_of_work import changing
from tasks_inbox.eligibility import policies
from tasks_inbox.eligibility.assigning import may_assign
from tasks_inbox.eligibility.electors import members_of
from tasks_inbox.eligibility.identity import Who
from tasks_inbox.eligibility.refusals import conflict, open_task
from tasks_inbox.eligibility.standing import to_decide
from tasks_inbox.eligibility.undecidable import is_undecidable
from tasks_inbox.lifecycle import asking
from tasks_inbox.lifecycle.asking import moved, replaced
from tasks_inbox.limits import TASK_REASON_CHARACTERS
from tasks_inbox.models import FOR_OPERATORS, ManualTask
from tasks_inbox.store import queries, statements

Named = Mapping[str, Sequence[str]]


def escalate_task(
    principal: Principal,
    task_id: UUID,
    *,
    to: Named | None = None,
    reason: str | None = None,
    who: Who | None = None,
) -> ManualTask:
    """Have a task ask others, too: those `to` names (`users`, `groups`, `roles`), else its next level.

    For who may decide it; its next level also for who may assign tasks, and others where nobody, or not enough, can
    decide it: then those whom they name decide in place of who can't. `who` as in `standing`. Raises Missing,
    NotAllowed, Conflict where it is closed or returned or has no further level (`no_level`), Invalid at `reason` and
    `to`.
    """
    why = (reason or "").strip()
    candidates = {kind: list(names) for kind, names in (to or {}).items() if names}
    repairs = bool(candidates) and _repairs(principal, task_id)
    task = _task(principal, task_id, who, needs_asked=bool(candidates) and not repairs)
    if not why:
        raise Invalid("Say why.", code="required", field="reason")
    if len(why) > TASK_REASON_CHARACTERS:
        message = f"A reason has at most {TASK_REASON_CHARACTERS:,} characters."
        raise Invalid(message, code="max_length", field="reason")
    if candidates:
        _decides_then(task, candidates)
    with changing(task.tenant_id, [str(task.run_id)]):
        # Whoever waited for the lock for long may be somebody else by now: asked anew.
        current = _task(principal, task_id, None, needs_asked=bool(candidates) and not repairs)
        level = {"do": "escalate", "to": candidates} if candidates else asking.next_level(current)
        if level is None:
            raise Conflict("It has no further level: name who else to ask.", code="no_level")
        moments = [moment for moment in current.clock or () if moment != level]
        escalation = level | {"by": principal.username, "reason": why}
        addressees, events = moved(
            replaced(current, principal.username) if repairs else current, [escalation]
        )
        statements.move_clock(task_id, moments=moments, addressees=addressees, events=events, at=None)
        audit.record(principal, "escalate", f"task {task_id}", reason=why)
        live.tell_inboxes([task.tenant_id])
    return queries.task_of(principal.tenant_id, task_id)


def _repairs(principal: Principal, task_id: UUID) -> bool:
    """Whether who may assign tasks says who decides one that nobody, or not enough, can decide."""
    task = open_task(principal, task_id)
    return may_assign(principal, task) and is_undecidable(task)


def _task(principal: Principal, task_id: UUID, who: Who | None, *, needs_asked: bool) -> ManualTask:
    task = open_task(principal, task_id)
    if needs_asked or not may_assign(principal, task):
        task = to_decide(principal, task_id, who).task
    if task.returned_to is not None:
        raise conflict(task)
    if task.kind in FOR_OPERATORS:
        message = "This task already asks all operators and admins."
        raise Conflict(message, code="is_a_compensation")
    return task


def _decides_then(task: ManualTask, candidates: Named) -> None:
    """Lets pass whom it makes sense to ask. Raises Invalid: somebody among them must be able to decide."""
    marks = set(policies.audience_of(candidates))
    members = [one for one in members_of(task.tenant_id) if one.answers(marks, task.folder)]
    able = [one for one in members if not policies.is_excluded(task, one.username)]
    if not able:
        all_excluded, none_decides = (
            "Whoever you named is excluded from deciding this.",
            "Nobody you named may decide tasks.",
        )
        raise Invalid(all_excluded if members else none_decides, code="not_a_candidate", field="to")
    if all(one.answers(task.audience, task.folder) for one in able):
        raise Invalid("It already asks them.", code="asked_already", field="to")
