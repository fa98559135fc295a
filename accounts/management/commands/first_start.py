"""`manage.py first_start`: what must be there before anybody can log in; safe to run at every start."""

import os
import secrets
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from accounts.models import User
from accounts.services import ensure_admin, set_password
from lib.commands import QuickCommand


class Command(QuickCommand):
    help = "Makes the default tenant and the user admin if they are missing."

    def handle(self, *args: Any, **options: Any) -> None:
        password = os.environ.get("HANDOFF_ADMIN_PASSWORD")
        exists = User.objects.filter(username="admin").exists()
        user, created = ensure_admin(password or ("" if exists else _kept_password()))
        if created:
            self.stderr.write("made the user admin")
        elif password and not user.check_password(password):
            set_password(user, password)
            self.stderr.write("gave the user admin the password from HANDOFF_ADMIN_PASSWORD")


def _kept_password() -> str:
    """The password in the home's file; a missing file is made, readable by its owner only."""
    path = Path(settings.HANDOFF_HOME) / "admin-password"
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        if not (password := path.read_text().strip()):
            raise CommandError(f"{path} is empty; put a password in it or remove it") from None
        return password
    with os.fdopen(descriptor, "w") as file:
        file.write((password := secrets.token_urlsafe(18)) + "\n")
    return password
