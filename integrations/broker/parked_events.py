"""Events of jobs that the broker would not take and that were set aside, as operators see them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import QuerySet

from accounts.principal import Principal
from accounts.roles import OPERATE, READ
from integrations.broker.limits import FAILING_EVENTS
from integrations.broker.store import waiting_asides
from runs.access import of_readable_runs
from runs.models import DispatchOutbox
from runs.reading.operations import Place, places_of

SHOWN: Final = 50
"""So many are shown."""


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
    """Those that somebody may read, in order; `count`: how many were found, `or_more` where not all were looked at.

    `are_oldest`: none that is older was passed over. `may_retry`: whether they may have any tried again.
    """

    shown: Sequence[Aside]
    count: int
    or_more: bool
    are_oldest: bool
    may_retry: bool


def asides_with(who: Principal, verb: str, rows: Collection[int]) -> QuerySet[DispatchOutbox, Any]:
    """Of these rows, which `waiting_asides` found, the ones with whose runs they may do this, in order."""
    own = DispatchOutbox.objects.for_tenant(who.tenant_id).filter(pk__in=list(rows))
    return of_readable_runs(own, who, verb).order_by("id")


def asides_of(who: Principal) -> Asides:
    """Those that they may read, of the first that were set aside, and where these are few also of the last: in between
    there may be any number whose jobs somebody got by polling; they go when they are due. Seven statements at most.
    """
    nodes, rest = waiting_asides(who.tenant_id, 0, FAILING_EVENTS)
    ids = _readable(who, nodes)
    are_oldest = rest is None or len(ids) >= SHOWN
    if not are_oldest:
        last, _ = waiting_asides(who.tenant_id, None, FAILING_EVENTS)
        ids = _readable(who, nodes := nodes | last)
    may_retry = _may_retry(who, nodes, or_more=rest is not None)
    return Asides(_shown(who, nodes, ids[:SHOWN]), len(ids), rest is not None, are_oldest, may_retry)


def _readable(who: Principal, nodes: Collection[int]) -> list[int]:
    if who.reach.is_everywhere or not nodes:
        return sorted(nodes)
    return list(asides_with(who, READ, nodes).values_list("pk", flat=True))


def _shown(who: Principal, nodes: Mapping[int, str], ids: Sequence[int]) -> list[Aside]:
    if not ids:
        return []
    rows = DispatchOutbox.objects.for_tenant(who.tenant_id).filter(pk__in=ids).order_by("id")
    each = [(row, (row.run_id, nodes[row.pk])) for row in rows]
    places = places_of(who.tenant_id, [place for _, place in each])
    return [
        Aside(row.run_id, row.queue, places[place], row.error or "", row.tries, row.due_at)
        for row, place in each
        if place in places
    ]


def _may_retry(who: Principal, nodes: Collection[int], *, or_more: bool) -> bool:
    """Whether there may be any that they may operate."""
    if or_more:
        return who.reach.folders(OPERATE) != []
    if who.reach.is_everywhere or not nodes:
        return bool(nodes)
    return asides_with(who, OPERATE, nodes).exists()
