"""Events of jobs that the broker would not take and that were set aside, as operators see them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import OuterRef, QuerySet, Subquery

from accounts.principal import Principal
from accounts.roles import OPERATE, READ
from runs.access import of_readable_runs
from runs.models import DispatchOutbox, StepExecution
from runs.models.outbox import ASIDE_TRIES
from runs.reading.operations import Place, places_of

SHOWN: Final = 50
"""So many are shown."""
COUNTED: Final = 10_000
"""They are counted up to so many."""


@dataclass(frozen=True, slots=True)
class Aside:
    """An event that was set aside, of a job that waits: why, how often it was tried, and when it is next."""

    run_id: UUID
    queue: str
    place: Place
    why: str
    tries: int
    due_at: datetime


@dataclass(frozen=True, slots=True)
class Asides:
    """Those that somebody may read, the oldest first; `count`: how many there are, `or_more` where nobody counted on;
    `may_retry`: whether they may have any tried again.
    """

    shown: Sequence[Aside]
    count: int
    or_more: bool
    may_retry: bool


def waiting_asides(who: Principal, verb: str = READ) -> QuerySet[DispatchOutbox, Any]:
    """The events that were set aside of jobs that wait still, each with its `node`, with whose runs they may do this.

    Others, of jobs that somebody got by polling, go when they are due. Each step is looked up by its id, so that few
    rows cost little however many steps there are.
    """
    rows = DispatchOutbox.objects.for_tenant(who.tenant_id).filter(published_at=None, tries__gte=ASIDE_TRIES)
    step = StepExecution.objects.for_tenant(who.tenant_id).filter(
        pk=OuterRef("step_id"), status="QUEUED", held=False, epoch=OuterRef("epoch"), queue=OuterRef("queue")
    )
    rows = rows.annotate(node=Subquery(step.values("node")[:1])).filter(node__isnull=False)
    return of_readable_runs(rows, who, verb).order_by("id")


def asides_of(who: Principal) -> Asides:
    """Those that they may read; five statements at most."""
    rows = waiting_asides(who)
    found = list(rows[:SHOWN])
    if not found:
        return Asides([], 0, or_more=False, may_retry=False)
    places = places_of(who.tenant_id, [(row.run_id, row.node) for row in found])
    shown = [
        Aside(row.run_id, row.queue, place, row.error or "", row.tries, row.due_at)
        for row in found
        if (place := places.get((row.run_id, row.node)))
    ]
    count = rows[:COUNTED].count() if len(found) == SHOWN else len(found)
    may_retry = who.reach.is_everywhere or waiting_asides(who, OPERATE).exists()
    return Asides(shown, count, or_more=count == COUNTED, may_retry=may_retry)
