"""Tenant isolation at the managers: a query without its tenant raises (R-223)."""

import pytest
from django.apps import apps

from accounts.models import Membership
from accounts.scoping import TenantManager, UnscopedQuery
from tests import factories as make


@pytest.mark.parametrize(
    "ask",
    [
        lambda rows: rows.all(),
        lambda rows: rows.filter(role="admin"),
        lambda rows: rows.get(pk=1),
        lambda rows: rows.count(),
        lambda rows: rows.update(role="viewer"),
        lambda rows: rows.get_or_create(role="viewer"),
        lambda rows: list(rows.iterator()),
    ],
)
def test_a_query_without_its_tenant_raises(ask):
    with pytest.raises(UnscopedQuery, match="for_tenant"):
        ask(Membership.objects)


@pytest.mark.django_db
def test_a_tenant_sees_its_own_rows_only():
    ours = make.MembershipFactory(user__username="ann", tenant__slug="ours", role="admin").tenant
    theirs = make.MembershipFactory(user__username="ann", tenant__slug="theirs", role="viewer").tenant
    assert [row.role for row in Membership.objects.for_tenant(ours.pk)] == ["admin"]
    assert [row.role for row in Membership.objects.for_tenant(theirs.pk)] == ["viewer"]


def test_every_model_with_a_tenant_has_the_scoped_manager():
    owned = [
        model for model in apps.get_models() if any(f.attname == "tenant_id" for f in model._meta.fields)
    ]
    assert len(owned) >= 4
    for model in owned:
        assert isinstance(model.objects, TenantManager), model
