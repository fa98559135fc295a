"""What requesters may do with runs that they asked for, whatever else they may do with its workflow."""

from collections.abc import Sequence
from datetime import timedelta
from math import ceil
from typing import Final, Protocol
from uuid import UUID

from django.db.models import Q

from accounts import audit
from accounts.principal import Principal
from accounts.roles import RUNS_START
from lib.ports import Port
from lib.refusals import Conflict, Missing, TooMany
from runs.commands.lifecycle import cancel_runs
from runs.kernel.unit_of_work import changing
from runs.limits import REQUEST_REMINDER_SECONDS
from runs.models import Request, Run
from runs.reading.people_asked import standings
from runs.reading.requests import is_own
from runs.store.calendars import moment


class Reminders(Protocol):
    """Reminds those who are asked by these tasks, whose runs are had alone; gives how many of the tasks are open."""

    def __call__(self, tenant: int, tasks: Sequence[UUID], *, by: str) -> int: ...


REMINDERS: Final = Port[Reminders]()


def withdraw_request(who: Principal, run_id: UUID, *, reason: str) -> None:
    """Cancel a run that they asked for, and undo what it did where its steps say how.

    It needs no right to operate: it stops nothing but what they set going. Raises Missing for any other run, admins'
    too, RunRefused for one that has ended or is being undone.
    """
    who.require(RUNS_START)
    if not is_own(who, run_id):
        raise Missing("There is no such request.")
    cancel_runs(who.tenant_id, [str(run_id)], by=who.username, reason=reason, compensate=True)


def remind_deciders(who: Principal, run_id: UUID, *, reason: str | None = None) -> None:
    """Remind those whom a request of theirs waits for, once in four hours; `reason` is for the audit log.

    Raises Missing for any other run, Conflict `nobody_to_remind` where nobody but the requester is asked, TooMany
    before the four hours are over.
    """
    who.require(RUNS_START)
    remind = REMINDERS.first
    run = Run.objects.for_tenant(who.tenant_id).filter(pk=run_id).only("root_id").first()
    if remind is None or run is None or not is_own(who, run_id):
        raise Missing("There is no such request.")
    standing = standings(who, {run.root_id: run.pk}).get(run.pk)
    tasks = [task for task in standing.open_tasks if not task.is_yours] if standing else []
    # The runs first, in their order, as whatever changes them does.
    with changing(who.tenant_id, {str(run_id), *(str(task.run_id) for task in tasks)}):
        _take_turn(who, run_id)
        if not remind(who.tenant_id, [task.task_id for task in tasks], by=who.username):
            raise Conflict("It waits for nobody else now: nobody was reminded.", code="nobody_to_remind")
        audit.record(who, "remind", f"request {run_id}", reason=reason)


def _take_turn(who: Principal, run_id: UUID) -> None:
    """Note that they remind now, in a statement that only one of two at once succeeds with. Raises TooMany."""
    now, pause = moment(), timedelta(seconds=REQUEST_REMINDER_SECONDS)
    rows = Request.objects.for_tenant(who.tenant_id).filter(pk=run_id, user_id=who.user_id)
    if rows.filter(Q(reminded_at=None) | Q(reminded_at__lte=now - pause)).update(reminded_at=now):
        return
    last = rows.values_list("reminded_at", flat=True).first()
    if last is None:
        raise Missing("There is no such request.")
    refusal = TooMany(
        f"You reminded them lately: you may again at {last + pause:%H:%M} UTC.",
        retry_after=max(1, ceil((last + pause - now).total_seconds())),
    )
    refusal.code = "reminded_lately"
    refusal.details["possible_at"] = (last + pause).isoformat()
    raise refusal
