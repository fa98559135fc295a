"""`manage.py first_start`: what must be there before anybody can log in; safe to run at every start."""

import os
import secrets
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.db import transaction

from accounts import audit
from accounts.models import User
from accounts.queries import find_seat
from accounts.roles import ADMIN
from accounts.services import ensure_admin, ensure_default_tenant, set_password
from lib.commands import QuickCommand


class Command(QuickCommand):
    help = "Makes the default tenant and the user admin if they are missing."

    def handle(self, *args: Any, **options: Any) -> None:
        password = os.environ.get("HANDOFF_ADMIN_PASSWORD")
        exists = User.objects.filter(username="admin").exists()
        with transaction.atomic():
            sentence = self._ensure(password or ("" if exists else _kept_password()), is_given=bool(password))
        if sentence:
            self.stderr.write(sentence)

    def _ensure(self, password: str, *, is_given: bool) -> str:
        """What was done, in words; empty where all was there."""
        before = _role()
        user, created = ensure_admin(password)
        tenant = ensure_default_tenant()
        if before != ADMIN:
            audit.change_by_command(
                tenant.pk, "member.add", user.username, before={"role": before}, after={"role": ADMIN}
            )
        if created:
            return "made the user admin"
        if not is_given or user.check_password(password):
            return ""
        set_password(user, password)
        audit.change_by_command(
            tenant.pk, "user.set_password", user.username, after={"password": audit.CHANGED}
        )
        return "gave the user admin the password from HANDOFF_ADMIN_PASSWORD"


def _role() -> str | None:
    """The role of the user admin until now."""
    member = find_seat(ensure_default_tenant().pk, "admin")
    return member.role if member else None


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
