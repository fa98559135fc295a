"""`handoff up`, `manage.py up`: the same as `make up`, without setting up `.venv`."""

import os
import sys

from config import environment
from lib.commands import QuickCommand


class Command(QuickCommand):
    help = "Start everything and stay in the foreground; Ctrl-C stops it all."

    def handle(self, *args: object, **options: object) -> None:
        """Becomes the supervisor, which must not be a Django process: it outlives the database."""
        # Before the folder changes: the default home of an installed Handoff is in the one where this was typed.
        os.environ["HANDOFF_HOME"] = str(environment.home())
        os.chdir(environment.BASE_DIR)
        os.execv(sys.executable, [sys.executable, "-m", "config.supervisor"])  # noqa: S606
