"""`manage.py lost_workers NAME ...`: takes back what workers held that have ended; the supervisor runs it."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from lib.commands import QuickCommand
from lib.database_errors import OPERATIONAL_ERRORS
from lib.messages import first_line
from lib.noticeboard import board
from runs.kernel import live
from runs.maintenance import leases


class Command(QuickCommand):
    help = "Ends the leases of built-in workers that are known to be dead, and queues their steps again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("names", nargs="+", help="host:process:life, as history names a worker")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            leases.lose(options["names"])
        except OPERATIONAL_ERRORS as error:
            raise CommandError(
                f"The leases of lost workers could not be ended: {first_line(error)}"
            ) from None
        finally:
            live.settle()
            board.settle()
