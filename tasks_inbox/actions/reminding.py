"""Reminding those who are asked of their tasks, because whoever asked for the run wants it."""

from collections.abc import Sequence
from uuid import UUID

from runs.kernel import live
from tasks_inbox.store import statements


def remind(tenant: int, tasks: Sequence[UUID], *, by: str) -> int:
    """Note a reminder for each of these tasks that is open, for whom it waits; gives how many are.

    Their runs must be had alone. Who gets a mail is found when it is sent, as for the reminders of a task's clock.
    """
    count = statements.remind(tenant, tasks, by=by)
    if count:
        live.tell_inboxes([tenant])
    return count
