"""A task that one person alone has for a moment: how they stand to it is asked again behind the lock."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from uuid import UUID

from accounts.names import key_of
from accounts.principal import Principal
from engine.catalogue import Json
from lib.refusals import Conflict
from runs.commands import withheld
from runs.kernel import live
from runs.kernel.unit_of_work import changing
from runs.store.attempts import Succeeded
from runs.store.waits import waiters
from tasks_inbox.eligibility.quorum import needs_several
from tasks_inbox.eligibility.refusals import being_decided, conflict
from tasks_inbox.eligibility.standing import to_answer
from tasks_inbox.evidence import presentation
from tasks_inbox.evidence.approves import Approves, of_task
from tasks_inbox.models import ManualTask
from tasks_inbox.store import queries, statements


@dataclass(frozen=True, slots=True)
class LockedTask:
    """An open task that nobody else has now; what its record tells of its run and on whose behalf it is decided, and what its
    decision covers.
    """

    task: ManualTask
    facts: Mapping[str, Json]
    approves: Approves | None

    @property
    def on_behalf_of(self) -> str | None:
        """On whose behalf it is decided: of whom they stand in for, or of who handed it to them."""
        behalf: str | None = self.facts["on_behalf_of"]
        return behalf


def lock_task(principal: Principal, task_id: UUID, seen: str | None) -> LockedTask:
    """Lock a task that is theirs to decide, and is as they have `seen` it. Its run must be locked.

    Raises as `Standing.require`: another decision may have barred who decides; Conflict where it was changed, or is
    somebody else's now.
    """
    stands = to_answer(principal, task_id)
    task, absent = stands.task, stands.stands_in_for
    keys = [key_of(name) for name in (principal.username, absent) if name]
    is_handed = not stands.is_asked if absent is None else task.delegated_by is not None
    facts = statements.hold_task(
        task_id, by=principal.username, keys=keys, is_handed=is_handed, absent=absent
    )
    if facts is None:
        raise conflict(queries.task_of(principal.tenant_id, task_id))
    # Asked behind the task's lock, which who adds a file or holds a decision back has, too.
    approves = of_task(task)
    if seen is not None and (change := presentation.changed_since(task, principal.username, seen, approves)):
        raise Conflict(change, code="task_changed")
    if not needs_several(task.quorum) and (other := statements.held_by_another(task_id, principal.username)):
        raise being_decided(task, other)
    return LockedTask(task, facts if absent is None else facts | {"on_behalf_of": absent}, approves)


def with_run_locked(task: ManualTask, cast: Callable[[], Succeeded | None], *, by: str) -> bool:
    """Cast a vote while nobody else has the run of a task; gives whether it ended the wait of the step.

    The step ends with it; one that was withheld begins, or fails. `by`: who votes.
    """
    with changing(task.tenant_id, [str(task.run_id)]) as change:
        waiting = waiters(task.tenant_id, [str(task.run_id)], "task", [str(task.step_id)])
        if not waiting:
            raise conflict(queries.task_of(task.tenant_id, task.pk))
        [(step, wait)] = waiting
        result = cast()
        if result is not None and withheld.is_withheld(wait):
            withheld.decide(change, step, wait, result, by=by)
        elif result is not None:
            change.transition.wake([(step, result)], change.locked)
    live.tell_inboxes([task.tenant_id])
    return result is not None
