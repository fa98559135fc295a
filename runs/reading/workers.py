"""Who works: external workers as they poll, and processes of Handoff's own, with what each has in hand."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import QuerySet

from accounts.principal import Principal
from engine.catalogue import Json
from lib.clock import now_here
from runs.access import readable
from runs.kernel import graphs
from runs.limits import WORKER_ROWS
from runs.models import Run, Worker, WorkerContact
from runs.store import jobs
from runs.store.hot import WORKER_SECONDS
from workflows.queue_names import known_queues

STALE = timedelta(minutes=2)
"""An external worker that said nothing for longer is marked; a poll that waits takes 20 seconds at most."""
EACH = 5


@dataclass(frozen=True, slots=True)
class InHand:
    """A step that a worker has in hand, and where it is shown."""

    run_id: str
    workflow: str
    node: str
    title: str
    since: datetime


@dataclass(frozen=True, slots=True)
class Process:
    """A worker process of Handoff's own."""

    it: Worker
    holds: int
    is_stale: bool


def contacts_of(who: Principal) -> QuerySet[WorkerContact]:
    """The external workers of the tenant that polled in the last day."""
    return WorkerContact.objects.for_tenant(who.tenant_id)


def worker_rows(who: Principal, contacts: Sequence[WorkerContact]) -> list[dict[str, Json]]:
    """External workers as they are shown (docs/api.md, "Jobs: work that is done elsewhere"), with the queues that they
    may know.
    """
    tenant, known = who.tenant_id, known_queues(who)
    counts = jobs.count_held(tenant, {one.worker for one in contacts}, jobs=True) if contacts else {}
    now = now_here()
    queues = [[queue for queue in one.queues if known is None or queue in known] for one in contacts]
    return [
        _row(one, own, *counts.get(one.worker, (0, None)), now)
        for one, own in zip(contacts, queues, strict=True)
    ]


def _row(
    contact: WorkerContact, queues: Sequence[str], holds: int, heartbeat: str | None, now: datetime
) -> dict[str, Json]:
    # Who is at work on a long job polls no more, and beats.
    seen_at = max(contact.seen_at, datetime.fromisoformat(heartbeat)) if heartbeat else contact.seen_at
    return {
        "id": contact.worker,
        "queues": queues,
        "last_seen_at": seen_at,
        "holds": holds,
        "version": contact.version,
        "slots": contact.slots,
        "stale": now - seen_at > STALE,
    }


def processes_for(tenant: int) -> list[Process]:
    """The worker processes of Handoff's own, and how many steps of this tenant each has in hand."""
    workers = list(Worker.objects.order_by("queue", "host", "pid")[:WORKER_ROWS])
    counts = jobs.count_held(tenant, {one.pk for one in workers}, jobs=False) if workers else {}
    since = now_here() - timedelta(seconds=WORKER_SECONDS)
    return [Process(one, counts.get(one.pk, (0, None))[0], one.seen_at < since) for one in workers]


def in_hand(who: Principal, workers: Collection[str], *, external: bool) -> Mapping[str, list[InHand]]:
    """What these workers have in hand of runs that one may read: of each what it began last, a few."""
    rows = jobs.steps_in_hand(who.tenant_id, workers, EACH, jobs=external) if workers else []
    runs = readable(Run.objects.for_tenant(who.tenant_id), who).filter(pk__in={one.run_id for one in rows})
    versions = dict(runs.values_list("pk", "version_id"))
    by_worker: dict[str, list[InHand]] = {}
    for one in rows:
        if (version_id := versions.get(one.run_id)) is None:
            continue
        version = graphs.shown(version_id)
        node = version.graph.nodes.get(one.node)
        since = datetime.fromisoformat(one.started_at)
        title = node.title if node is not None else one.node
        by_worker.setdefault(one.worker, []).append(
            InHand(str(one.run_id), version.workflow, one.node, title or one.node, since)
        )
    return by_worker
