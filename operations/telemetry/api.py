"""The routes of telemetry: the scoreboard of a period, and its steps by type or node."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.roles import RUNS_READ
from lib.api.serializers import query
from operations.telemetry import figures
from operations.telemetry.serializers import (
    PeriodQuery,
    StepsQuery,
    StepTelemetrySerializer,
    TelemetrySummarySerializer,
)
from runs.api.base import RunsApiView


class TelemetrySummaryView(RunsApiView):
    """The scoreboard."""

    scopes = {"GET": RUNS_READ}

    @extend_schema(parameters=[PeriodQuery], responses=TelemetrySummarySerializer)
    def get(self, request: Request) -> Response:
        """How runs ended in a period, how long they took, and how often somebody had to step in."""
        params = query(PeriodQuery, request)
        return Response(figures.summary(figures.select(self.principal, **_period(params))))


class TelemetryStepTypesView(RunsApiView):
    """Steps by type, or by node."""

    scopes = {"GET": RUNS_READ}

    @extend_schema(parameters=[StepsQuery], responses=StepTelemetrySerializer)
    def get(self, request: Request) -> Response:
        """How long steps took and how often they failed in a period; what took longest comes first, 200 at most."""
        params = query(StepsQuery, request)
        selection = figures.select(self.principal, version=params.get("version"), **_period(params))
        return Response(
            {
                "from": selection.period.since,
                "to": selection.period.until,
                "results": figures.step_rows(selection, by=params["by"]),
            }
        )


def _period(params: dict[str, Any]) -> dict[str, Any]:
    return {
        "since": params.get("from"),
        "until": params.get("to"),
        "workflow": params.get("workflow"),
    }
