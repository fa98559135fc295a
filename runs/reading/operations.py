"""What operators look at: timers, dead letters, repairs (R-123)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from accounts.principal import Principal
from accounts.roles import OPERATE, RUNS_OPERATE
from engine.catalogue import Json
from lib.clock import now_here
from runs.access import readable, readable_letters
from runs.kernel import graphs
from runs.models import DeadLetter, HistoryDifference, Repair, Run, Timer

SHOWN = 50
"""So many of a list are shown."""
DUE = ("overdue", "hour", "day")
_WITHIN = {"overdue": timedelta(), "hour": timedelta(hours=1), "day": timedelta(days=1)}


@dataclass(frozen=True, slots=True)
class Place:
    """Where something of a run is: what its workflow is called, and the step."""

    workflow: str
    title: str


def timers_of(who: Principal, due: str | None = None) -> QuerySet[Timer]:
    """The timers that have not fired of runs that they may read; `due`: those that are by then (`DUE`)."""
    rows = Timer.objects.for_tenant(who.tenant_id).filter(status="PENDING")
    if due is not None:
        rows = rows.filter(fire_at__lte=now_here() + _WITHIN[due])
    return rows if who.reach.is_everywhere else rows.filter(run_id__in=_runs(who).values("id"))


def timer_rows(tenant: int, timers: Sequence[Timer]) -> list[dict[str, Json]]:
    """Timers as they are shown (docs/api.md, "Operations"); one statement."""
    nodes = [(timer.run_id, node) for timer in timers for node in (timer.node, timer.target) if node]
    places = places_of(tenant, nodes)
    now = now_here()
    return [_timer_row(timer, places, now) for timer in timers]


def _timer_row(timer: Timer, places: Mapping[tuple[UUID, str], Place], now: datetime) -> dict[str, Json]:
    place = places.get((timer.run_id, timer.node), Place("", timer.node))
    target = places.get((timer.run_id, timer.target)) if timer.target else None
    return {
        "id": timer.pk,
        "run_id": timer.run_id,
        "workflow": place.workflow,
        "node": timer.node,
        "title": place.title,
        "kind": timer.kind,
        "target": timer.target,
        "target_title": target.title if target else None,
        "fire_at": timer.fire_at,
        "overdue_seconds": max(0.0, round((now - timer.fire_at).total_seconds(), 1)),
    }


def mendable_letters(who: Principal, letters: Sequence[DeadLetter]) -> set[UUID]:
    """Those of these dead letters whose runs they may operate; one statement at most."""
    if RUNS_OPERATE not in who.scopes:
        return set()
    rows = DeadLetter.objects.for_tenant(who.tenant_id).filter(pk__in=[letter.pk for letter in letters])
    return set(readable_letters(rows, who, OPERATE).values_list("pk", flat=True))


def repairs_of(who: Principal) -> QuerySet[Repair]:
    """What was repaired, or could not be, of runs that they may read."""
    rows = Repair.objects.for_tenant(who.tenant_id)
    return rows if who.reach.is_everywhere else rows.filter(run_id__in=_runs(who).values("id"))


def differences_of(who: Principal) -> QuerySet[HistoryDifference]:
    """The runs that they may read and that differ from their history."""
    rows = HistoryDifference.objects.for_tenant(who.tenant_id)
    return rows if who.reach.is_everywhere else rows.filter(run_id__in=_runs(who).values("id"))


def _runs(who: Principal) -> QuerySet[Run, Any]:
    return readable(Run.objects.for_tenant(who.tenant_id), who)


def places_of(tenant: int, steps: Sequence[tuple[UUID, str]]) -> dict[tuple[UUID, str], Place]:
    """What these steps, (run, node), and their workflows are called; one statement, graphs are cached."""
    runs = Run.objects.for_tenant(tenant).filter(pk__in={run for run, _ in steps})
    versions = dict(runs.values_list("id", "version_id"))
    return places((run, versions[run], node) for run, node in steps if run in versions)


def places(steps: Iterable[tuple[UUID, int, str]]) -> dict[tuple[UUID, str], Place]:
    """The same of steps whose versions are known: (run, version, node). Of a version that does not compile here nothing
    is known.
    """
    by_step = {}
    for run, version_id, name in steps:
        version = graphs.shown_or_none(version_id)
        if version is None:
            continue
        node = version.graph.nodes.get(name)
        by_step[run, name] = Place(version.workflow, (node.title if node is not None else "") or name)
    return by_step
