"""`manage.py print_workflow NAME`: a definition as the Python that makes it, or as JSON or YAML."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from accounts.queries import command_principal
from lib.commands import QuickCommand
from lib.refusals import Refusal
from workflows.document.texts import EXPORTS, exported
from workflows.versions import lifecycle


class Command(QuickCommand):
    help = "Prints the definition of a workflow: of its latest version, before the first of its draft."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="the workflow")
        which = parser.add_mutually_exclusive_group()
        # Django has a --version of its own.
        which.add_argument("--number", type=int, help="another version")
        which.add_argument("--draft", action="store_true", help="the draft")
        parser.add_argument("--format", choices=EXPORTS, default="python")
        parser.add_argument("--tenant", default="default")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            principal = command_principal("admin", options["tenant"])
            definition = lifecycle.export(
                principal, options["name"], version=options["number"], draft=options["draft"]
            )
        except Refusal as refusal:
            raise CommandError(refusal.message, returncode=2) from None
        self.stdout.write(exported(definition, options["format"]))
