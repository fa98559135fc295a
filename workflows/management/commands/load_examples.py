"""`manage.py load_examples`: the examples, published, where nobody has made any workflow yet; part of every start."""

from typing import Any

from django.db import transaction

from accounts.models import User
from accounts.principal import EVERYWHERE, Principal
from accounts.roles import ADMIN, SCOPES_OF_ROLE
from accounts.services import ensure_default_tenant
from lib.commands import QuickCommand
from workflows.models import Workflow
from workflows.ports import EXAMPLES
from workflows.versions import lifecycle
from workflows.versions.examples import examples


class Command(QuickCommand):
    help = "Publishes the examples in the default tenant if it has never had a workflow."

    def handle(self, *args: Any, **options: Any) -> None:
        tenant = ensure_default_tenant()
        admin = User.objects.filter(username="admin").first()
        # Workflows are archived, never deleted: whoever archived the examples doesn't get them again.
        if admin is None or Workflow.objects.for_tenant(tenant.pk).exists():
            return
        scopes = SCOPES_OF_ROLE[ADMIN]
        principal = Principal(
            tenant.pk, tenant.slug, admin.pk, admin.username, ADMIN, scopes, "command", reach=EVERYWHERE
        )
        with transaction.atomic():
            for example in reversed(examples()):
                lifecycle.create_from_example(principal, example)
            for make in EXAMPLES:
                make(principal)
        self.stderr.write(f"made {len(examples())} example workflows")
