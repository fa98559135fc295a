"""`manage.py doctor`: looks at this machine and this home, and says what to do."""

import sys

from config.doctor import examine
from lib.commands import QuickCommand


class Command(QuickCommand):
    help = "Check the environment and say what to do. Exits with 1 when something would keep Handoff from running."

    def handle(self, *args: object, **options: object) -> None:
        """One line for each finding."""
        problems = 0
        for finding in examine():
            problems += finding.level == "problem"
            advice = f": {finding.advice}" if finding.advice else ""
            self.stdout.write(f"{finding.level:<8} {finding.text}{advice}")
        if problems:
            sys.exit(1)
