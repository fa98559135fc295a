"""For whom a schedule acts, and whether they may start its workflow."""

from accounts.folders import find_folder
from accounts.queries import member_principal
from accounts.roles import RUNS_START
from lib.refusals import Missing
from triggers.schedules.store import FoundSchedule


def why_not(schedule: FoundSchedule) -> str | None:
    """Why whoever it acts for may not start its workflow now, in a sentence for operators; None where they may."""
    why = why_not_for(schedule.tenant_id, schedule.acts_for, schedule.folder)
    return f"It acts for {schedule.acts_for}, {why}." if why else None


def why_not_for(tenant_id: int, username: str, folder: int) -> str | None:
    """Why a schedule of a workflow of this folder can't act for somebody (`who ...`); None where it can."""
    try:
        who = member_principal(tenant_id, username, "schedule")
    except Missing:
        return "who is no longer an active member"
    if RUNS_START not in who.scopes:
        return f"whose role ({who.role}) may not start runs"
    if not who.may_in(RUNS_START, folder):
        return f"who may not start runs in the folder {find_folder(tenant_id, folder).name}"
    return None
