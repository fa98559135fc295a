#!/usr/bin/env python
"""Django's command line for Handoff."""

import os
import sys

import psycopg
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import InterfaceError, OperationalError

from config import environment

LOST = (OperationalError, InterfaceError, psycopg.OperationalError, psycopg.InterfaceError)


def main() -> None:
    """Run the command; what its user can put right is a line each, with exit code 1, and no traceback."""
    # Asked first, because with these the settings cannot even be read.
    if problems := environment.problems():
        sys.exit("\n".join(f"problem  {problem}" for problem in problems))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as problem:
        sys.exit(str(problem))
    except LOST as problem:
        reason = (str(problem).strip().splitlines() or [type(problem).__name__])[0]
        sys.exit(
            f"The database does not answer ({reason}): start Handoff (make up), or ask manage.py doctor."
        )


if __name__ == "__main__":
    main()
