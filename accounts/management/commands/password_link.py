"""`manage.py password_link`: prints a link to set somebody's password, such as an admin's whom no mail reaches."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.db import transaction

from accounts import audit
from accounts.models import SENT
from accounts.passwords import written
from accounts.queries import get_user, principals_of
from lib.commands import QuickCommand
from lib.refusals import Refusal


class Command(QuickCommand):
    help = "Prints a link by which a user sets their password, valid once, within three days."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--user", required=True, help="whose password it sets")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            user = get_user(options["user"])
        except Refusal as refusal:
            raise CommandError(refusal.message) from None
        with transaction.atomic():
            for principal in principals_of([user]).values():
                audit.change_by_command(principal.tenant_id, "member.make_password_link", user.username)
        self.stdout.write(written(user, SENT))
