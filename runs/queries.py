"""Reading runs for pages and the API: tenant-scoped getters, and a run as everybody is shown it."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from engine.graph import Node
from engine.statuses import RUN_CLOSING, RUN_OPEN, STEP_OPEN, StepStatus
from runs import graphs, payloads
from runs.models import DeadLetter, HistoryEvent, Run, StepExecution, Worker
from runs.payloads import LISTED, NOTHING, ONE_RUN, WHOLE, Bounds, Payload, Place, Room, size_of, sized

Json = Any

PENDING = "PENDING"
WAITING = "WAITING"
SHOWN_STATUSES = (PENDING, WAITING)
WORKER_SILENT_SECONDS = 20


def get_run_for(tenant: int, run_id: UUID | str) -> Run | None:
    """The tenant's run, or None; its payloads are read when they are asked for."""
    return _slim(Run.objects.for_tenant(tenant)).filter(pk=run_id).first()


def runs_of(
    tenant: int,
    *,
    workflow: str | None = None,
    status: str | None = None,
    business_key: str | None = None,
    created_after: datetime | None = None,
    created_before: datetime | None = None,
) -> QuerySet[Run]:
    """The tenant's runs that fit, unordered and without their payloads; PENDING and WAITING, which are only shown,
    are asked of their steps.
    """
    runs = _slim(Run.objects.for_tenant(tenant))
    if workflow is not None:
        runs = runs.filter(version__workflow__name=workflow)
    if business_key is not None:
        runs = runs.filter(business_key=business_key)
    if created_after is not None:
        runs = runs.filter(created_at__gte=created_after)
    if created_before is not None:
        runs = runs.filter(created_at__lt=created_before)
    if status is None:
        return runs
    if status not in SHOWN_STATUSES and status != "RUNNING":
        return runs.filter(status=status)
    steps = StepExecution.objects.for_tenant(tenant).filter(run_id=OuterRef("pk"))
    begun = Exists(steps.filter(Q(attempt__gt=0) | ~Q(status=StepStatus.QUEUED)))
    waits = Exists(steps.filter(status=StepStatus.WAITING))
    works = Exists(steps.filter(status__in=(StepStatus.QUEUED, StepStatus.RUNNING)))
    runs = runs.filter(status="RUNNING")
    if status == PENDING:
        return runs.filter(~begun)
    if status == WAITING:
        return runs.filter(waits, ~works)
    return runs.filter(begun).filter(~waits | works)


def run_rows(runs: Iterable[Run], own: int | None, steps: Bounds) -> list[dict[str, Json]]:
    """Runs as the API shows them, each with its steps; three queries however many there are.

    `own` is how many bytes each payload of a run has at most, `steps` bounds those of the steps.
    """
    runs = list(runs)
    given = payloads.cut(Run.unsafe_all_tenants.filter(pk__in=[run.id for run in runs]), own, steps)
    found: dict[UUID, list[StepExecution]] = {run.id: [] for run in runs}
    of_runs = StepExecution.unsafe_all_tenants.filter(run_id__in=found, index=None)
    rows: list[StepExecution] = list(sized(of_runs, steps).defer("progress").order_by("id"))
    for step in rows:
        found[step.run_id].append(step)
    shown = {**given, **_payloads_of_steps(rows, given, steps)}
    return [_run_row(run, found[run.id], shown) for run in runs]


def listed_rows(runs: Iterable[Run]) -> list[dict[str, Json]]:
    """Runs as a list of them shows them: only small payloads."""
    return run_rows(runs, LISTED.each, LISTED)


def slim_rows(runs: Iterable[Run]) -> list[dict[str, Json]]:
    """Runs without any payload."""
    return run_rows(runs, 0, NOTHING)


def run_row(run: Run) -> dict[str, Json]:
    """One run as the API shows it: its own payloads whole, those of its steps as far as there is room."""
    return run_rows([run], None, ONE_RUN)[0]


def whole_run_row(run: Run) -> dict[str, Json]:
    """One run with every payload, however large."""
    return run_rows([run], None, WHOLE)[0]


