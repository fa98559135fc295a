"""Celery's entry points of the inbox: a few lines each; the work is elsewhere."""

from celery import shared_task

import tasks_inbox.duties.registered  # noqa: F401 (the duties that these are ticks of)
from runs.workers.tasks import ticking


@shared_task(name="tasks_inbox.tick_clock")
def tick_clock() -> int:
    """Every second: what can be undone no longer counts; what has waited for long enough is escalated or ends; chain
    audit records.
    """
    return sum(map(ticking, ("decisions", "tasks", "audit")))


@shared_task(name="tasks_inbox.tick_incidents")
def tick_incidents() -> int:
    """Every five seconds: what failed for good or was stuck becomes a task for operators, where that is wanted; and
    what nobody can decide.
    """
    return ticking("incidents") + ticking("undecidable")


@shared_task(name="tasks_inbox.tick_mails")
def tick_mails() -> int:
    """Every few seconds: send mails about tasks and accounts; what waits for a mail server is not among the ticks."""
    return sum(map(ticking, ("mails", "digests", "token_ends", "audit_kept", "account_mails")))
