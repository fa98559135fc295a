"""A key for each tenant, wrapped by a master key that can be exchanged (docs/security.md, "Secrets at rest")."""

import pytest
from django.core.management import CommandError, call_command

from accounts.models import TenantKey
from accounts.sealed import locked_tenants, ring_of
from lib.sealing import CannotOpen, Hidden, Place, new_key
from tests import factories as make

pytestmark = pytest.mark.django_db
SECRET = Hidden(b"the secret")


@pytest.fixture
def tenants():
    return [make.a_tenant(slug).pk for slug in ("ours", "theirs")]


def rotate(capsys):
    call_command("rotate_master_key")
    return capsys.readouterr().out.strip()


def test_each_tenant_has_a_key_of_its_own(tenants):
    ours, theirs = tenants
    place = Place(ours, "thing", "field")
    sealed = ring_of(ours).seal(SECRET, place)
    assert ring_of(ours).open(sealed, place).reveal() == b"the secret"
    with pytest.raises(CannotOpen):
        ring_of(theirs).open(sealed, place)
    assert TenantKey.unsafe_all_tenants.count() == 2


def test_a_key_of_one_tenant_in_the_row_of_another_does_not_open(tenants):
    ours, theirs = tenants
    for tenant in tenants:
        ring_of(tenant)
    stolen = TenantKey.objects.for_tenant(ours).get().wrapped
    TenantKey.objects.for_tenant(theirs).update(wrapped=stolen)
    with pytest.raises(CannotOpen):
        ring_of(theirs)


def test_a_new_master_key_wraps_the_keys_anew_and_the_old_one_can_go(tenants, settings, capsys):
    place = Place(tenants[0], "thing", "field")
    sealed, _ = [ring_of(tenant).seal(SECRET, place) for tenant in tenants]
    old, new = settings.HANDOFF_MASTER_KEYS[0], new_key()
    assert rotate(capsys) == "wrapped 0 keys anew"
    settings.HANDOFF_MASTER_KEYS = (new, old)
    assert rotate(capsys) == "wrapped 2 keys anew"
    assert rotate(capsys) == "wrapped 0 keys anew"
    settings.HANDOFF_MASTER_KEYS = (new,)
    assert ring_of(tenants[0]).open(sealed, place).reveal() == b"the secret"
    assert locked_tenants() == 0
    settings.HANDOFF_MASTER_KEYS = (old,)
    with pytest.raises(CannotOpen):
        ring_of(tenants[0])
    assert locked_tenants() == 2


def test_without_the_old_master_key_it_says_what_to_do(tenants, settings):
    ring_of(tenants[0])
    settings.HANDOFF_MASTER_KEYS = (new_key(),)
    with pytest.raises(CommandError, match="the old master key must stand behind"):
        call_command("rotate_master_key")
    settings.HANDOFF_MASTER_KEYS = ()
    with pytest.raises(CannotOpen, match="HANDOFF_MASTER_KEY"):
        ring_of(tenants[1])
