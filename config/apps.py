"""`config` as a Django app: it has the commands that belong to no app, and wakes Celery in every process."""

from django.apps import AppConfig


class HouseConfig(AppConfig):
    name = "config"
    label = "house"
    verbose_name = "Handoff"

    def ready(self) -> None:
        # From here on `shared_task` means this Celery app, also in the web process.
        from config import celery  # noqa: F401
