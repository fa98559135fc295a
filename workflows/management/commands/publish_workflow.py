"""`manage.py publish_workflow FILE.py`: publishes the workflows that a Python file makes, or saves them as drafts.

The file is executed, with all that whoever types this may do here: it is code of theirs, as this command is.
"""

import runpy
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from accounts.principal import Principal
from accounts.queries import command_principal
from lib.commands import QuickCommand
from lib.refusals import Refusal
from steps.authoring.workflow import Workflow, WorkflowInvalid
from workflows.checking.check import check
from workflows.readiness.checking import readiness_of
from workflows.versions import lifecycle

RUN_NAME = "__handoff__"
"""What the file is called while it is executed, so that it knows that nobody started it as a program."""


class Command(QuickCommand):
    help = "Publishes the workflows that a Python file makes with handoff.definition."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="the file; it is executed")
        parser.add_argument("--draft", action="store_true", help="save them as drafts, publish nothing")
        parser.add_argument("--note", default="", help="the note shown with the versions")
        parser.add_argument(
            "--despite-failing-cases", action="store_true", help="publish although test cases fail"
        )
        parser.add_argument("--user", default="admin", help="who publishes")
        parser.add_argument("--tenant", default="default")

    def handle(self, *args: Any, **options: Any) -> None:
        workflows = _made_by(options["file"])
        try:
            principal = command_principal(options["user"], options["tenant"])
            # All are judged before one is saved. A draft may be wrong.
            wrong = [workflow for workflow in workflows if self._has_errors(principal, workflow)]
            if wrong and not options["draft"]:
                raise CommandError("Nothing was saved.", returncode=2)
            for workflow in workflows:
                self._save(principal, workflow, options)
        except Refusal as refusal:
            raise CommandError(refusal.message, returncode=2) from None

    def _save(self, principal: Principal, workflow: Workflow, options: dict[str, Any]) -> None:
        """Says what was done, and what the check before publishing finds beyond `validate`. Raises Refusal."""
        drafted = lifecycle.import_definition(principal, workflow.definition())
        name, revision = drafted.workflow.name, drafted.workflow.draft_revision
        if options["draft"]:
            self.stdout.write(f"{name}: saved as the draft")
            return
        published = lifecycle.publish(
            principal,
            name,
            note=options["note"],
            expected_revision=revision,
            despite_failing_cases=options["despite_failing_cases"],
        )
        number = published.version.number
        done = "published as" if published.created else "is already"
        self.stdout.write(f"{name}: {done} version {number}")
        for finding in readiness_of(principal, published.version, published.problems).findings:
            if not finding.validates:
                self.stderr.write(f"{finding.severity} in {name}: {finding.sentence}")

    def _has_errors(self, principal: Principal, workflow: Workflow) -> bool:
        checked = check(workflow.definition(), name=workflow.name, tenant=principal.tenant_id)
        for problem in checked.problems:
            self.stderr.write(f"{problem.severity} in {workflow.name}: {workflow.told(problem)}")
        return not checked.is_publishable


def _made_by(file: Path) -> list[Workflow]:
    """The workflows that the file leaves in its variables, in their order. Raises CommandError where there is none."""
    if not file.is_file():
        raise CommandError(f"There is no file {file}.", returncode=2)
    # As for a program: it may import what lies beside it.
    sys.path.insert(0, str(file.resolve().parent))
    try:
        variables = runpy.run_path(str(file), run_name=RUN_NAME)
    except WorkflowInvalid as invalid:
        raise CommandError(str(invalid), returncode=2) from None
    finally:
        sys.path.pop(0)
    workflows = {id(value): value for value in variables.values() if isinstance(value, Workflow)}
    if not workflows:
        raise CommandError(f"{file} makes no workflow: assign one to a variable.", returncode=2)
    return list(workflows.values())
