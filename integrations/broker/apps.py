"""The app of brokers that announce jobs to consumers."""

from django.apps import AppConfig


class BrokerConfig(AppConfig):
    """Brokers: their relay is a process of its own, the app has what operators see of it."""

    name = "integrations.broker"
    label = "broker"
    verbose_name = "Broker"

    def ready(self) -> None:
        """Provide how the outbox stands, for the route and the page of dispatch."""
        from integrations.broker.standing import outbox_row
        from integrations.broker.web import outbox_panel
        from lib.panels import PANELS, Panel
        from runs.ports import OUTBOX

        OUTBOX.register(outbox_row)
        PANELS.register(Panel("dispatch", "broker/_dispatch.html", outbox_panel))
