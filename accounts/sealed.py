"""Secrets at rest: each tenant has a key of its own, and the master key of the installation wraps it
(docs/security.md, "Secrets at rest"). The database alone opens nothing, nor does one tenant's key another's secrets.
"""

from contextlib import suppress

from django.conf import settings
from django.db import transaction

from accounts import audit
from accounts.models import TenantKey
from lib.sealing import CannotOpen, KeyRing, Place, new_key


def ring_of(tenant_id: int) -> KeyRing:
    """The keys that seal and open this tenant's secrets; the first one is made now if there is none.

    Raises CannotOpen without the master key that wrapped them.
    """
    master = master_ring()
    rows = _rows(tenant_id)
    if not rows:
        first = TenantKey(tenant_id=tenant_id, number=1, wrapped=master.seal(new_key(), _place(tenant_id, 1)))
        # Of two who make the first at once the second waits here, and takes the first one's.
        TenantKey.objects.bulk_create([first], ignore_conflicts=True)
        rows = _rows(tenant_id)
    return KeyRing([master.open(bytes(row.wrapped), _place(tenant_id, row.number)) for row in rows])


def master_ring() -> KeyRing:
    """The master keys, the current one first. Raises CannotOpen where there is none."""
    if not settings.HANDOFF_MASTER_KEYS:
        raise CannotOpen("there is no master key: set HANDOFF_MASTER_KEY, or start with make up")
    return KeyRing(settings.HANDOFF_MASTER_KEYS)


def rewrap() -> int:
    """Wrap every tenant's keys by the current master key; gives how many were wrapped by another.

    Raises CannotOpen for one whose master key is not here; what was wrapped by then stays so. Secrets are not touched.
    """
    master, count = master_ring(), 0
    for row in TenantKey.unsafe_all_tenants.order_by("pk").iterator():
        old = bytes(row.wrapped)
        if not master.seals_like(old):
            place = _place(row.tenant_id, row.number)
            new = master.seal(master.open(old, place), place)
            count += _rewrap(row, old, new)
    return count


def _rewrap(row: TenantKey, old: bytes, new: bytes) -> int:
    with transaction.atomic():
        done = TenantKey.unsafe_all_tenants.filter(pk=row.pk, wrapped=old).update(wrapped=new)
        if done:
            after = {"key": audit.CHANGED, "number": row.number}
            audit.change_by_command(row.tenant_id, "key.rewrap", f"key {row.number}", after=after)
    return done


def opens_nothing() -> bool:
    """Whether the database has keys of tenants, and the present master keys open none of them."""
    master, has_keys = KeyRing(settings.HANDOFF_MASTER_KEYS) if settings.HANDOFF_MASTER_KEYS else None, False
    for row in TenantKey.unsafe_all_tenants.order_by("pk").iterator():
        has_keys = True
        if master is None:
            break
        with suppress(CannotOpen):
            master.open(bytes(row.wrapped), _place(row.tenant_id, row.number))
            return False
    return has_keys


def locked_tenants() -> int:
    """How many tenants have secrets that the present master keys can't open. Raises CannotOpen without any."""
    master = master_ring()
    locked = set()
    for row in TenantKey.unsafe_all_tenants.iterator():
        try:
            master.open(bytes(row.wrapped), _place(row.tenant_id, row.number))
        except CannotOpen:
            locked.add(row.tenant_id)
    return len(locked)


def _rows(tenant_id: int) -> list[TenantKey]:
    return list(TenantKey.objects.for_tenant(tenant_id).order_by("-number"))


def _place(tenant_id: int, number: int) -> Place:
    return Place(tenant_id, "tenant_key", "wrapped", number)
