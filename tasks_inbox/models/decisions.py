"""Decisions: those that can still be undone, those that count, and the end of their chain."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from lib.stored_json import StoredJson
from runs.models import HotRow


class HeldDecision(HotRow):
    """A decision that counts at `until`, unless who made it takes it back before (the undo that the server holds).

    `refused` says why it did not count when its time had come; it stays until its maker has seen that. What was decided
    together has the same `batch`. `on_behalf_of` is in whose place it was made: in no other does it count.
    """

    id = models.UUIDField(primary_key=True)
    task_id = models.UUIDField()
    username = models.TextField()
    via = models.TextField()
    outcome = models.TextField()
    data = StoredJson(null=True)
    comment = models.TextField()
    seen = models.TextField(null=True)
    until = models.DateTimeField()
    refused = models.TextField(null=True)
    batch = models.UUIDField(null=True)
    on_behalf_of = models.TextField(null=True)

    class Meta(HotRow.Meta):
        constraints = [
            models.UniqueConstraint(fields=["task_id", "username"], name="held_once_each"),
        ]
        indexes = [
            models.Index(fields=["tenant_id", "username"], name="held_by"),
            models.Index(fields=["until"], name="held_until", condition=Q(refused__isnull=True)),
        ]


class TaskDecision(HotRow):
    """One decision as evidence, a link of the tenant's chain, append-only (R-149; docs/security.md, "Evidence").

    `record` is the canonical JSON of all that is evidence, `previous` digest included; `digest` is its SHA-256.
    `groups` are the keys of the groups for which it counts, `ended_with` is how the task ended by it. Names are texts:
    whom nobody knows any more stays named.
    """

    id = models.UUIDField(primary_key=True)
    shard = models.SmallIntegerField()
    run_id = models.UUIDField()
    task_id = models.UUIDField()
    round = models.SmallIntegerField()
    seq = models.BigIntegerField()
    by = models.TextField()
    on_behalf_of = models.TextField(null=True)
    outcome = models.TextField()
    ended_with = models.TextField(null=True)
    groups = ArrayField(models.TextField())
    data = StoredJson(null=True)
    comment = models.TextField()
    record = models.TextField()
    digest = models.TextField()
    at = models.DateTimeField()

    class Meta(HotRow.Meta):
        constraints = [
            models.UniqueConstraint(fields=["tenant_id", "seq"], name="decision_place_once"),
            models.UniqueConstraint(fields=["task_id", "round", "by"], name="decision_once_each"),
        ]
        indexes = [models.Index(fields=["run_id", "seq"], name="decision_of_run")]


class EvidenceHead(HotRow):
    """Where the chain of a tenant's decisions and comments stands; whoever adds a link holds this row."""

    tenant_id = models.BigIntegerField(primary_key=True)
    seq = models.BigIntegerField()
    digest = models.TextField()