def steps_shown(run: Run) -> int:
    """How many steps a run is shown with in a list."""
    return len(graphs.shown(run.version_id).graph.nodes)


def step_rows(run: Run, node: str | None = None) -> list[dict[str, Json]]:
    """The steps of a run, map items too, in the order of the graph; of one `node`, then whole, where it is named."""
    bounds = ONE_RUN if node is None else WHOLE
    found = StepExecution.objects.for_tenant(run.tenant_id).filter(run_id=run.id)
    if node is not None:
        found = found.filter(node=node)
    rows: list[StepExecution] = list(sized(found, bounds).defer("progress").order_by("id"))
    starts = [run.id for step in rows if step.input_from == run.id]
    given = payloads.cut(Run.objects.for_tenant(run.tenant_id).filter(pk__in=starts), bounds.each, bounds)
    shown = _step_rows(run, rows, _payloads_of_steps(rows, given, bounds))
    return [row for row in shown if node is None or row["node"] == node]


def history_of(run: Run) -> QuerySet[HistoryEvent]:
    """What happened to a run."""
    return HistoryEvent.objects.for_tenant(run.tenant_id).filter(run_id=run.id)


def history_row(event: HistoryEvent) -> dict[str, Json]:
    """One event as the API shows it."""
    return {
        "id": event.id,
        "type": event.type,
        "node": event.node,
        "attempt": event.attempt,
        "payload": event.payload,
        "created_at": event.created_at,
    }


def dead_letters_of(tenant: int) -> QuerySet[DeadLetter]:
    """The tenant's dead letters."""
    return DeadLetter.objects.for_tenant(tenant)


def dead_letter_row(letter: DeadLetter) -> dict[str, Json]:
    """One dead letter as the API shows it."""
    return {
        "id": str(letter.id),
        "run_id": str(letter.run_id),
        "node": letter.node,
        "error": letter.error,
        "attempts": letter.attempts,
        "created_at": letter.created_at,
        "resolution": letter.resolution,
    }


def readiness() -> dict[str, bool]:
    """Whether the database answers and, for each built-in queue, whether a worker was seen lately."""
    seen = set(
        Worker.objects.filter(seen_at__gt=Now() - timedelta(seconds=WORKER_SILENT_SECONDS)).values_list(
            "queue", flat=True
        )
    )
    return {f"queue:{queue}": queue in seen for queue in ("default", "blocking", "engine", "ticks")}


def _slim(runs: QuerySet[Run]) -> QuerySet[Run]:
    return runs.defer(*payloads.COLUMNS)


def _payloads_of_steps(
    steps: Sequence[StepExecution], given: Mapping[Place, Payload], bounds: Bounds
) -> Mapping[Place, Payload]:
    """The steps' payloads; `given` has those of their runs."""
    sizes = {(step.id, column): size_of(step, column) for step in steps for column in payloads.COLUMNS}
    sizes |= {place: payload.size for place, payload in given.items()}
    places = {(step.id, column): _source(step, column) for step in steps for column in payloads.COLUMNS}
    elsewhere = {source[0] for source in places.values() if source not in sizes}
    for step in sized(StepExecution.unsafe_all_tenants.filter(pk__in=elsewhere), bounds) if elsewhere else ():
        sizes[step.id, "output"] = size_of(step, "output")
    room = Room(bounds)
    for place in sorted(places, key=lambda place: payloads.COLUMNS.index(place[1])):
        room.ask(place, places[place], sizes.get(places[place]))
    known = {place: payload.value for place, payload in given.items() if not payload.is_cut}
    return room.fill(StepExecution.unsafe_all_tenants.all(), known)


def _source(step: StepExecution, column: str) -> Place:
    """Where a payload is stored: an input may be another step's output, that of a start step is its run's."""
    if column != "input" or step.input_from is None:
        return step.id, column
    return step.input_from, "input" if step.input_from == step.run_id else "output"


def _shown(row_id: UUID, shown: Mapping[Place, Payload]) -> dict[str, Json]:
    """The fields of a row's payloads; `truncated` names those that are cut out, with their sizes."""
    found = {column: shown.get((row_id, column), payloads.NONE) for column in payloads.COLUMNS}
    cut = {column: payload.size for column, payload in found.items() if payload.is_cut}
    values = {column: payload.value for column, payload in found.items()}
    return {**values, "truncated": cut} if cut else values


