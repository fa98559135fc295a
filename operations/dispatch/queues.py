"""Queues with who works on them, and the steps of one (R-204)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import QuerySet

from accounts.principal import Principal
from engine.catalogue import Json
from lib.refusals import Missing
from lib.shared_answers import SharedAnswers
from operations.dispatch import store
from runs.access import readable
from runs.kernel.dispatch import BUILT_IN_QUEUES
from runs.models import Run, StepExecution
from runs.reading.operations import Place, places
from runs.reading.workers import STALE
from workflows.queue_names import known_queues

COUNTED = 100_000
"""Steps of a queue are counted up to so many."""
FLOW_SPAN, FLOW_COUNTED = timedelta(minutes=1), 20_000
"""What comes and ends a minute is told by the last minute, or by so many of the newest steps and events."""
FLOW_SECONDS = 1.0
"""All who look at a tenant's queues are told what was counted so long ago at most."""
NO_FLOW = store.Flow(0.0, 0.0)
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


@dataclass(frozen=True, slots=True)
class QueuedStep:
    """A step of a queue: the next to be done (`since` it was ready), or one that is at work."""

    it: StepExecution
    place: Place
    since: datetime


def queue_rows(who: Principal) -> list[dict[str, Json]]:
    """The queues that they may know as they are shown (docs/api.md, "Operations"), the unserved first."""
    tenant, known = who.tenant_id, known_queues(who)
    queues = store.queues_of(tenant, built_in=BUILT_IN_QUEUES, stale=STALE.total_seconds(), most=COUNTED)
    flow = _flow(tenant)
    rows = [
        _queue_row(one, flow.get(one.queue, NO_FLOW)) for one in queues if known is None or one.queue in known
    ]
    return sorted(rows, key=lambda row: (not row["unserved"], row["queue"]))


def _counted_flow(tenant: int) -> Mapping[str, store.Flow]:
    return store.flow_of(tenant, span=FLOW_SPAN, most=FLOW_COUNTED)


_flow = SharedAnswers(_counted_flow, seconds=FLOW_SECONDS)


def _queue_row(one: store.QueueState, flow: store.Flow) -> dict[str, Json]:
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
    rows = _steps(who, queue).only(*_SHOWN)
    at_work = rows.filter(status="RUNNING").order_by("started_at", "id")[:SHOWN]
    coming = rows.filter(status="QUEUED", held=False).order_by("-priority", "available_at", "id")[:SHOWN]
    steps = [*at_work, *coming]
    placed = places((step.run_id, step.version_id, step.node) for step in steps)
    return [
        QueuedStep(step, placed.get((step.run_id, step.node), Place("", step.node)), _since(step))
        for step in steps
    ]


def queue_items(who: Principal, queue: str, most: int) -> list[dict[str, Json]]:
    """The steps of a queue that they may read and that a worker could begin, now or later: those that come next first.
    What is held, such as the steps of a paused run, is not among them. Raises Missing for a queue that nobody uses.
    """
    coming = _steps(who, queue).filter(status="QUEUED", held=False)
    rows = coming.only("run_id", "node", "index", "attempt", "priority", "queued_at", "available_at")
    steps = list(rows.order_by("-priority", "available_at", "id")[:most])
    if not steps and all(row["queue"] != queue for row in queue_rows(who)):
        raise Missing("There is no such queue.")
    return [
        {
            "queue_id": step.pk,
            "step_id": step.pk,
            "workflow_id": step.run_id,
            "node": step.node,
            "index": step.index,
            "priority": step.priority,
            "queued_at": step.queued_at,
            "available_at": step.available_at,
            "retry_count": step.attempt,
        }
        for step in steps
    ]


def _steps(who: Principal, queue: str) -> QuerySet[StepExecution]:
    """The steps of a queue that they may read."""
    rows = StepExecution.objects.for_tenant(who.tenant_id).filter(queue=queue.replace("\x00", ""))
    if who.reach.is_everywhere:
        return rows
    return rows.filter(run_id__in=readable(Run.objects.for_tenant(who.tenant_id), who).values("id"))


def _since(step: StepExecution) -> datetime:
    return step.started_at if step.status == "RUNNING" and step.started_at else step.available_at
