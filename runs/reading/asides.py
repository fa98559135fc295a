"""Events of jobs that the broker would not take and that were set aside, as operators see them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from accounts.principal import Principal
from runs.access import of_readable_runs
from runs.models import DispatchOutbox, StepExecution
from runs.models.outbox import ASIDE_TRIES
from runs.reading.operations import Place, places_of

SHOWN: Final = 50
"""So many are shown."""
_LOOKED_AT: Final = 500
"""Among so many rows of the outbox: those of jobs that somebody has got by polling go when they are due."""


@dataclass(frozen=True, slots=True)
class Aside:
    """An event that was set aside, of a job that waits: why, how often it was tried, and when it is next."""

    run_id: UUID
    queue: str
    place: Place
    why: str
    tries: int
    due_at: datetime


def asides_of(who: Principal) -> list[Aside]:
    """Those of runs that they may read, the oldest first; three statements at most."""
    rows = DispatchOutbox.objects.for_tenant(who.tenant_id).filter(published_at=None, tries__gte=ASIDE_TRIES)
    found = list(of_readable_runs(rows, who).order_by("id")[:_LOOKED_AT])
    if not found:
        return []
    waiting = StepExecution.objects.for_tenant(who.tenant_id).filter(
        pk__in=[row.step_id for row in found], status="QUEUED", held=False
    )
    nodes = {(pk, epoch): node for pk, epoch, node in waiting.values_list("pk", "epoch", "node")}
    shown = [row for row in found if (row.step_id, row.epoch) in nodes][:SHOWN]
    steps = [(row.run_id, nodes[row.step_id, row.epoch]) for row in shown]
    places = places_of(who.tenant_id, steps)
    return [
        Aside(row.run_id, row.queue, places[step], row.error or "", row.tries, row.due_at)
        for row, step in zip(shown, steps, strict=True)
        if step in places
    ]
