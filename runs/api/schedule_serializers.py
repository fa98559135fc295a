"""What the routes of schedules and calendars take and give."""

from datetime import date
from typing import Any

from django.utils.dateparse import parse_date
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from lib.api import fields
from lib.api.serializers import PageQuery, Query, StrictSerializer, Verb
from runs.models.schedules import BUFFERED, OVERLAPS, SKIPPED, STARTED
from runs.schedules.calendars import LONGEST_NAME, MOST_EXCEPTIONS, hours_text
from runs.schedules.services import CATCHUP_SECONDS, LONGEST_NOTE, MOST_CATCHUP, MOST_UPCOMING
from runs.schedules.times import LONGEST_CRON, MOST_JITTER, MOST_SECONDS

_INPUT = "May name {{ schedule.due_at }}, {{ schedule.due_on }} and {{ schedule.name }}."
_CRON = "Minute, hour, day of the month, month, day of the week, on the clocks of the time zone."


@extend_schema_field(OpenApiTypes.DATE)
class Day(serializers.Field[Any, Any, Any, Any]):
    """A day such as 2026-01-31."""

    default_error_messages = {"invalid": "This must be a day like 2026-01-31."}

    def to_internal_value(self, data: Any) -> date:
        try:
            day = parse_date(data) if isinstance(data, str) and data.isascii() and len(data) == 10 else None
        except ValueError:
            day = None
        if day is None or not 1900 <= day.year <= 2200:
            self.fail("invalid")
        return day

    def to_representation(self, value: Any) -> str:
        return value if isinstance(value, str) else str(value)


class _Timing(Verb):
    cron = fields.Text(required=False, allow_null=True, max_length=LONGEST_CRON, help_text=_CRON)
    every_seconds = fields.Whole(required=False, allow_null=True, min_value=1, max_value=MOST_SECONDS)
    at = fields.Moment(required=False, allow_null=True)
    timezone = fields.Text(required=False, max_length=64, help_text="Such as Europe/Berlin.")
    overlap = fields.OneOf(
        OVERLAPS, required=False, help_text="What to do while a run is open; default: skip."
    )
    catchup_seconds = fields.Whole(
        required=False,
        min_value=0,
        max_value=MOST_CATCHUP,
        help_text=f"How late a due run may start: {CATCHUP_SECONDS}.",
    )
    jitter_seconds = fields.Whole(required=False, min_value=0, max_value=MOST_JITTER)
    calendar = fields.Text(
        required=False, allow_null=True, max_length=LONGEST_NAME, help_text="Only on its working days."
    )
    enabled = fields.Flag(required=False)
    note = fields.Text(required=False, allow_blank=True, max_length=LONGEST_NOTE, help_text="Why it is off.")
    input = fields.JsonValue(required=False, help_text=_INPUT)


class CreateSchedule(_Timing):
    """A new schedule: one of `cron`, `every_seconds` and `at` says when."""

    name = fields.Text(max_length=128)
    workflow = fields.Text(max_length=128)


class ChangeSchedule(_Timing):
    """What can be changed of a schedule; a new timing replaces the old one."""

    name = fields.Text(required=False, max_length=128)
    workflow = fields.Text(required=False, max_length=128)


class ScheduleListQuery(PageQuery):
    """Which schedules."""

    workflow = serializers.CharField(required=False, max_length=128)


class NextQuery(Query):
    """How many times."""

    count = fields.Digits(required=False, min_value=1, max_value=MOST_UPCOMING, default=10)


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


class HoursField(StrictSerializer):
    """From when to when work is done on a working day."""

    to = fields.Text(max_length=5)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {"from": fields.Text(max_length=5), **super().get_fields()}


class ExceptionField(StrictSerializer):
    """An exception on one day."""

    date = Day()
    works = fields.Flag()
    name = fields.Text(required=False, allow_blank=True, max_length=200)


