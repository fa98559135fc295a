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
from runs.api import schedule_serializers as s
from runs.kernel.working_time import calendar_of
from runs.schedules import calendars


class CalendarsView(ApiView):
    """Working calendars."""

    scopes = {"GET": WORKFLOWS_READ, "POST": WORKFLOWS_WRITE}

    @extend_schema(parameters=[PageQuery], responses=page_schema(s.CalendarSerializer))
    def get(self, request: Request) -> Response:
        """The tenant's calendars, by name."""
        rows = calendars.calendars_of(self.principal.tenant_id)
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
        return Response(s.CalendarSerializer(calendars.get_calendar(self.principal.tenant_id, calendar)).data)

    @extend_schema(request=s.ChangeCalendar, responses=s.CalendarSerializer)
    def patch(self, request: Request, calendar: str) -> Response:
        """Changes the given fields; schedules that use it follow the change from now on."""
        changed = calendars.change_calendar(self.principal, calendar, **body(s.ChangeCalendar, request))
        return Response(s.CalendarSerializer(changed).data)

    @extend_schema(request=Verb, responses={204: None})
    def delete(self, request: Request, calendar: str) -> Response:
        """Removes the calendar: 409 while a schedule uses it."""
        calendars.delete_calendar(self.principal, calendar, **body(Verb, request))
        return Response(status=204)


class CalendarDaysView(ApiView):
    """The days of a working calendar."""

    scopes = {"GET": WORKFLOWS_READ}

    @extend_schema(parameters=[s.DaysQuery], responses=s.DaysSerializer)
    def get(self, request: Request, calendar: str) -> Response:
        """Which of these days are working days, and their names; up to 400 days."""
        params = query(s.DaysQuery, request)
        row = calendars.get_calendar(self.principal.tenant_id, calendar)
        days = calendars.days_of(calendar_of(row), params["from"], params["to"])
        return Response(s.DaysSerializer({"results": days}).data)
