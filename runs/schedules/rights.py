"""For whom a schedule acts, and whether they may still start its workflow."""

from accounts.folders import find_folder
from accounts.queries import member_principal
from accounts.roles import RUNS_START
from lib.refusals import Missing
from runs.store.schedules import FoundSchedule


def why_not(schedule: FoundSchedule) -> str | None:
    """Why whoever it acts for may not start its workflow now, in a sentence for operators; None where they may."""
    try:
        who = member_principal(schedule.tenant_id, schedule.acts_for, "schedule")
    except Missing:
        return f"It acts for {schedule.acts_for}, who is no longer an active member."
    if RUNS_START not in who.scopes:
        return f"It acts for {schedule.acts_for}, whose role ({who.role}) may not start runs."
    if not who.may_in(RUNS_START, schedule.folder):
        folder = find_folder(schedule.tenant_id, schedule.folder).name
        return f"It acts for {schedule.acts_for}, who may not start runs in the folder {folder}."
    return None
