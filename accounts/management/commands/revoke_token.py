"""`manage.py revoke_token`: ends an API token at once."""

import logging
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from accounts import queries, token_format
from accounts.services import revoke_token, revoke_tokens_of
from lib.commands import QuickCommand
from lib.refusals import Refusal

logger = logging.getLogger("handoff.audit")


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
        logger.info("%s by a command", sentence)
        self.stdout.write(sentence)


def _one(token: str, tenant: str) -> str:
    public_id = token_format.public_id_of(token) or token
    revoke_token(queries.get_tenant(tenant).pk, public_id)
    return f"revoked the token {public_id}"


def _all_of(username: str) -> str:
    user = queries.get_user(username)
    return f"revoked {revoke_tokens_of(user.pk)} tokens of {user.username}"
