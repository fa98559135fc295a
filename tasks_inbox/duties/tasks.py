"""Celery's entry points of the inbox: a few lines each; the work is elsewhere."""

from celery import shared_task

from accounts import tokens
from runs.maintenance import duties
from runs.maintenance.duties import Duty
from runs.workers.tasks import ticking
from tasks_inbox.duties import account_mails, clock, digests, incidents, settling, undecidable
from tasks_inbox.mail import mailing

duties.register(
    Duty("decisions", 1.0, settling.tick),
    Duty("tasks", 1.0, clock.tick),
    Duty("incidents", 5.0, incidents.tick),
    Duty("undecidable", 5.0, undecidable.tick),
    Duty("mails", 5.0, mailing.tick, is_slow=True),
    Duty("digests", 5.0, digests.tick),
    Duty("token_ends", 60.0, tokens.warn_of_ends),
    Duty("account_mails", 5.0, account_mails.tick, is_slow=True),
)


@shared_task(name="tasks_inbox.tick_clock")
def tick_clock() -> int:
    """Every second: what can be undone no longer counts; remind, escalate and end what has waited for long enough."""
    return ticking("decisions") + ticking("tasks")


@shared_task(name="tasks_inbox.tick_incidents")
def tick_incidents() -> int:
    """Every five seconds: what failed for good or was stuck becomes a task for operators, where that is wanted; and
    what nobody can decide.
    """
    return ticking("incidents") + ticking("undecidable")


@shared_task(name="tasks_inbox.tick_mails")
def tick_mails() -> int:
    """Every few seconds: send mails about tasks and accounts; what waits for a mail server is not among the ticks."""
    return sum(map(ticking, ("mails", "digests", "token_ends", "account_mails")))
