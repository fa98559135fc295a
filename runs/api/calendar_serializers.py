"""What the routes of working calendars take and give."""

from datetime import date
from typing import Any

from django.utils.dateparse import parse_date
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from lib.api import fields
from lib.api.serializers import Query, StrictSerializer, Verb
from runs.calendars.calendars import hours_text
from runs.limits import CALENDAR_EXCEPTIONS, CALENDAR_NAME_CHARACTERS


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
    exceptions = fields.Items(child=ExceptionField(), required=False, max_length=CALENDAR_EXCEPTIONS)

    folder = fields.Text(
        required=False,
        allow_null=True,
        max_length=CALENDAR_NAME_CHARACTERS,
        help_text="Whose workflows use it, and who may change it; null: it is the tenant's, which admins change.",
    )


class CreateCalendar(_Calendar):
    """A new working calendar: Monday to Friday, 09:00 to 17:00, by default, of the tenant."""

    name = fields.Text(max_length=CALENDAR_NAME_CHARACTERS)


class ChangeCalendar(_Calendar):
    """What can be changed of a calendar."""

    name = fields.Text(required=False, max_length=CALENDAR_NAME_CHARACTERS)


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
