"""`manage.py worker QUEUE`: a worker process without Celery, where processes are started by other means than `up`."""

import os
from argparse import ArgumentParser

from django.conf import settings
from django.core.management.base import CommandError

from config import belonging, dispatch_environment, environment, worker
from lib.commands import QuickCommand
from runs.kernel.dispatch import BUILT_IN_QUEUES
from runs.maintenance.duties import TICKS


class Command(QuickCommand):
    help = "Work on one queue, or keep time (ticks), until it is stopped; for HANDOFF_DISPATCH=polling."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The queue."""
        parser.add_argument("queue", choices=(*BUILT_IN_QUEUES, TICKS))

    def handle(self, *args: object, **options: str) -> None:
        """Work until SIGTERM or SIGINT."""
        if settings.HANDOFF_DISPATCH != dispatch_environment.POLLING:
            raise CommandError("Set HANDOFF_DISPATCH=polling; with hints Celery's workers do this.")
        database = settings.DATABASES["default"]
        database.update(environment.connected_as("worker", database))
        belonging.refuse()
        os.environ.update(HANDOFF_PROCESS="worker", HANDOFF_WORKER_QUEUE=options["queue"])
        worker.work()
