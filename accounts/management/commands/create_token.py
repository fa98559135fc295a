"""`manage.py create_token`: prints a new API token and nothing else."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.db import transaction

from accounts import audit, tokens
from accounts.queries import command_principal, get_tenant, get_user
from accounts.roles import TOKEN_ROLES
from accounts.services import create_token
from lib.commands import QuickCommand
from lib.refusals import Refusal


class Command(QuickCommand):
    help = "Prints a new API token; it is shown only once."

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
            help="an address or network that it may be used from; may be given several times",
        )
        parser.add_argument("--name", default="", help="what it is for")
        parser.add_argument(
            "--service",
            action="store_true",
            help="it acts for no person, and stays when the user who makes it, an admin, leaves; needs --name",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        fields = {name: options[name] for name in ("role", "days", "name")}
        fields["allowed_ips"] = options["allow_ip"]
        try:
            if options["service"]:
                principal = command_principal(options["user"], options["tenant"])
                _token, text = tokens.make(principal, service=True, **fields)
            else:
                user, tenant = get_user(options["user"]), get_tenant(options["tenant"])
                with transaction.atomic():
                    token, text = create_token(user=user, tenant=tenant, **fields)
                    token.refresh_from_db()
                    after = tokens.facts_of(token)
                    audit.change_by_command(tenant.pk, "token.create", token.public_id, after=after)
        except Refusal as refusal:
            raise CommandError(refusal.message) from None
        self.stdout.write(text)
