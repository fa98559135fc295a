"""Tenant isolation: a query that doesn't say whose rows it wants raises (R-223)."""

from collections.abc import Iterable
from typing import Any, NoReturn, TypeVar

from django.db import models

M = TypeVar("M", bound=models.Model)


class UnscopedQuery(Exception):
    """A tenant-owned table was queried without its tenant; use `objects.for_tenant(tenant_id)`."""


class TenantManager(models.Manager[M]):
    """The default door to a tenant-owned table: it opens with a tenant only.

    `create` and `bulk_create` pass, since a row without its tenant is refused by the table. For the rare query
    over all tenants the model has `unsafe_all_tenants`, whose every use is listed in a test.
    """

    def for_tenant(self, tenant_id: int) -> models.QuerySet[M]:
        """The rows of one tenant."""
        return super().get_queryset().filter(tenant_id=tenant_id)

    def get_queryset(self) -> NoReturn:
        raise UnscopedQuery(f"{self.model.__name__}: {UnscopedQuery.__doc__}")

    def create(self, **values: Any) -> M:
        return super().get_queryset().create(**values)

    def bulk_create(self, objs: Iterable[M], *args: Any, **options: Any) -> list[M]:
        return super().get_queryset().bulk_create(objs, *args, **options)


class UnscopedManager(models.Manager[M]):
    """All rows of all tenants: what Django itself works with, and, for us, a decision to be argued each time."""


class TenantOwned(models.Model):
    """A cold table whose rows belong to a tenant."""

    tenant = models.ForeignKey("accounts.Tenant", on_delete=models.PROTECT, related_name="+")

    objects = TenantManager()
    unsafe_all_tenants = UnscopedManager()

    class Meta:
        abstract = True
        # Django's own work (saving, following a foreign key) goes through these.
        base_manager_name = "unsafe_all_tenants"
        default_manager_name = "unsafe_all_tenants"
