"""Who stands in for whom, and when."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from accounts.scoping import TenantOwned


class AwayRule(TenantOwned):
    """From when to when somebody is away, and who decides in their place what asks them, in these workflows (none
    named: in all); nobody stands in for a substitute by that.
    """

    username = models.TextField()
    substitute = models.TextField()
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    workflows = ArrayField(models.TextField(), default=list)
    note = models.TextField(db_default="")
    created_by = models.TextField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta(TenantOwned.Meta):
        constraints = [
            models.CheckConstraint(
                name="away_ends_after_it_starts", condition=Q(ends_at__gt=models.F("starts_at"))
            ),
            models.CheckConstraint(name="away_by_another", condition=~Q(username=models.F("substitute"))),
        ]
        indexes = [
            models.Index(fields=["tenant", "substitute", "ends_at"], name="away_substitute"),
            models.Index(fields=["tenant", "username", "ends_at"], name="away_person"),
        ]
