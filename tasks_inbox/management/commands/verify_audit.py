"""`manage.py verify_audit`: whether decisions and audit records are as they were written down (R-149)."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from accounts.audit import chain
from accounts.models import AuditHead, Tenant
from lib.commands import QuickCommand
from runs.integrity.compare import Difference
from tasks_inbox.evidence.verifying import verify_chain, verify_histories
from tasks_inbox.models import EvidenceHead


class Command(QuickCommand):
    help = (
        "Recomputes the chains of decisions and audit records and the seals of decided runs and reports every "
        "difference; "
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
        wrong = sum(self._verify(tenant) for tenant in tenants)
        if wrong:
            raise CommandError("Decisions or audit records differ from what was recorded.", returncode=1)

    def _verify(self, tenant: Tenant) -> int:
        """Print what differs in a tenant; gives how much that is."""
        differences = [
            *(f"decision {fault.seq or 'end'}: {fault.what}" for fault in verify_chain(tenant.pk)),
            *(f"audit record {fault.seq or 'end'}: {fault.what}" for fault in chain.verify(tenant.pk)),
            *map(_difference, verify_histories(tenant.pk)),
        ]
        for text in differences:
            self.stdout.write(f"{tenant.slug} {text}")
        head = EvidenceHead.objects.for_tenant(tenant.pk).first()
        ends = f"end at {head.seq:,} with {head.digest}" if head else "are none yet"
        self.stderr.write(f"{tenant.slug}: decisions {ends}")
        audit = AuditHead.objects.for_tenant(tenant.pk).first()
        ends = f"end at {audit.seq:,} with {bytes(audit.digest).hex()}" if audit else "are none yet"
        self.stderr.write(f"{tenant.slug}: audit records {ends}")
        return len(differences)


def _difference(one: Difference) -> str:
    where = f"run {one.run}" + (f" step {one.node}" if one.node else "")
    return f"{where} {one.field}: expected {one.expected}, found {one.actual}"
