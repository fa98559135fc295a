"""The routes of telemetry."""

from django.urls import path

import workflows.api.converters  # noqa: F401  (registers `workflow_name`)
from operations.telemetry import api as views
from operations.telemetry import web

api = [
    path("telemetry/summary", views.TelemetrySummaryView.as_view(), name="api-telemetry-summary"),
    path(
        "telemetry/step-types",
        views.TelemetryStepTypesView.as_view(),
        name="api-telemetry-step-types",
    ),
]
pages = [
    path("telemetry", web.telemetry_page, name="telemetry"),
    path("telemetry/<workflow_name:name>", web.workflow_telemetry, name="telemetry-workflow"),
]
