"""The working calendars that a version keeps by their ids, whatever these are called later."""

from collections.abc import Mapping

from lib.json import Json
from lib.refusals import Conflict
from workflows.checking.check import Checked
from workflows.models import Workflow
from workflows.ports import pinned_calendars


def held_calendars(workflow: Workflow, checked: Checked, native: Mapping[str, Json]) -> dict[str, int]:
    """The calendars that a definition names, by their ids; they stay until the transaction ends. Raises Conflict where
    one went since the definition was checked.
    """
    calendars, missing = pinned_calendars(workflow.tenant_id, workflow.folder_id, native)
    if missing and not any(problem.code == "unknown_calendar" for problem in checked.problems):
        text = f"The working calendar {missing[0]} was deleted or moved meanwhile: publish again."
        raise Conflict(text, code="calendar_gone")
    return calendars
