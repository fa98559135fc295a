"""Runs of known make: each status × wait × folder × starter, so often that there are as many as are asked for."""

from datetime import timedelta
from itertools import cycle, islice, product
from uuid import UUID, uuid4

from django.db import connection

from lib.clock import now_here
from lib.uuid7 import uuid7
from runs.models import DeadLetter, Run, RunKey, StepExecution, Timer
from tests import factories as make
from workflows.models import Workflow

OPEN = ("RUNNING", "PAUSED", "FAILING", "CANCELLING", "COMPENSATING", "WAITING_FOR_MANUAL_ACTION")
ENDED = ("COMPLETED", "CONTINUED", "FAILED", "FAILED", "CANCELLED", "COMPENSATED")
WAITS = ("nothing", "queued", "queued long ago", "running", "person", "late timer", "signal")
STARTERS = ("ann", "bob", "webhook:orders")
FOLDERS = ("open", "locked")


def make_runs(count: int) -> dict[str, Workflow]:
    """So many runs; gives the workflow of each folder. Of each hundredth a part asks a person."""
    versions = {place: make.a_version(make.chain("noop")) for place in FOLDERS}
    locked = versions["locked"].workflow
    Workflow.objects.for_tenant(locked.tenant_id).filter(pk=locked.pk).update(
        folder=make.FolderFactory(tenant=locked.tenant, name="Locked")
    )
    kinds = [*product(OPEN, WAITS), *product(ENDED, ("nothing",) * 5)]
    now = now_here()
    runs, steps, timers, letters, keys = [], [], [], [], {}
    for place, ((status, wait), folder, starter) in enumerate(islice(cycle(_spread(kinds)), count)):
        version = versions[folder]
        run = Run(
            id=uuid7(),
            tenant_id=version.tenant_id,
            workflow_id=version.workflow_id,
            version=version,
            shard=0,
            status=status,
            input={"n": place},
            open_sinks=1,
            created_by=starter,
            business_key=f"key-{place % (count // 2)}" if place % 3 == 0 else None,
            completed_at=now if status in ENDED else None,
            is_test=place % 97 == 0,
        )
        run.root_id = run.id
        runs.append(run)
        if run.business_key and not run.is_test:
            keys[version.workflow_id, run.business_key] = run.id
        if wait != "nothing":
            steps.append(_step(run, wait, now))
        if wait == "late timer":
            timers.append(_timer(run, steps[-1].id, now))
        if status == "FAILED" and place % 4:
            letters += [
                _letter(run, resolution)
                for resolution in ([None], ["redriven"], ["discarded", None])[place % 4 - 1]
            ]
        if place % 100 == 50 and status in OPEN:
            part = Run(**{field.attname: getattr(run, field.attname) for field in Run._meta.fields})
            part.id, part.is_part, part.business_key = uuid7(), True, None
            part.parent_id, part.parent_step_id, part.tree_id = run.id, uuid4(), run.id
            part.status, part.completed_at = "RUNNING", None
            runs.append(part)
            steps.append(_step(part, "person", now))
    for rows in (runs, steps, timers, letters):
        type(rows[0]).unsafe_all_tenants.bulk_create(rows, batch_size=2_000)
    RunKey.unsafe_all_tenants.bulk_create(
        [
            RunKey(tenant_id=locked.tenant_id, workflow_id=of, business_key=key, run_id=run)
            for (of, key), run in keys.items()
        ],
        batch_size=2_000,
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return {place: version.workflow for place, version in versions.items()}


def _spread(kinds):
    return [(kind, folder, starter) for starter in STARTERS for folder in FOLDERS for kind in kinds]


def _step(run: Run, wait: str, now) -> StepExecution:
    status = {"queued": "QUEUED", "queued long ago": "QUEUED", "running": "RUNNING"}.get(wait, "WAITING")
    sources = {"person": "person", "late timer": "timer", "signal": "signal"}
    running = {"worker": "w", "lease_expires_at": now + timedelta(hours=1)} if status == "RUNNING" else {}
    return StepExecution(
        id=uuid7(),
        tenant_id=run.tenant_id,
        run_id=run.id,
        version_id=run.version_id,
        shard=0,
        node="n0",
        type="noop",
        queue="none",
        status=status,
        attempt=1,
        lease_seconds=30,
        available_at=now - timedelta(hours=1) if wait == "queued long ago" else now,
        waiting={"source": sources[wait], "kind": wait} if wait in sources else None,
        **running,
    )


def _timer(run: Run, step: UUID | str, now) -> Timer:
    return Timer(
        id=uuid7(),
        tenant_id=run.tenant_id,
        run_id=run.id,
        shard=0,
        step_id=step,
        node="n0",
        kind="wait",
        fire_at=now - timedelta(hours=1),
    )


def _letter(run: Run, resolution: str | None) -> DeadLetter:
    return DeadLetter(
        id=uuid7(),
        tenant_id=run.tenant_id,
        run_id=run.id,
        step_id=uuid4(),
        node="n0",
        error={"code": "boom", "message": "Boom"},
        attempts=1,
        resolution=resolution,
    )
