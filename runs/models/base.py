"""What the hot tables share."""

from django.db import models

from accounts.scoping import TenantManager, UnscopedManager


class HotRow(models.Model):
    """A row of a hot table: its tenant is a plain number, checked by an invariant and not by a foreign key."""

    tenant_id = models.BigIntegerField()

    objects = TenantManager()
    unsafe_all_tenants = UnscopedManager()

    class Meta:
        abstract = True
        base_manager_name = "unsafe_all_tenants"
        default_manager_name = "unsafe_all_tenants"
