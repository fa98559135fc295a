"""`config` as a Django app: the commands and checks that belong to no app, Celery, what no step may reach."""

from django.apps import AppConfig


class HouseConfig(AppConfig):
    name = "config"
    label = "house"
    verbose_name = "Handoff"

    def ready(self) -> None:
        from importlib import import_module
        from typing import cast

        from django.conf import settings

        from config import checks, dispatch_environment, environment, features  # noqa: F401
        from steps import outside

        if settings.HANDOFF_DISPATCH == dispatch_environment.HINTS:
            # From here on `shared_task` means this Celery app, also in the web process.
            import_module("config.celery")

        names = cast("dict[str, str]", settings.SPECTACULAR_SETTINGS["ENUM_NAME_OVERRIDES"])
        names.update(features.enum_names())
        servers = environment.own_servers(
            settings.DATABASE_URL,
            settings.REDIS_URL,
            ("127.0.0.1", settings.HANDOFF_PORT),
            (settings.HANDOFF_GRPC_HOST, settings.HANDOFF_GRPC_PORT),
        )
        outside.protect(servers)
        outside.log_mail(settings.HANDOFF_LOG_MAIL)
