"""What somebody may do with a run that they asked for, whatever else they may do with its workflow."""

from uuid import UUID

from accounts.principal import Principal
from accounts.roles import RUNS_START
from lib.refusals import Missing
from runs.commands.lifecycle import cancel_runs
from runs.reading.requests import is_own


def withdraw_request(who: Principal, run_id: UUID, *, reason: str) -> None:
    """Cancel a run that they asked for, and undo what it did where its steps say how.

    It needs no right to operate: it stops nothing but what they set going. Raises Missing for any other run, admins'
    too, RunRefused for one that has ended or is being undone.
    """
    who.require(RUNS_START)
    if not is_own(who, run_id):
        raise Missing("There is no such request.")
    cancel_runs(who.tenant_id, [str(run_id)], by=who.username, reason=reason, compensate=True)
