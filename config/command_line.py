"""`handoff` and `manage.py`: Django's command line for Handoff, with what its user can put right in a line each."""

import os
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

import django
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

from config import environment, start_environment, understanding
from lib.database_errors import OPERATIONAL_ERRORS
from lib.loading import loading
from lib.messages import first_line

SHORT = {"run": "run_workflow", "print": "print_workflow", "publish": "publish_workflow"}
"""Commands that may be called by a shorter name."""
READS = frozenset(
    {"check", "doctor", "help", "list_tokens", "print_workflow", "showmigrations", "spectacular"}
    | {"up", "verify_audit", "verify_history"}
)
"""Commands that change nothing, and `up`, which observes where it shall: the only ones where Handoff observes."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command (`sys.argv` by default). Raises SystemExit, with a line for what its user can put right."""
    program, *words = sys.argv if arguments is None else arguments
    if words == ["--version"]:
        print(f"Handoff {release()}")
        return
    # Asked first, because with these the settings cannot even be read.
    if problems := understanding.problems():
        sys.exit("\n".join(f"problem  {problem}" for problem in problems))
    name = next((SHORT.get(word, word) for word in words[:1]), "help")
    if name not in READS and (start_environment.observes() or environment.run_facts().get("observes")):
        sys.exit(f"This Handoff observes only ({start_environment.VARIABLE}): {name} could change something.")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        with loading():
            django.setup()
        execute_from_command_line([program, *([name] if words else []), *words[1:]])
    except ImproperlyConfigured as problem:
        sys.exit(str(problem))
    except OPERATIONAL_ERRORS as problem:
        sys.exit(
            f"The database does not answer ({first_line(problem)}): start Handoff ({environment.command('up')}), or ask"
            f" {environment.command('doctor')}."
        )


def release() -> str:
    """The version of Handoff; a checkout that nobody installed has none."""
    try:
        return version("handoff")
    except PackageNotFoundError:
        return "from a checkout"
