"""What the routes of schedules take and give."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from engine.limits import WORKFLOW_NAME_CHARACTERS
from lib.api import fields
from lib.api.serializers import PageQuery, Query, Verb
from runs.limits import CALENDAR_NAME_CHARACTERS
from triggers.schedules.limits import (
    CATCHUP_PERIOD_SECONDS,
    CRON_CHARACTERS,
    INTERVAL_SECONDS,
    JITTER_SECONDS,
    NOTE_CHARACTERS,
    UPCOMING_FIRINGS,
)
from triggers.schedules.models import BUFFERED, OVERLAPS, SKIPPED, STARTED
from triggers.schedules.service import CATCHUP_SECONDS

_INPUT = "May name {{ schedule.due_at }}, {{ schedule.due_on }} and {{ schedule.name }}."
_CRON = "Minute, hour, day of the month, month, day of the week, on the clocks of the time zone."


class _Timing(Verb):
    cron = fields.Text(required=False, allow_null=True, max_length=CRON_CHARACTERS, help_text=_CRON)
    every_seconds = fields.Whole(required=False, allow_null=True, min_value=1, max_value=INTERVAL_SECONDS)
    at = fields.Moment(required=False, allow_null=True)
    timezone = fields.Text(required=False, max_length=64, help_text="Such as Europe/Berlin.")
    overlap = fields.OneOf(
        OVERLAPS, required=False, help_text="What to do while a run is open; default: skip."
    )
    catchup_seconds = fields.Whole(
        required=False,
        min_value=0,
        max_value=CATCHUP_PERIOD_SECONDS,
        help_text=f"How late a due run may start: {CATCHUP_SECONDS}.",
    )
    jitter_seconds = fields.Whole(required=False, min_value=0, max_value=JITTER_SECONDS)
    calendar = fields.Text(
        required=False,
        allow_null=True,
        max_length=CALENDAR_NAME_CHARACTERS,
        help_text="Only on its working days.",
    )
    enabled = fields.Flag(required=False)
    note = fields.Text(
        required=False, allow_blank=True, max_length=NOTE_CHARACTERS, help_text="Why it is off."
    )
    input = fields.JsonValue(required=False, help_text=_INPUT)


class CreateSchedule(_Timing):
    """A new schedule: one of `cron`, `every_seconds` and `at` says when."""

    name = fields.Text(max_length=128)
    workflow = fields.Text(max_length=WORKFLOW_NAME_CHARACTERS)


class ChangeSchedule(_Timing):
    """What can be changed of a schedule; a new timing replaces the old one."""

    name = fields.Text(required=False, max_length=128)
    workflow = fields.Text(required=False, max_length=WORKFLOW_NAME_CHARACTERS)


class ScheduleListQuery(PageQuery):
    """Which schedules."""

    workflow = serializers.CharField(required=False, max_length=WORKFLOW_NAME_CHARACTERS)


class NextQuery(Query):
    """How many times."""

    count = fields.Digits(required=False, min_value=1, max_value=UPCOMING_FIRINGS, default=10)


class DueTimeSerializer(serializers.Serializer[Any]):
    """What happened at a due time, or by hand; one row may stand for several skipped times."""

    due_at = serializers.DateTimeField()
    last_due_at = serializers.DateTimeField()
    due_count = serializers.IntegerField()
    at = serializers.DateTimeField(source="done_at")
    status = serializers.ChoiceField([STARTED, SKIPPED, BUFFERED])
    reason = serializers.CharField(
        help_text="overlap, missed, paused, not_allowed, refused, replaced, key_exists; empty where it started."
    )
    message = serializers.CharField()
    run_id = serializers.UUIDField(allow_null=True)
    cancelled = serializers.ListField(child=serializers.UUIDField(), help_text="The runs cancelled for it.")
    manual = serializers.BooleanField(source="is_manual")
    by = serializers.CharField(help_text="Who ran it by hand.")


class ScheduleSerializer(serializers.Serializer[Any]):
    """A schedule."""

    name = serializers.CharField()
    workflow = serializers.CharField(source="workflow.name")
    input = fields.JsonValue()
    cron = serializers.CharField(allow_null=True)
    every_seconds = serializers.IntegerField(allow_null=True)
    at = serializers.DateTimeField(allow_null=True)
    timezone = serializers.CharField()
    overlap = serializers.ChoiceField(OVERLAPS)
    catchup_seconds = serializers.IntegerField()
    jitter_seconds = serializers.IntegerField()
    calendar = serializers.SerializerMethodField()
    enabled = serializers.BooleanField()
    note = serializers.CharField(help_text="Why it is off.")
    off_reason = serializers.CharField(
        help_text="Why it was stopped: it acts for somebody who may not start it. Empty where it is on, or off by hand."
    )
    paused_at = serializers.DateTimeField(allow_null=True)
    acts_for = serializers.CharField(help_text="It starts runs with the rights of this member.")
    created_by = serializers.CharField()
    created_at = serializers.DateTimeField()
    next_due_at = serializers.DateTimeField(allow_null=True, help_text="null: it is off, or has ended.")
    buffered_due_at = serializers.DateTimeField(
        allow_null=True, help_text="A time whose run starts when those before it have ended."
    )
    last = serializers.SerializerMethodField(help_text="The last thing it did.")

    @extend_schema_field(serializers.CharField(allow_null=True))
    def get_calendar(self, schedule: Any) -> str | None:
        """The name of its calendar."""
        return None if schedule.calendar is None else str(schedule.calendar.name)

    @extend_schema_field(DueTimeSerializer(allow_null=True))
    def get_last(self, schedule: Any) -> dict[str, Any] | None:
        """The last thing it did."""
        entry = self.context["last"].get(schedule.pk)
        return None if entry is None else DueTimeSerializer(entry).data


class NextSerializer(serializers.Serializer[Any]):
    """The next times at which a schedule is due."""

    results = serializers.ListField(child=serializers.DateTimeField())
    timezone = serializers.CharField()
    calendar = serializers.CharField(allow_null=True)
