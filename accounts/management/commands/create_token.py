"""`manage.py create_token`: prints a new API token and nothing else."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.queries import get_tenant, get_user
from accounts.roles import TOKEN_ROLES
from accounts.services import create_token
from lib.refusals import Refusal


class Command(BaseCommand):
    help = "Prints a new API token; it is shown only this once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--user", required=True, help="whose name the token acts in")
        parser.add_argument(
            "--role", choices=TOKEN_ROLES, help="at most the user's own, which is the default"
        )
        parser.add_argument("--tenant", default="default")
        parser.add_argument("--days", type=int, help="how long it is valid; without it, until it is revoked")
        parser.add_argument(
            "--allow-ip",
            action="append",
            default=[],
            metavar="CIDR",
            help="an address or network from where alone it may be used; may be given several times",
        )
        parser.add_argument("--name", default="", help="what it is for")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            _token, text = create_token(
                user=get_user(options["user"]),
                tenant=get_tenant(options["tenant"]),
                role=options["role"],
                days=options["days"],
                name=options["name"],
                allowed_ips=options["allow_ip"],
            )
        except Refusal as refusal:
            raise CommandError(refusal.message) from None
        self.stdout.write(text)
