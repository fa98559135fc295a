"""The routes of schedules."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.roles import RUNS_READ, RUNS_START
from lib.api.pagination import keyset_page
from lib.api.schema import page_schema
from lib.api.serializers import PageQuery, Verb, body, query
from runs.access import readable
from runs.api.base import RunsApiView
from runs.api.serializers import RunSerializer
from triggers.schedules import serializers as s
from triggers.schedules import service
from triggers.schedules.models import Schedule
from triggers.schedules.reading import entries_of, get_schedule, last_entries, schedules_of


class _SchedulesApiView(RunsApiView):
    def shown_all(self, schedules: Sequence[Schedule]) -> list[dict[str, Any]]:
        """Schedules as they are shown."""
        context = {"last": last_entries(self.principal.tenant_id, schedules)}
        return [dict(s.ScheduleSerializer(one, context=context).data) for one in schedules]

    def find(self, name: str) -> Schedule:
        """The tenant's schedule. Raises Missing."""
        return get_schedule(self.principal.tenant_id, name)


class SchedulesView(_SchedulesApiView):
    """Schedules."""

    scopes = {"GET": RUNS_READ, "POST": RUNS_START}

    @extend_schema(parameters=[s.ScheduleListQuery], responses=page_schema(s.ScheduleSerializer))
    def get(self, request: Request) -> Response:
        """The schedules of workflows that you may read, by name."""
        params = query(s.ScheduleListQuery, request)
        rows = readable(schedules_of(self.principal.tenant_id), self.principal)
        if workflow := params.pop("workflow", None):
            rows = rows.filter(workflow__name=workflow)
        page = keyset_page(rows, request, keys=("name",), oldest_first=True, **params)
        return Response(page.answer(self.shown_all(page.rows)))

    @extend_schema(request=s.CreateSchedule, responses={201: s.ScheduleSerializer})
    def post(self, request: Request) -> Response:
        """A new schedule: it starts runs of a workflow that you may start, for you."""
        schedule = service.create_schedule(self.principal, **body(s.CreateSchedule, request))
        (row,) = self.shown_all([schedule])
        return Response(row, status=201, headers={"Location": f"/api/v1/schedules/{quote(schedule.name)}"})


class ScheduleView(_SchedulesApiView):
    """One schedule."""

    scopes = {"GET": RUNS_READ, "PATCH": RUNS_START, "DELETE": RUNS_START}

    @extend_schema(responses=s.ScheduleSerializer)
    def get(self, request: Request, schedule: str) -> Response:
        """The schedule, and what it did last."""
        return Response(self.shown_all([self.find(schedule)])[0])

    @extend_schema(request=s.ChangeSchedule, responses=s.ScheduleSerializer)
    def patch(self, request: Request, schedule: str) -> Response:
        """Changes what is given; `enabled: false` pauses it, with a `note` if you like."""
        changed = service.change_schedule(self.principal, schedule, **body(s.ChangeSchedule, request))
        return Response(self.shown_all([changed])[0])

    @extend_schema(request=Verb, responses={204: None})
    def delete(self, request: Request, schedule: str) -> Response:
        """Removes the schedule and its history; runs that it started stay."""
        service.delete_schedule(self.principal, schedule, **body(Verb, request))
        return Response(status=204)


class ScheduleNextView(_SchedulesApiView):
    """The next times of a schedule."""

    scopes = {"GET": RUNS_READ}

    @extend_schema(parameters=[s.NextQuery], responses=s.NextSerializer)
    def get(self, request: Request, schedule: str) -> Response:
        """The next times at which it is due, or would be if it were on; without jitter."""
        instance, params = self.find(schedule), query(s.NextQuery, request)
        calendar = None if instance.calendar is None else instance.calendar.name
        times = service.next_times(instance, params["count"])
        return Response(
            s.NextSerializer({"results": times, "timezone": instance.timezone, "calendar": calendar}).data
        )


class ScheduleRunView(_SchedulesApiView):
    """Running a schedule by hand."""

    scopes = {"POST": RUNS_START}

    @extend_schema(request=Verb, responses={201: RunSerializer})
    def post(self, request: Request, schedule: str) -> Response:
        """Starts a run now, whatever runs already and also while the schedule is off: 201 the run."""
        run = service.run_now(self.principal, schedule, **body(Verb, request))
        return Response(self.shown(run), status=201)


class ScheduleHistoryView(_SchedulesApiView):
    """What a schedule did."""

    scopes = {"GET": RUNS_READ}

    @extend_schema(parameters=[PageQuery], responses=page_schema(s.DueTimeSerializer))
    def get(self, request: Request, schedule: str) -> Response:
        """What was started, and what was skipped and why, newest first; of the last 90 days."""
        params = query(PageQuery, request)
        page = keyset_page(entries_of(self.find(schedule)), request, keys=("id",), **params)
        return Response(page.answer(s.DueTimeSerializer(page.rows, many=True).data))
