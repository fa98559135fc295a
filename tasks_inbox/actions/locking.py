"""A task that one person alone has for a moment: who may decide it is asked again behind the lock."""

from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from accounts.names import key_of
from accounts.principal import Principal
from lib.refusals import Conflict
from runs.kernel import live
from runs.kernel.wake import Waiters, wake
from runs.store.attempts import Done, Ending, Held, Locked
from tasks_inbox.eligibility import identity
from tasks_inbox.eligibility.quorum import needs_several
from tasks_inbox.eligibility.refusals import being_decided, conflict, task_to_answer
from tasks_inbox.evidence import presentation
from tasks_inbox.models import ManualTask
from tasks_inbox.store import queries, statements

Json = Any


def held_by(principal: Principal, task_id: UUID, seen: str | None) -> tuple[ManualTask, Mapping[str, Json]]:
    """An open task that they alone have now, and what its record tells of it. Its run must be had alone.

    Raises as `complete_task`: another decision may have barred who decides, or changed what is asked.
    """
    task = task_to_answer(principal, task_id)
    who = identity.who_is(principal)
    absent = who.stands_in_for(task)
    keys = [key_of(name) for name in (principal.username, absent) if name]
    handed = absent is None and not who.is_asked(task)
    held = statements.hold_task(task_id, by=principal.username, keys=keys, handed=handed, absent=absent)
    if held is None:
        raise conflict(queries.task_of(principal.tenant_id, task_id))
    # Asked behind the task's lock, which who adds a file or holds a decision back has, too.
    if seen is not None and (changed := presentation.changed_since(task, principal.username, seen)):
        raise Conflict(changed, code="task_changed")
    if not needs_several(task.quorum) and (other := statements.held_by_another(task_id, principal.username)):
        raise being_decided(task, other)
    return task, held if absent is None else held | {"on_behalf_of": absent}


def have_alone(task: ManualTask, cast: Callable[[], Done | None]) -> None:
    """Cast a vote while nobody else has the run of a task; where it ends the step, that ends with it."""

    def decide(_: Mapping[str, Locked], waiters: Waiters) -> list[tuple[Held, Ending]]:
        waiting = {held.id: held for held, _ in waiters([str(task.run_id)])}
        if (step := waiting.get(str(task.step_id))) is None:
            raise conflict(queries.task_of(task.tenant_id, task.pk))
        done = cast()
        return [] if done is None else [(step, done)]

    wake(task.tenant_id, [str(task.run_id)], "task", decide)
    live.tell_inboxes([task.tenant_id])
