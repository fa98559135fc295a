"""`manage.py rotate_master_key`: wraps the tenants' keys by the first key of `HANDOFF_MASTER_KEY`."""

from typing import Any

from django.core.management.base import CommandError

from accounts.sealed import rewrap
from lib.commands import QuickCommand
from lib.sealing import CannotOpen


class Command(QuickCommand):
    help = (
        "Wraps every tenant's key by the current master key: the first one of HANDOFF_MASTER_KEY, or of the file "
        "master-key in the home. Afterwards the other ones can be taken out. Safe to run again."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            count = rewrap()
        except CannotOpen as problem:
            raise CommandError(f"{problem}; the old master key must stand behind the new one") from None
        self.stdout.write(f"wrapped {count} keys anew")
