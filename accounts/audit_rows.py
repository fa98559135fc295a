"""The tables of the audit log, of which `models.py` is one file with the others."""

from django.db import models
from django.db.models.functions import Now

from accounts.scoping import TenantOwned


class AuditRecord(TenantOwned):
    """Who changed which setting, or was refused what; append-only (`sql/schema/audit.sql`).

    `by` is a username, or `os:NAME` for a command and `handoff:server` for what no person did; `before` and `after`
    are JSON as text (empty: nothing), in which a secret is only said to have changed.
    """

    at = models.DateTimeField(db_default=Now())
    by = models.CharField(max_length=150)
    via = models.CharField(max_length=16)
    token = models.CharField(max_length=16, help_text="The public id of the token that was used; or empty")
    door = models.CharField(max_length=16)
    address = models.CharField(max_length=64, help_text="From where: an address, or os:NAME for a command")
    act = models.CharField(max_length=100, db_collation="C")
    target = models.CharField(max_length=300)
    before = models.TextField()
    after = models.TextField()
    reason = models.TextField()
    count = models.IntegerField(help_text="Of refusals: how many; else 1")

    class Meta(TenantOwned.Meta):
        indexes = (
            models.Index(fields=["tenant", "id"], name="auditrecord_list"),
            models.Index(fields=["tenant", "act", "id"], name="auditrecord_act"),
            models.Index(fields=["tenant", "by", "id"], name="auditrecord_by"),
            models.Index(fields=["tenant", "target", "id"], name="auditrecord_target"),
            models.Index(fields=["tenant", "at"], name="auditrecord_at"),
        )


class AuditLink(TenantOwned):
    """The place of a record in its tenant's chain: `digest` is of the digest before it and the record's text."""

    record = models.OneToOneField(
        AuditRecord, primary_key=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="link"
    )
    seq = models.BigIntegerField()
    digest = models.BinaryField(max_length=32)

    class Meta(TenantOwned.Meta):
        constraints = (models.UniqueConstraint(fields=["tenant", "seq"], name="auditlink_once"),)


class AuditPending(TenantOwned):
    """A record that is not in the chain yet."""

    record_id = models.BigIntegerField(primary_key=True)


class AuditHead(TenantOwned):
    """Where a tenant's chain of audit records ends."""

    seq = models.BigIntegerField()
    digest = models.BinaryField(max_length=32)

    class Meta(TenantOwned.Meta):
        constraints = (models.UniqueConstraint(fields=["tenant"], name="audithead_once"),)