class _Calendar(Verb):
    timezone = fields.Text(required=False, max_length=64)
    region = fields.Text(
        required=False,
        allow_blank=True,
        max_length=32,
        help_text="Public holidays of a country or a part of one: DE, US-CA.",
    )
    weekdays = fields.Items(child=fields.Whole(), required=False, max_length=7, help_text="Monday is 1.")
    hours = HoursField(required=False)
    exceptions = fields.Items(child=ExceptionField(), required=False, max_length=MOST_EXCEPTIONS)

    folder = fields.Text(
        required=False,
        allow_null=True,
        max_length=LONGEST_NAME,
        help_text="Whose workflows use it, and who may change it; null: it is the tenant's, which admins change.",
    )


class CreateCalendar(_Calendar):
    """A new working calendar: Monday to Friday, 09:00 to 17:00, by default, of the tenant."""

    name = fields.Text(max_length=LONGEST_NAME)


class ChangeCalendar(_Calendar):
    """What can be changed of a calendar."""

    name = fields.Text(required=False, max_length=LONGEST_NAME)


class DaysQuery(Query):
    """Which days."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {"from": Day(), "to": Day()}


class CalendarSerializer(serializers.Serializer[Any]):
    """A working calendar."""

    name = serializers.CharField()
    folder = serializers.CharField(
        source="folder.name", default=None, allow_null=True, help_text="Null: it is the tenant's."
    )
    revision = serializers.IntegerField(help_text="Rises with each change of its rules.")
    timezone = serializers.CharField()
    region = serializers.CharField()
    weekdays = serializers.ListField(child=serializers.IntegerField())
    hours = serializers.SerializerMethodField()
    exceptions = serializers.ListField(child=serializers.DictField())
    created_at = serializers.DateTimeField()

    @extend_schema_field(HoursField())
    def get_hours(self, calendar: Any) -> dict[str, str]:
        """From when to when work is done."""
        return {"from": hours_text(calendar.opens), "to": hours_text(calendar.closes)}


class UsingSerializer(serializers.Serializer[Any]):
    """A workflow that uses a calendar."""

    workflow = serializers.CharField()
    title = serializers.CharField()
    versions = serializers.ListField(child=serializers.IntegerField())
    newest = serializers.BooleanField(help_text="Whether the version that new runs start with is among them.")
    open_runs = serializers.IntegerField()


class KeptScheduleSerializer(serializers.Serializer[Any]):
    """A schedule that keeps to a calendar."""

    name = serializers.CharField()
    workflow = serializers.CharField()
    next_due_at = serializers.DateTimeField(allow_null=True)
    moves_to = serializers.DateTimeField(
        allow_null=True, help_text="When it is due next by the changed calendar."
    )


class DueDateSerializer(serializers.Serializer[Any]):
    """An open due date that a calendar counted; a change does not move it."""

    run_id = serializers.UUIDField()
    workflow = serializers.CharField()
    node = serializers.CharField(allow_null=True, help_text="Null: the deadline of the run.")
    kind = serializers.ChoiceField(["deadline", "wait", "timer", "task"])
    due_at = serializers.DateTimeField()
    revision = serializers.IntegerField(help_text="The revision of the calendar that counted it.")


class UsesSerializer(serializers.Serializer[Any]):
    """Who uses a calendar, up to 100 of each; others, also those that you may not read, are counted."""

    is_default = serializers.BooleanField(help_text="Whether it counts wherever no calendar is named.")
    workflows = UsingSerializer(many=True)
    schedules = KeptScheduleSerializer(many=True)
    due_dates = DueDateSerializer(many=True)
    other_workflows = serializers.IntegerField()
    other_schedules = serializers.IntegerField()
    other_due_dates = serializers.IntegerField()
    more = serializers.BooleanField(help_text="Whether there are more open runs than were looked at.")


class DaySerializer(serializers.Serializer[Any]):
    """A day of a calendar."""

    date = Day(source="day")
    works = serializers.BooleanField()
    name = serializers.CharField(help_text="The name of the holiday or exception.")


class DaysSerializer(serializers.Serializer[Any]):
    """Days of a calendar."""

    results = DaySerializer(many=True)
