"""`manage.py revoke_token`: ends an API token at once."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.db import transaction

from accounts import audit, queries, token_format
from accounts.services import revoke_token, revoke_tokens_of
from lib.commands import QuickCommand
from lib.refusals import Refusal


class Command(QuickCommand):
    help = "Revokes an API token at once and for good, with those that were made with it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("token", nargs="?", help="its id (see list_tokens), or the token itself")
        parser.add_argument("--tenant", default="default")
        parser.add_argument("--user", help="instead: all that act for this user, in every tenant")

    def handle(self, *args: Any, **options: Any) -> None:
        if bool(options["token"]) == bool(options["user"]):
            raise CommandError("name one token, or a --user")
        try:
            sentence = (
                _all_of(options["user"]) if options["user"] else _one(options["token"], options["tenant"])
            )
        except Refusal as refusal:
            raise CommandError(refusal.message) from None
        self.stdout.write(sentence)


@transaction.atomic
def _one(token: str, tenant: str) -> str:
    public_id, tenant_id = token_format.public_id_of(token) or token, queries.get_tenant(tenant).pk
    revoke_token(tenant_id, public_id)
    audit.change_by_command(tenant_id, "token.revoke", public_id)
    return f"revoked the token {public_id}"


@transaction.atomic
def _all_of(username: str) -> str:
    user = queries.get_user(username)
    revoked = revoke_tokens_of(user.pk)
    for tenant_id, ids in revoked.items():
        audit.change_by_command(tenant_id, "token.revoke_all", user.username, before={"ids": ids})
    return f"revoked {sum(map(len, revoked.values()))} tokens of {user.username}"
