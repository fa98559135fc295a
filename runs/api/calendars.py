"""The routes of working calendars."""

from urllib.parse import quote

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import ApiView
from accounts.roles import WORKFLOWS_READ, WORKFLOWS_WRITE
from lib.api.pagination import keyset_page
from lib.api.schema import page_schema
from lib.api.serializers import PageQuery, Verb, body, query
from runs.api import calendar_serializers as s
from runs.calendars import calendars
from runs.calendars.uses import uses_of
from runs.kernel.working_time import calendar_of


class CalendarsView(ApiView):
    """Working calendars."""

    scopes = {"GET": WORKFLOWS_READ, "POST": WORKFLOWS_WRITE}

    @extend_schema(parameters=[PageQuery], responses=page_schema(s.CalendarSerializer))
    def get(self, request: Request) -> Response:
        """The calendars of the tenant, and of folders in which you may read, by name."""
        rows = calendars.readable_calendars(self.principal)
        page = keyset_page(rows, request, keys=("name",), oldest_first=True, **query(PageQuery, request))
        return Response(page.answer(s.CalendarSerializer(page.rows, many=True).data))

    @extend_schema(request=s.CreateCalendar, responses={201: s.CalendarSerializer})
    def post(self, request: Request) -> Response:
        """A new calendar."""
        calendar = calendars.create_calendar(self.principal, **body(s.CreateCalendar, request))
        headers = {"Location": f"/api/v1/calendars/{quote(calendar.name)}"}
        return Response(s.CalendarSerializer(calendar).data, status=201, headers=headers)


class CalendarView(ApiView):
    """One working calendar."""

    scopes = {"GET": WORKFLOWS_READ, "PATCH": WORKFLOWS_WRITE, "DELETE": WORKFLOWS_WRITE}

    @extend_schema(responses=s.CalendarSerializer)
    def get(self, request: Request, calendar: str) -> Response:
        """The calendar."""
        return Response(s.CalendarSerializer(calendars.get_calendar(self.principal, calendar)).data)

    @extend_schema(request=s.ChangeCalendar, responses=s.CalendarSerializer)
    def patch(self, request: Request, calendar: str) -> Response:
        """Changes the given fields; schedules that use it follow the change from now on."""
        changed = calendars.change_calendar(self.principal, calendar, **body(s.ChangeCalendar, request))
        return Response(s.CalendarSerializer(changed).data)

    @extend_schema(request=Verb, responses={204: None})
    def delete(self, request: Request, calendar: str) -> Response:
        """Removes the calendar: 409 with who uses it, while a version that starts or runs, or a schedule, does."""
        calendars.delete_calendar(self.principal, calendar, **body(Verb, request))
        return Response(status=204)


class CalendarUsesView(ApiView):
    """Who uses a working calendar."""

    scopes = {"GET": WORKFLOWS_READ}

    @extend_schema(responses=s.UsesSerializer)
    def get(self, request: Request, calendar: str) -> Response:
        """The workflows, schedules and open due dates that use it, as far as you may read them."""
        uses = uses_of(self.principal, calendars.get_calendar(self.principal, calendar))
        return Response(s.UsesSerializer(uses).data)


class CalendarPreviewView(ApiView):
    """What a change of a working calendar moves."""

    scopes = {"POST": WORKFLOWS_WRITE}

    @extend_schema(request=s.ChangeCalendar, responses=s.UsesSerializer)
    def post(self, request: Request, calendar: str) -> Response:
        """Who uses it, and when schedules would be due with these values; nothing is changed."""
        uses = calendars.preview_change(self.principal, calendar, **body(s.ChangeCalendar, request))
        return Response(s.UsesSerializer(uses).data)


class CalendarDaysView(ApiView):
    """The days of a working calendar."""

    scopes = {"GET": WORKFLOWS_READ}

    @extend_schema(parameters=[s.DaysQuery], responses=s.DaysSerializer)
    def get(self, request: Request, calendar: str) -> Response:
        """Which of these days are working days, and their names; up to 400 days."""
        params = query(s.DaysQuery, request)
        row = calendars.get_calendar(self.principal, calendar)
        days = calendars.days_of(calendar_of(row), params["from"], params["to"])
        return Response(s.DaysSerializer({"results": days}).data)
