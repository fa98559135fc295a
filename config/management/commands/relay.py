"""`manage.py relay`: tells a broker's consumers of jobs, where processes are started by other means than `up`."""

import os
from importlib import import_module

from django.conf import settings
from django.core.management.base import CommandError

from config import belonging, environment
from lib.commands import QuickCommand


class Command(QuickCommand):
    help = "Publish what is in the outbox, until it is stopped; for HANDOFF_DISPATCH=redis_outbox or kafka_outbox."

    def handle(self, *args: object, **options: object) -> None:
        """Work until SIGTERM or SIGINT."""
        if not settings.HANDOFF_BROKER:
            raise CommandError(
                "Set HANDOFF_DISPATCH=redis_outbox or kafka_outbox: nothing is published otherwise."
            )
        database = settings.DATABASES["default"]
        database.update(environment.connected_as("worker", database))
        belonging.refuse()
        os.environ["HANDOFF_PROCESS"] = "worker"
        import_module("integrations.broker.relay").serve()
