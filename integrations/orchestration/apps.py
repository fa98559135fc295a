"""The app of the orchestration API."""

from django.apps import AppConfig


class OrchestrationConfig(AppConfig):
    """Its routes are in `urls.py`, found by its name."""

    name = "integrations.orchestration"
    label = "orchestration"
    verbose_name = "Orchestration API"
    enum_names = {"WorkflowExecutionStatus": "integrations.orchestration.words.STATUSES"}
