"""`manage.py prepare`: what the supervisor runs before web and workers start."""

from django.core.management.base import CommandError

from config.startup import NotStartable, prepare
from lib.commands import QuickCommand


class Command(QuickCommand):
    help = "Check the servers, migrate, make the first start's data. `make up` runs it."

    def handle(self, *args: object, **options: object) -> None:
        """Ends with a CommandError of one line where Handoff must not start on these servers."""
        try:
            prepare(self._say)
        except NotStartable as problem:
            raise CommandError(str(problem)) from None

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
