"""`config` as a Django app: the commands and checks that belong to no app, Celery, what no step may reach."""

from django.apps import AppConfig


class HouseConfig(AppConfig):
    name = "config"
    label = "house"
    verbose_name = "Handoff"

    def ready(self) -> None:
        # From here on `shared_task` means this Celery app, also in the web process.
        from django.conf import settings

        from config import celery, checks, environment  # noqa: F401
        from steps import outside

        servers = environment.own_servers(settings.DATABASE_URL, settings.REDIS_URL, settings.HANDOFF_PORT)
        outside.protect(servers)
