"""The form of a schedule: what was typed into it as the values of a schedule, and a schedule as it stands in it."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import orjson

from accounts import pages
from accounts.access import PageRequest
from engine.catalogue import Json
from engine.limits import WORKFLOW_NAME_CHARACTERS
from lib.masking import masked, restored
from lib.reader import reader, zone_of
from lib.refusals import Conflict, Invalid, Refusal
from lib.strict_json import BadJson, strict_loads
from lib.wall_clock import moment_of
from runs.kernel.refused import RunRefused
from runs.web.forms import still_masked
from steps.limits import RUN_INPUT_BYTES
from triggers.schedules.limits import NAME_CHARACTERS
from triggers.schedules.models import OVERLAPS, Schedule
from triggers.schedules.service import CATCHUP_SECONDS
from triggers.schedules.words import way_of

FIELDS = (
    *(
        "name",
        "workflow",
        "how",
        "clock",
        "weekday",
        "day",
        "minutes",
        "once",
        "cron",
        "timezone",
        "calendar",
    ),
    *("overlap", "catchup", "jitter", "input"),
)
OVERLAP_WORDS = (
    ("skip", "skip the new one"),
    ("buffer_one", "queue one until it has ended"),
    ("allow", "start it in parallel"),
    ("cancel_previous", "cancel the other and start the new one"),
)
CATCHUPS = (
    ("0", "not at all"),
    ("600", "up to 10 minutes late"),
    ("3600", "up to an hour late"),
    ("86400", "up to a day late"),
    ("604800", "up to a week late"),
)
_KINDS = {"every_seconds": "minutes", "at": "once"}
_EMPTY = {
    "how": "daily",
    "clock": "09:00",
    "weekday": "1",
    "day": "1",
    "minutes": "15",
    "overlap": OVERLAPS[0],
}


def empty(request: PageRequest) -> dict[str, str]:
    """A form in which nothing was typed yet; the address may name the workflow."""
    return dict.fromkeys(FIELDS, "") | _EMPTY | {
        "workflow": request.GET.get("workflow", "")[:WORKFLOW_NAME_CHARACTERS],
        "timezone": reader().zone or "UTC",
        "catchup": str(CATCHUP_SECONDS),
        "jitter": "0",
        "input": "{}",
    }  # fmt: skip


def typed(request: PageRequest) -> dict[str, str]:
    """What was typed."""
    return {name: pages.typed(request, name) for name in FIELDS}


def standing(schedule: Schedule) -> dict[str, str]:
    """A schedule as it stands in the form."""
    values = dict.fromkeys(FIELDS, "") | _EMPTY | {
        "name": schedule.name,
        "workflow": schedule.workflow.name,
        "timezone": schedule.timezone,
        "calendar": schedule.calendar.name if schedule.calendar else "",
        "overlap": schedule.overlap,
        "catchup": str(schedule.catchup_seconds),
        "jitter": str(schedule.jitter_seconds),
        "input": orjson.dumps(masked(schedule.input), option=orjson.OPT_INDENT_2).decode(),
    }  # fmt: skip
    if schedule.at is not None:
        local = schedule.at.astimezone(ZoneInfo(schedule.timezone))
        return values | {"how": "once", "once": f"{local:%Y-%m-%dT%H:%M}"}
    if schedule.every_seconds is not None:
        return values | {"how": "minutes", "minutes": f"{schedule.every_seconds / 60:g}"}
    cron = schedule.cron or ""
    if (way := way_of(cron)) is None:
        return values | {"how": "cron", "cron": cron}
    return values | {"how": way.how, "clock": way.clock, "weekday": way.day or "1", "day": way.day or "1"}


def timing_values(values: Mapping[str, str]) -> dict[str, Any]:
    """What the form says of when it is due. Raises Invalid at its field."""
    zone = values["timezone"] or "UTC"
    if not zone_of(zone):
        raise Invalid("This is not a time zone: write Europe/Berlin or UTC.", field="timezone")
    return _when(values, ZoneInfo(zone)) | {"timezone": zone, "calendar": values["calendar"] or None}


def schedule_values(values: Mapping[str, str], was: Json = None) -> dict[str, Any]:
    """All that the form says, of a schedule whose input `was` this, masked. Raises Invalid at its field."""
    for name, most in (("name", NAME_CHARACTERS), ("workflow", WORKFLOW_NAME_CHARACTERS)):
        if not 0 < len(values[name]) <= most:
            raise Invalid(f"This must have 1 to {most} characters.", field=name)
    if values["overlap"] not in OVERLAPS:
        raise Invalid("Choose one of these.", field="overlap")
    try:
        run_input = strict_loads((values["input"] or "{}").encode(), max_bytes=RUN_INPUT_BYTES)
    except BadJson as error:
        raise Invalid(f"This is not valid JSON: {error.message}.", field="input") from None
    run_input, unknown = restored(run_input, was)
    if unknown:
        raise Invalid(still_masked(unknown[0]), field="input")
    return timing_values(values) | {
        "name": values["name"],
        "workflow": values["workflow"],
        "overlap": values["overlap"],
        "catchup_seconds": _whole(values, "catchup", 30 * 86_400),
        "jitter_seconds": _whole(values, "jitter", 86_400),
        "input": run_input,
    }


def at_its_field(error: Refusal | RunRefused) -> Invalid | Conflict:
    """A refusal at the field of the form that is to blame."""
    field = error.field or ""
    own = {"catchup_seconds": "catchup", "jitter_seconds": "jitter"} | _KINDS
    field = own.get(field, "input" if field.startswith("input") else field)
    is_conflict = error.conflict if isinstance(error, RunRefused) else isinstance(error, Conflict)
    return (Conflict if is_conflict else Invalid)(error.message, code=error.code, field=field)


def at_its_timing(error: Invalid | Conflict, values: Mapping[str, str]) -> Invalid | Conflict:
    """A refusal of an expression that the form has made, where the form asks for it."""
    if error.field != "cron" or values["how"] == "cron":
        return error
    return Invalid(error.message, field="day" if values["how"] == "monthly" else "how")


def _when(values: Mapping[str, str], zone: ZoneInfo) -> dict[str, Any]:
    how = values["how"]
    if how == "cron":
        return {"cron": values["cron"] or "-"}
    if how == "minutes":
        return {"every_seconds": _minutes(values["minutes"])}
    if how == "once":
        return {"at": _moment(values["once"], zone)}
    minute, hour = _clock(values["clock"])
    match how:
        case "daily":
            return {"cron": f"{minute} {hour} * * *"}
        case "workdays":
            return {"cron": f"{minute} {hour} * * 1-5"}
        case "weekly":
            return {"cron": f"{minute} {hour} * * {_whole(values, 'weekday', 7, least=1)}"}
        case "monthly":
            return {"cron": f"{minute} {hour} {_whole(values, 'day', 31, least=1)} * *"}
        case "month_end":
            return {"cron": f"{minute} {hour} L * *"}
    raise Invalid("Choose one of these.", field="how")


def _clock(text: str) -> tuple[int, int]:
    try:
        at = datetime.strptime(text[:5], "%H:%M").replace(tzinfo=UTC)
    except ValueError:
        raise Invalid("Enter a time of day, such as 09:00.", field="clock") from None
    return at.minute, at.hour


def _minutes(text: str) -> int:
    try:
        seconds = float(text) * 60
    except ValueError:
        seconds = 0
    if not 1 <= seconds <= 366 * 86_400:
        raise Invalid("This must be a number of minutes, such as 15.", field="minutes")
    return round(seconds)


def _moment(text: str, zone: ZoneInfo) -> datetime:
    try:
        local = datetime.fromisoformat(text)
        if local.tzinfo is None and 2000 <= local.year <= 9000:
            return moment_of(local.replace(microsecond=0), zone)
    except ValueError:
        pass
    raise Invalid("Enter a day and a time.", field="once")


def _whole(values: Mapping[str, str], name: str, most: int, *, least: int = 0) -> int:
    text = values[name]
    if not (text.isascii() and text.isdigit() and len(text) < 10 and least <= int(text) <= most):
        raise Invalid(f"This must be a whole number from {least} to {most:,}.", field=name)
    return int(text)
