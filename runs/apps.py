"""The app of what is happening: runs, their steps and the loop that moves them."""

from django.apps import AppConfig


class RunsConfig(AppConfig):
    """Runs and steps."""

    name = "runs"
    verbose_name = "Runs"
