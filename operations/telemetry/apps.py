"""The app of telemetry."""

from django.apps import AppConfig


class TelemetryConfig(AppConfig):
    """Where time goes and what fails."""

    name = "operations.telemetry"
    label = "telemetry"
    verbose_name = "Telemetry"

    def ready(self) -> None:
        """Provide the link beside each page."""
        from lib.panels import PANELS, Panel

        PANELS.register(Panel("side", "telemetry/_side_link.html"))
