"""What happens to a task while nobody decides it: reminders, escalation, and an outcome when its time is up.

A moment and its effect are one transaction that has the run alone, as a decision is: whoever is first decides what
happens, who comes second finds it done (R-145, R-148).
"""

import logging
import time
from uuid import UUID

from lib.refusals import Conflict
from runs.kernel import live
from runs.kernel.refused import RunRefused
from runs.kernel.unit_of_work import changing
from tasks_inbox.actions.deciding import end_at_deadline
from tasks_inbox.duties import settling
from tasks_inbox.lifecycle.asking import moved
from tasks_inbox.store import queries, statements

BATCH = 200
TICK_SECONDS = 0.8
log = logging.getLogger("handoff.tasks")


def tick(seconds: float = TICK_SECONDS) -> int:
    """Do what has come for tasks, for at most `seconds`; gives how many tasks were found."""
    until, count, last = time.monotonic() + seconds, 0, None
    # One behind the other: what can't be done now keeps nothing else back.
    while batch := statements.due_tasks(BATCH, last):
        for last in batch:
            task, tenant, _ = last
            try:
                _strike(tenant, task)
            except Exception:
                log.exception("what has come for task %s could not be done", task)
            count += 1
            if time.monotonic() >= until:
                return count
    return count


def _strike(tenant: int, task_id: UUID) -> None:
    task = queries.task_of(tenant, task_id)
    try:
        with changing(tenant, [str(task.run_id)]):
            outcome = _come(task_id, tenant)
            live.tell_inboxes([tenant])
        # What was decided in time counts, also where it can still be undone.
        if outcome is not None and not settling.settle_before_deadline(task):
            end_at_deadline(task, outcome)
    except (Conflict, RunRefused):
        # Somebody decided it, or its run ended, between looking and having it.
        return


def _come(task_id: UUID, tenant: int) -> str | None:
    """Do the moments of a task that have come, in its run's lock; gives the outcome with which it is to end."""
    row = statements.moments_due(task_id)
    if row is None or not row[0]:
        return None
    count, at = row
    task = queries.task_of(tenant, task_id)
    due, rest = task.clock[:count], task.clock[count:]
    end = next((moment for moment in due if moment["do"] == "end"), None)
    # It stays until the task has ended: a process that dies before that leaves it to the next tick.
    rest = [end, *rest] if end else rest
    addressees, events = moved(task, [moment for moment in due if moment is not end])
    if events:
        statements.move_clock(task_id, moments=rest, addressees=addressees, events=events, at=at)
    return end["outcome"] if end else None
