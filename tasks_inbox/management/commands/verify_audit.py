"""`manage.py verify_audit`: whether decisions are what was written down when they were made (R-149)."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from accounts.models import Tenant
from lib.commands import QuickCommand
from tasks_inbox.evidence.verifying import verify_chain, verify_histories
from tasks_inbox.models import EvidenceHead


class Command(QuickCommand):
    help = (
        "Recomputes the chains of decisions and the seals of their runs and reports every difference; "
        "exits 1 if there is one."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tenant", help="only this tenant; else all of them")

    def handle(self, *args: Any, **options: Any) -> None:
        tenants = Tenant.objects.order_by("slug")
        if options["tenant"]:
            tenants = tenants.filter(slug=options["tenant"])
            if not tenants.exists():
                raise CommandError(f"There is no tenant {options['tenant']!r}.", returncode=2)
        wrong = 0
        for tenant in tenants:
            head = EvidenceHead.objects.for_tenant(tenant.pk).first()
            for fault in verify_chain(tenant.pk):
                wrong += 1
                self.stdout.write(f"{tenant.slug} decision {fault.seq or 'end'}: {fault.what}")
            for difference in verify_histories(tenant.pk):
                wrong += 1
                where = f"{tenant.slug} run {difference.run}" + (
                    f" step {difference.node}" if difference.node else ""
                )
                self.stdout.write(
                    f"{where} {difference.field}: expected {difference.expected}, found {difference.actual}"
                )
            ends = f"end at {head.seq:,} with {head.digest}" if head else "are none yet"
            self.stderr.write(f"{tenant.slug}: decisions {ends}")
        if wrong:
            raise CommandError("Decisions differ from what was recorded.", returncode=1)
