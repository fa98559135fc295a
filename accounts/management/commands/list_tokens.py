"""`manage.py list_tokens`: the API tokens of a tenant, a line each."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from accounts import queries, tokens
from accounts.models import ApiToken
from lib.commands import QuickCommand
from lib.refusals import Refusal

_SHOWN = ("id", "status", "user", "role", "created_at", "last_used_at", "expires_at", "name")


class Command(QuickCommand):
    help = "Prints the API tokens of a tenant, newest first: " + ", ".join(_SHOWN) + ", separated by tabs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tenant", default="default")
        parser.add_argument("--user", help="only those that act for this user")
        parser.add_argument("--all", action="store_true", help="also those that are revoked")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            tenant = queries.get_tenant(options["tenant"])
        except Refusal as refusal:
            raise CommandError(refusal.message) from None
        rows = ApiToken.objects.for_tenant(tenant.pk).select_related("user").order_by("-pk")
        if options["user"]:
            rows = rows.filter(user__username__iexact=options["user"])
        for row in tokens.rows(rows if options["all"] else rows.filter(revoked_at=None)):
            self.stdout.write("\t".join(_text(row[name]) for name in _SHOWN))


def _text(value: Any) -> str:
    if value is None:
        return "-"
    # A name with a tab or a line break must not look like another column or row.
    return (
        value.isoformat(timespec="seconds") if hasattr(value, "isoformat") else " ".join(str(value).split())
    )
