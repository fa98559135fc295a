"""The app of alerts."""

from django.apps import AppConfig


class AlertsConfig(AppConfig):
    """Alerts, their rules and their channels."""

    name = "operations.alerts"
    label = "alerts"
    verbose_name = "Alerts"
    enum_names = {
        "AlertSeverity": "operations.alerts.models.SEVERITIES",
        "AlertChannelKind": "operations.alerts.models.CHANNEL_KINDS",
        "AlertRuleKind": "operations.alerts.serializers.RULE_KINDS",
    }

    def ready(self) -> None:
        """Provide the guard of alerts, their tab, and their count on each page."""
        from accounts.guards import guards
        from accounts.roles import RUNS_OPERATE
        from lib.panels import PANELS, Panel
        from operations.alerts.access import guard_alert
        from runs.ports import OPERATIONS_TABS, Tab

        guards("alert_id", guard_alert)
        OPERATIONS_TABS.register(Tab(20, "operations-alerts", "Alerts", RUNS_OPERATE))
        PANELS.register(Panel("operations-link", "alerts/_side_count.html"))
