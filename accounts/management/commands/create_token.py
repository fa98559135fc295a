"""`manage.py create_token`: prints a new API token and nothing else."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.db import transaction

from accounts import audit, token_reach, tokens
from accounts.principal import JobReach
from accounts.queries import command_principal, get_tenant, get_user, role_in
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
        parser.add_argument(
            "--queue",
            action="append",
            metavar="NAME",
            help="a queue whose jobs it may take, pay* for all that begin so, '*' for all; may be given several times",
        )
        parser.add_argument(
            "--folder",
            action="append",
            metavar="NAME",
            help="a folder whose workflows, runs and jobs it may reach, '*' for all; may be given several times",
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
                limits = {"queues": options["queue"], "folders": options["folder"]}
                _token, text = tokens.make(principal, service=True, **fields, **limits)
            else:
                user, tenant = get_user(options["user"]), get_tenant(options["tenant"])
                jobs = _jobs(options, options["role"] or role_in(user, tenant))
                with transaction.atomic():
                    token, text = create_token(user=user, tenant=tenant, jobs=jobs, **fields)
                    token.refresh_from_db()
                    after = tokens.facts_of(token)
                    audit.change_by_command(tenant.pk, "token.create", token.public_id, after=after)
        except Refusal as refusal:
            raise CommandError(refusal.message) from None
        self.stdout.write(text)


def _jobs(options: dict[str, Any], role: str) -> JobReach:
    """Raises CommandError where nothing is chosen for a token that takes jobs."""
    queues, folders = options["queue"], options["folder"]
    takes_jobs = token_reach.takes_jobs(role, None)
    if takes_jobs and not queues and not folders:
        raise CommandError(
            "say which jobs it may take: --queue NAME, --queue 'pay*' or --queue '*', and --folder NAME or '*'"
        )
    principal = command_principal(options["user"], options["tenant"])
    return token_reach.chosen(principal, queues, folders, takes_jobs=takes_jobs)
