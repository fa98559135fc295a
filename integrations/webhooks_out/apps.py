"""The app of webhooks that go out."""

from django.apps import AppConfig


class WebhooksOutConfig(AppConfig):
    """Webhooks that go out."""

    name = "integrations.webhooks_out"
    label = "webhooks_out"
    verbose_name = "Webhooks out"

    def ready(self) -> None:
        """Provide the guard of webhooks, their tab in Settings, their command and what the page of messages shows."""
        from accounts.guards import guards
        from integrations.webhooks_out.access import guard_outgoing
        from integrations.webhooks_out.web import newest
        from lib.panels import PANELS, Panel

        guards("outgoing_id", guard_outgoing)
        PANELS.register(
            Panel("settings-tabs", "webhooks_out/_tab.html"),
            Panel("settings-commands", "webhooks_out/_command.html"),
            Panel("messages", "webhooks_out/_messages.html", newest),
        )
