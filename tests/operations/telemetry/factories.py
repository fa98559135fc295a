"""Rows of telemetry."""

from operations.telemetry.models import RunTelemetry
from tests.factories.accounts import OfATenant


class RunTelemetryFactory(OfATenant):
    """A span in which nothing happened to the runs of a version; which one and when is to be given."""

    span = "hour"
    started = completed = failed = cancelled = interventions = duration_ms = 0

    class Meta:
        model = RunTelemetry
