"""The runs that a run began: as children of its steps, and those that follow it."""

from uuid import UUID

from django.db.models import Count, QuerySet

from accounts.principal import Principal
from runs.access import readable
from runs.models import Run


def children_of(principal: Principal, run_id: UUID, *, parts: bool = True) -> QuerySet[Run]:
    """The runs that the steps of a run began, as far as they may read them; unordered. `parts`: with those that are
    items of its containers.
    """
    runs = readable(Run.objects.for_tenant(principal.tenant_id), principal).filter(parent_id=run_id)
    return runs if parts else runs.filter(is_part=False)


def counts_of_children(principal: Principal, run_id: UUID, *, parts: bool = True) -> dict[str, int]:
    """How many of them stand at which status, the most first."""
    counts = children_of(principal, run_id, parts=parts).values_list("status").annotate(count=Count("id"))
    return dict(counts.order_by("-count", "status"))


def follower_of(principal: Principal, run_id: UUID) -> UUID | None:
    """The run that was started behind a run; None where there is none that they may read."""
    runs = readable(Run.objects.for_tenant(principal.tenant_id), principal)
    return runs.filter(follows=run_id).values_list("id", flat=True).first()
