"""`handoff` and `manage.py`: Django's command line for Handoff, with what its user can put right in a line each."""

import os
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

import django
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

from config import environment, understanding
from lib.database_errors import OPERATIONAL_ERRORS
from lib.loading import loading
from lib.messages import first_line

SHORT = {"run": "run_workflow", "print": "print_workflow", "publish": "publish_workflow"}
"""Commands that may be called by a shorter name."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command (`sys.argv` by default). Raises SystemExit, with a line for what its user can put right."""
    program, *words = sys.argv if arguments is None else arguments
    if words == ["--version"]:
        print(f"Handoff {release()}")
        return
    # Asked first, because with these the settings cannot even be read.
    if problems := understanding.problems():
        sys.exit("\n".join(f"problem  {problem}" for problem in problems))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        with loading():
            django.setup()
        execute_from_command_line([program, *(SHORT.get(name, name) for name in words[:1]), *words[1:]])
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
