"""The app of webhooks."""

from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    """Webhooks that start runs and send signals."""

    name = "triggers.webhooks"
    label = "webhooks"
    verbose_name = "Webhooks"
    enum_names = {"ActionEnum": "triggers.webhooks.serializers.ACTIONS"}

    def ready(self) -> None:
        """Provide the guard of webhooks, what starts a workflow, what is with who leaves, and parts of pages."""
        from accounts.guards import guards
        from lib.panels import PANELS, Panel
        from tasks_inbox.ports import LEFT_KINDS
        from triggers.webhooks.access import guard_webhook
        from triggers.webhooks.leaving import LEFT
        from triggers.webhooks.overview import webhook_triggers
        from triggers.webhooks.web import newest
        from workflows.ports import TRIGGERS

        guards("webhook_id", guard_webhook)
        TRIGGERS.register(webhook_triggers)
        LEFT_KINDS.register(LEFT)
        PANELS.register(
            Panel("messages", "webhooks/_messages.html", newest),
            Panel("settings-tabs", "webhooks/_tab.html"),
            Panel("settings-commands", "webhooks/_command.html"),
            Panel("workflow-triggers", "webhooks/_add.html"),
        )
