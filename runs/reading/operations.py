"""What operators look at: queues with who works on them, timers, repairs (R-204, R-123)."""

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
from lib.shared_answers import SharedAnswers
from runs.access import readable, readable_letters
from runs.kernel import graphs
from runs.kernel.dispatch import BUILT_IN_QUEUES
from runs.models import DeadLetter, HistoryDifference, Repair, Run, StepExecution, Timer
from runs.reading.workers import STALE
from runs.store import operations
from workflows.queue_names import known_queues

COUNTED = 100_000
"""Steps of a queue are counted up to so many."""
FLOW_SPAN, FLOW_COUNTED = timedelta(minutes=1), 20_000
"""What comes and ends a minute is told by the last minute, or by so many of the newest steps and events."""
FLOW_SECONDS = 1.0
"""All who look at a tenant's queues are told what was counted so long ago at most."""
NO_FLOW = operations.Flow(0.0, 0.0)
SHOWN = 50
"""So many steps of a queue are shown: those that come next, and those at work."""
_SHOWN = (
    "run_id",
    "version_id",
    "node",
    "status",
    "attempt",
    "index",
    "worker",
    "started_at",
    "available_at",
)
DUE = ("overdue", "hour", "day")
_WITHIN = {"overdue": timedelta(), "hour": timedelta(hours=1), "day": timedelta(days=1)}


@dataclass(frozen=True, slots=True)
class Place:
    """Where something of a run is: what its workflow is called, and the step."""

    workflow: str
    title: str


@dataclass(frozen=True, slots=True)
class QueuedStep:
    """A step of a queue: the next to be done (`since` it was ready), or one that is at work."""

    it: StepExecution
    place: Place
    since: datetime


def queue_rows(who: Principal) -> list[dict[str, Json]]:
    """The queues that they may know as they are shown (docs/api.md, "Operations"), the unserved first."""
    tenant, known = who.tenant_id, known_queues(who)
    queues = operations.queues_of(tenant, built_in=BUILT_IN_QUEUES, stale=STALE.total_seconds(), most=COUNTED)
    flow = _flow(tenant)
    rows = [
        _queue_row(one, flow.get(one.queue, NO_FLOW)) for one in queues if known is None or one.queue in known
    ]
    return sorted(rows, key=lambda row: (not row["unserved"], row["queue"]))


def _counted_flow(tenant: int) -> Mapping[str, operations.Flow]:
    return operations.flow_of(tenant, span=FLOW_SPAN, most=FLOW_COUNTED)


_flow = SharedAnswers(_counted_flow, seconds=FLOW_SECONDS)


def _queue_row(one: operations.QueueState, flow: operations.Flow) -> dict[str, Json]:
    return {
        "queue": one.queue,
        "ready": one.ready,
        "running": one.running,
        "waiting": one.waiting,
        "oldest_seconds": None if one.oldest_seconds is None else round(max(one.oldest_seconds, 0.0), 1),
        "in_per_minute": round(flow.came, 1),
        "out_per_minute": round(flow.ended, 1),
        "workers": one.workers,
        "last_polled_at": None if one.polled_at is None else datetime.fromisoformat(one.polled_at),
        "built_in": one.queue in BUILT_IN_QUEUES,
        "unserved": one.ready > 0 and one.workers == 0,
    }


def steps_of_queue(who: Principal, queue: str) -> list[QueuedStep]:
    """Steps of a queue that they may read: first those at work, then those that come next, in their order."""
    rows = (
        StepExecution.objects.for_tenant(who.tenant_id).filter(queue=queue.replace("\x00", "")).only(*_SHOWN)
    )
    if not who.reach.is_everywhere:
        rows = rows.filter(run_id__in=_runs(who).values("id"))
    at_work = rows.filter(status="RUNNING").order_by("started_at", "id")[:SHOWN]
    coming = rows.filter(status="QUEUED", held=False).order_by("-priority", "available_at", "id")[:SHOWN]
    steps = [*at_work, *coming]
    places = _places((step.run_id, step.version_id, step.node) for step in steps)
    return [QueuedStep(step, places[step.run_id, step.node], _since(step)) for step in steps]


def _since(step: StepExecution) -> datetime:
    return step.started_at if step.status == "RUNNING" and step.started_at else step.available_at


def timers_of(who: Principal, due: str | None = None) -> QuerySet[Timer]:
    """The timers that have not fired of runs that they may read; `due`: those that are by then (`DUE`)."""
    rows = Timer.objects.for_tenant(who.tenant_id).filter(status="PENDING")
    if due is not None:
        rows = rows.filter(fire_at__lte=now_here() + _WITHIN[due])
    return rows if who.reach.is_everywhere else rows.filter(run_id__in=_runs(who).values("id"))


def timer_rows(tenant: int, timers: Sequence[Timer]) -> list[dict[str, Json]]:
    """Timers as they are shown (docs/api.md, "Operations"); one statement."""
    places = places_of(tenant, [(timer.run_id, timer.node) for timer in timers])
    now = now_here()
    return [_timer_row(timer, places, now) for timer in timers]


def _timer_row(timer: Timer, places: Mapping[tuple[UUID, str], Place], now: datetime) -> dict[str, Json]:
    place = places.get((timer.run_id, timer.node), Place("", timer.node))
    return {
        "id": timer.pk,
        "run_id": timer.run_id,
        "workflow": place.workflow,
        "node": timer.node,
        "title": place.title,
        "kind": timer.kind,
        "target": timer.target,
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
    return _places((run, versions[run], node) for run, node in steps if run in versions)


def _places(steps: Iterable[tuple[UUID, int, str]]) -> dict[tuple[UUID, str], Place]:
    places = {}
    for run, version_id, name in steps:
        version = graphs.shown(version_id)
        node = version.graph.nodes.get(name)
        places[run, name] = Place(version.workflow, (node.title if node is not None else "") or name)
    return places
