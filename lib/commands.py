"""What every command of `manage.py` starts from."""

from django.core.management.base import BaseCommand


class QuickCommand(BaseCommand):
    """A command that starts at once: Django's checks would load every page first, half a second of a core; `check`
    makes them.
    """

    requires_system_checks = ()
