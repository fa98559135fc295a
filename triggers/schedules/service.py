"""Schedules as their owners see them: make, change, pause, run now, remove. Each checks its scopes itself."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice, takewhile
from typing import Any

from django.db import IntegrityError, transaction

from accounts import audit
from accounts.principal import Principal
from accounts.queries import find_member
from accounts.roles import RUNS_READ, RUNS_START
from engine.catalogue import Json
from lib.reader import zones
from lib.refusals import Conflict, Invalid
from lib.strict_json import BadJson, strict_dumps
from lib.uuid7 import uuid7
from runs.calendars import calendars
from runs.commands.named_starts import check_start, start_workflow
from runs.commands.starts import NewRun
from runs.models import StartedFrom
from runs.store.calendars import moment
from steps.limits import RUN_INPUT_BYTES
from triggers.schedules import store
from triggers.schedules.limits import JITTER_SECONDS, MISSED_FIRINGS, NAME_CHARACTERS
from triggers.schedules.models import OVERLAPS, SKIPPED, STARTED, Schedule
from triggers.schedules.reading import get_schedule
from triggers.schedules.rights import why_not_for
from triggers.schedules.store import Entry
from triggers.schedules.times import BadTiming, Timing, check_timing, due_times, fires_at, next_due, upcoming
from triggers.schedules.timing import check_input, input_at, timing_of
from workflows.access import guard_workflow
from workflows.models import Workflow
from workflows.queries import get_workflow, refuse_archived

CATCHUP_SECONDS = 3_600
_TIMINGS = ("cron", "every_seconds", "at")
_MOVES = {*_TIMINGS, "timezone", "calendar", "jitter_seconds"}
"""What changes when it is due next."""


@dataclass(frozen=True, slots=True)
class Draft:
    """When a schedule would be due that nobody has made yet."""

    timezone: str
    calendar: str | None
    times: list[datetime]


def create_schedule(
    principal: Principal, *, name: str, workflow: str, reason: str | None = None, **values: Json
) -> Schedule:
    """A new schedule, which acts for whoever makes it.

    Raises Invalid naming the field, Missing, Conflict for a name that is taken or a workflow that can't be started,
    Forbidden for who may not start it themselves.
    """
    principal.require_person("A schedule")
    target = _startable(principal, workflow)
    now = moment()
    schedule = Schedule(
        id=uuid7(),
        tenant_id=principal.tenant_id,
        workflow=target,
        name=_checked_name(name),
        input=values.get("input", {}),
        anchor_at=now,
        overlap=values.get("overlap", OVERLAPS[0]),
        catchup_seconds=values.get("catchup_seconds", CATCHUP_SECONDS),
        jitter_seconds=values.get("jitter_seconds", 0),
        enabled=values.get("enabled", True),
        acts_for=principal.username,
        created_by=principal.username,
    )
    _set_timing(principal, schedule, values, now)
    _check_start(schedule, now)
    if schedule.enabled:
        _aim(schedule, now)
    else:
        schedule.paused_at, schedule.note = now, values.get("note", "")
    try:
        with transaction.atomic():
            Schedule.objects.bulk_create([schedule])
            audit.change(principal, "schedule.create", name, after=_facts_of(schedule), reason=reason)
    except IntegrityError:
        raise _taken(name) from None
    return get_schedule(principal.tenant_id, name)


def change_schedule(
    principal: Principal, current: str, *, reason: str | None = None, **values: Json
) -> Schedule:
    """Change what is given of the schedule of this name; it acts for who did it then, but for switching it off.

    Raises as `create_schedule`.
    """
    is_pause = values.get("enabled") is False and values.keys() <= {"enabled", "note"}
    with transaction.atomic():
        schedule = _locked(principal, current)
        _startable(principal, values.get("workflow", schedule.workflow.name), lives=not is_pause)
        if values:
            before = _facts_of(schedule)
            _change(principal, schedule, values, is_pause=is_pause)
            after = _facts_of(schedule)
            audit.change(principal, "schedule.change", current, before=before, after=after, reason=reason)
    return get_schedule(principal.tenant_id, schedule.name)


def hand_schedule(principal: Principal, name: str, to: str, *, reason: str | None = None) -> Schedule:
    """Have a schedule act for another member, who may start its workflow themselves; one that was stopped is on again.

    Raises Missing, Forbidden for who may not start it, Invalid at `to` for whom it can't act for.
    """
    with transaction.atomic():
        schedule = _locked(principal, name)
        member = find_member(principal.tenant_id, to)
        why = why_not_for(principal.tenant_id, to, schedule.workflow.folder_id)
        if why or member is None:
            message = f"It can't act for {to}, {why}."
            raise Invalid(message, code="may_not_start", field="to")
        before = _facts_of(schedule)
        schedule.acts_for = member.user.username
        if schedule.off_reason:
            now = moment()
            _switch_on(schedule, now)
            _aim(schedule, now)
        _write(schedule)
        after = _facts_of(schedule)
        audit.change(principal, "schedule.hand", name, before=before, after=after, reason=reason)
    return get_schedule(principal.tenant_id, name)


def delete_schedule(principal: Principal, name: str, *, reason: str | None = None) -> None:
    """Remove a schedule and its history; runs that it started stay. Raises Missing and Forbidden."""
    with transaction.atomic():
        schedule = _locked(principal, name)
        before = _facts_of(schedule)
        schedule.delete()
        audit.change(principal, "schedule.delete", name, before=before, reason=reason)


def run_now(principal: Principal, name: str, *, reason: str | None = None) -> str:
    """Start a run as if it were due now, whatever runs already and also while it is off; gives its id.

    Raises Missing, Forbidden, Conflict, and RunRefused for an input that does not fit any more.
    """
    with transaction.atomic():
        schedule = _locked(principal, name)
        now = moment()
        value = input_at(schedule.input, schedule.name, now, schedule.timezone)
        tenant, workflow = principal.tenant_id, schedule.workflow.name
        (run,) = start_workflow(
            tenant,
            workflow,
            [NewRun(value)],
            by=principal.username,
            started_from=StartedFrom.SCHEDULE,
            acts_for=principal.acts_for,
        )
        message = "" if run.created else f"A run with the business key {run.business_key} already exists."
        entry = Entry(
            now,
            STARTED if run.created else SKIPPED,
            "key_exists" if message else "",
            message,
            run_id=run.id,
            is_manual=True,
            by=principal.username,
        )
        store.insert_entries(tenant, str(schedule.id), [entry])
        audit.record(principal, "schedule.run", name, reason=reason)
    return run.id


def next_times(schedule: Schedule, count: int) -> list[datetime]:
    """The next times at which a schedule is due, or would be if it were on."""
    now = moment()
    if schedule.next_due_at is not None and schedule.next_due_at <= now:
        # What is due and not yet done stands first.
        return [schedule.next_due_at, *upcoming(timing_of(schedule), schedule.next_due_at, count - 1)]
    return upcoming(timing_of(schedule), now, count)


def preview(principal: Principal, values: Mapping[str, Json], count: int) -> Draft:
    """When a schedule with these values would be due. Raises Invalid naming the field."""
    now = moment()
    schedule = Schedule(tenant_id=principal.tenant_id, anchor_at=now, id=uuid7(), jitter_seconds=0)
    _set_timing(principal, schedule, values, now)
    calendar = None if schedule.calendar is None else schedule.calendar.name
    return Draft(schedule.timezone, calendar, upcoming(timing_of(schedule), now, count))


def _facts_of(schedule: Schedule) -> dict[str, Json]:
    """What the audit log says of a schedule."""
    names = ("name", *_TIMINGS, "timezone", "overlap", "catchup_seconds", "jitter_seconds")
    calendar = schedule.calendar.name if schedule.calendar else None
    return {
        **audit.fields_of(schedule, *names, "enabled", "note", "off_reason", "acts_for"),
        "workflow": schedule.workflow.name,
        "calendar": calendar,
        "input": audit.digest_of(schedule.input),
    }


def _locked(principal: Principal, name: str) -> Schedule:
    """The schedule, which nobody else changes or does meanwhile. Raises Missing and Forbidden."""
    schedule = get_schedule(principal.tenant_id, name)
    _require(principal, schedule.workflow.name)
    rows = Schedule.objects.for_tenant(principal.tenant_id).select_related("workflow", "calendar")
    locked = rows.select_for_update(of=("self",)).filter(pk=schedule.pk).first()
    return locked or get_schedule(principal.tenant_id, name)


def _change(principal: Principal, schedule: Schedule, values: Mapping[str, Any], *, is_pause: bool) -> None:
    now = moment()
    for field in ("input", "overlap", "catchup_seconds", "jitter_seconds"):
        if field in values:
            setattr(schedule, field, values[field])
    if "name" in values:
        schedule.name = _checked_name(values["name"])
    if "workflow" in values:
        schedule.workflow = get_workflow(principal.tenant_id, values["workflow"])
    moves = bool(_MOVES & values.keys())
    if moves:
        _set_timing(principal, schedule, values, now)
    if "workflow" in values:
        _check_folder(schedule)
    if {"input", "workflow"} & values.keys():
        _check_start(schedule, now)
    turned = "enabled" in values and values["enabled"] != schedule.enabled
    if turned and values["enabled"]:
        _switch_on(schedule, now)
    elif turned:
        _pause(schedule, now)
    if is_pause:
        # That it stays off is somebody's wish now.
        schedule.off_reason = ""
    if not schedule.enabled:
        schedule.note = values.get("note", schedule.note)
    elif turned or moves:
        _aim(schedule, now)
    if not is_pause:
        principal.require_person("A schedule")
        schedule.acts_for = principal.username
    try:
        with transaction.atomic():
            _write(schedule)
    except IntegrityError:
        raise _taken(schedule.name) from None


def _write(schedule: Schedule) -> None:
    columns = {field.attname: getattr(schedule, field.attname) for field in schedule._meta.concrete_fields}
    fixed = ("id", "tenant_id", "created_at", "created_by")
    changed = {name: value for name, value in columns.items() if name not in fixed}
    Schedule.objects.for_tenant(schedule.tenant_id).filter(pk=schedule.pk).update(**changed)


def _switch_on(schedule: Schedule, now: datetime) -> None:
    _note_pause(schedule, now)
    schedule.enabled, schedule.paused_at, schedule.note, schedule.off_reason = True, None, "", ""


def _pause(schedule: Schedule, now: datetime) -> None:
    if (due := schedule.buffered_due_at) is not None:
        entry = Entry(due, SKIPPED, "paused", "It was switched off while this time waited.")
        store.settle_entry(str(schedule.id), entry)
    schedule.enabled, schedule.paused_at = False, now
    schedule.next_due_at = schedule.fire_at = schedule.buffered_due_at = None


def _note_pause(schedule: Schedule, now: datetime) -> None:
    """Keep in its history what was not done while it was off."""
    since = schedule.paused_at or now
    until_now = takewhile(lambda due: due <= now, due_times(timing_of(schedule), since))
    passed = list(islice(until_now, MISSED_FIRINGS))
    done = store.dealt_with(str(schedule.id), passed[:1])
    if passed and passed[0] not in done:
        text = " ".join(filter(None, ["It was switched off.", schedule.note or schedule.off_reason]))
        if len(passed) == MISSED_FIRINGS:
            text += f" There were {MISSED_FIRINGS:,} of these times or more."
        entry = Entry(passed[0], SKIPPED, "paused", text, last_due_at=passed[-1], due_count=len(passed))
        store.insert_entries(schedule.tenant_id, str(schedule.id), [entry])


def _aim(schedule: Schedule, now: datetime) -> None:
    schedule.next_due_at = due = next_due(timing_of(schedule), now)
    schedule.fire_at = due and fires_at(str(schedule.id), due, schedule.jitter_seconds)


def _set_timing(principal: Principal, schedule: Schedule, values: Mapping[str, Any], now: datetime) -> None:
    """Take over what the values say of when it is due. Raises Invalid naming the field."""
    kinds = [kind for kind in _TIMINGS if values.get(kind) is not None]
    if len(kinds) > 1:
        raise Invalid("Give one of cron, every_seconds and at.", field=kinds[-1])
    if kinds:
        for kind in _TIMINGS:
            setattr(schedule, kind, values.get(kind))
        schedule.anchor_at = now
    elif all(getattr(schedule, kind) is None for kind in _TIMINGS):
        raise Invalid("Say when: give one of cron, every_seconds and at.", code="required", field="cron")
    if "calendar" in values:
        name = values["calendar"]
        schedule.calendar = None if name is None else _calendar(principal, name)
        _check_folder(schedule)
    zone = values.get("timezone") or schedule.timezone or _zone_of(schedule)
    if zone not in zones():
        raise Invalid("This is not a time zone: write Europe/Berlin or UTC.", field="timezone")
    schedule.timezone = zone
    if not 0 <= schedule.jitter_seconds <= JITTER_SECONDS:
        raise Invalid(f"This must be 0 to {JITTER_SECONDS:,} seconds.", field="jitter_seconds")
    if kinds or "calendar" in values:
        _check_timing(timing_of(schedule), now)


def _check_timing(timing: Timing, now: datetime) -> None:
    try:
        check_timing(timing, now)
    except BadTiming as error:
        raise Invalid(error.message, field=error.field) from None


def _zone_of(schedule: Schedule) -> str:
    return "UTC" if schedule.calendar is None else schedule.calendar.timezone


def _calendar(principal: Principal, name: str) -> Any:
    row = calendars.find_calendar(principal, name)
    if row is None:
        raise Invalid("There is no such calendar.", field="calendar")
    return row


def _check_folder(schedule: Schedule) -> None:
    """Raises Invalid where its calendar belongs to another folder than its workflow."""
    calendar = schedule.calendar
    if calendar is None or schedule.workflow_id is None:
        return
    if calendar.folder_id not in (None, schedule.workflow.folder_id):
        message = "This calendar belongs to another folder than the workflow: name one of its folder or of the tenant."
        raise Invalid(message, field="calendar")


def _check_start(schedule: Schedule, now: datetime) -> None:
    """Return if its workflow takes its input. Raises Invalid at `input`, Conflict, RunRefused."""
    try:
        strict_dumps(schedule.input, max_bytes=RUN_INPUT_BYTES)
    except BadJson as error:
        raise Invalid(error.message, field="input") from None
    check_input(schedule.input)
    due = next_due(timing_of(schedule), now) or now
    value = input_at(schedule.input, schedule.name, due, schedule.timezone)
    check_start(schedule.tenant_id, schedule.workflow.name, NewRun(value))


def _checked_name(name: str) -> str:
    wrong = "/" in name or name != name.strip() or not name.isprintable() or name in (".", "..")
    if not 0 < len(name) <= NAME_CHARACTERS or wrong:
        text = (
            f"This must have 1 to {NAME_CHARACTERS} characters, no slash, and no leading or trailing blanks."
        )
        raise Invalid(text, field="name")
    return name


def _startable(principal: Principal, workflow: str, *, lives: bool = True) -> Workflow:
    """The workflow, which they may start; unless not `lives`, it is not archived."""
    _require(principal, workflow)
    target = get_workflow(principal.tenant_id, workflow)
    if lives:
        refuse_archived(target)
    return target


def _require(principal: Principal, workflow: str) -> None:
    # It acts for them: nobody makes one that may do more than they do.
    for scope in (RUNS_READ, RUNS_START):
        principal.require(scope)
        guard_workflow(principal, scope, workflow)


def _taken(name: str) -> Conflict:
    return Conflict(f"A schedule {name!r} already exists.", code="name_taken", field="name")