def _run_row(run: Run, steps: list[StepExecution], shown: Mapping[Place, Payload]) -> dict[str, Json]:
    version = graphs.shown(run.version_id)
    rows = _step_rows(run, steps, shown)
    return {
        "id": str(run.id),
        "workflow": version.workflow,
        "version": version.number,
        "business_key": run.business_key,
        "status": _shown_status(run, steps),
        "life": run.life,
        **_shown(run.id, shown),
        "created_at": run.created_at,
        "started_at": min((step.started_at for step in steps if step.started_at), default=None),
        "completed_at": run.completed_at,
        "waiting_for": _run_waits_for(run, rows),
        "created_by": run.created_by,
        "steps": rows,
    }


def _shown_status(run: Run, steps: list[StepExecution]) -> str:
    if run.status != "RUNNING":
        return run.status
    if all(step.status == StepStatus.QUEUED and step.attempt == 0 for step in steps):
        return PENDING
    still_open = {step.status for step in steps if step.status in STEP_OPEN}
    return WAITING if still_open == {StepStatus.WAITING} else run.status


def _step_rows(run: Run, steps: list[StepExecution], shown: Mapping[Place, Payload]) -> list[dict[str, Json]]:
    """One row for each node in the order of the graph, decided or not; items of a map behind their node."""
    version = graphs.shown(run.version_id)
    by_node: dict[str, list[StepExecution]] = {}
    for step in steps:
        by_node.setdefault(step.node, []).append(step)
    rows = []
    for node in version.graph.nodes.values():
        known = by_node.get(node.id)
        rows += [_step_row(node, step, shown) for step in known] if known else [_pending_row(node)]
    return rows


def _pending_row(node: Node) -> dict[str, Json]:
    return {
        "id": None,
        "node": node.id,
        "index": None,
        "type": node.type,
        "title": node.title,
        "status": PENDING,
        "attempt": 0,
        "max_attempts": node.retry.max_retries + 1,
        "input": None,
        "output": None,
        "error": None,
        "queued_at": None,
        "started_at": None,
        "completed_at": None,
        "duration_ms": None,
        "waiting_for": None,
    }


def _step_row(node: Node, step: StepExecution, shown: Mapping[Place, Payload]) -> dict[str, Json]:
    took = step.completed_at - step.started_at if step.completed_at and step.started_at else None
    return _pending_row(node) | {
        "id": str(step.id),
        "index": step.index,
        "status": step.status,
        "attempt": step.attempt,
        **_shown(step.id, shown),
        "queued_at": step.queued_at,
        "started_at": step.started_at,
        "completed_at": step.completed_at,
        "duration_ms": None if took is None else round(took.total_seconds() * 1000, 3),
        "waiting_for": _step_waits_for(node, step),
    }


def _step_waits_for(node: Node, step: StepExecution) -> str | None:
    match step.status:
        case StepStatus.QUEUED if step.held:
            return "the run to be unpaused"
        case StepStatus.QUEUED if size_of(step, "error") is not None:
            return f"attempt {step.attempt + 1}, due {step.available_at:%Y-%m-%d %H:%M:%S} UTC"
        case StepStatus.QUEUED:
            return f"a worker of the queue {step.queue}"
        case StepStatus.RUNNING:
            return f"worker {step.worker}, whose lease ends {step.lease_expires_at:%Y-%m-%d %H:%M:%S} UTC"
    return None


def _run_waits_for(run: Run, rows: list[dict[str, Json]]) -> str | None:
    """One sentence on what a run waits for, until it has ended: its first open step, and how many more there are."""
    if run.status not in RUN_OPEN | RUN_CLOSING:
        return None
    waiting = [row for row in rows if row["waiting_for"]]
    if not waiting:
        return None
    first = f"{waiting[0]['title']} waits for {waiting[0]['waiting_for']}"
    return f"{first}, and {len(waiting) - 1} more" if len(waiting) > 1 else first
