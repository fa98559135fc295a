"""What a claim costs beside a million steps that are over: of jobs for external workers, and of ours."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.db import connection

from benchmarks.scenarios import percentiles, published, started
from lib.named_sql import Statements
from runs.commands import jobs
from runs.models import StepExecution
from runs.store import hot

SQL = Statements(Path(__file__).parent)
BATCH = 50_000
TIMES = 40
SIZES = (1, 10, 50)
Figures = dict[str, Any]


def beside_finished(finished: int) -> Figures:
    """So many steps of the same queues are over; what a claim of 1, 10 and 50 takes then, in milliseconds."""
    many = TIMES * sum(SIZES)
    jobs_version = published([{"id": "j", "type": "job", "queue": "bench-claims"}])
    ours = published([{"id": "s", "type": "noop", "queue": "bench-own"}])
    started(jobs_version, many)
    started(ours, many)
    for version in (jobs_version, ours):
        step = StepExecution.unsafe_all_tenants.filter(version_id=version.pk).first()
        assert step is not None
        for first in range(0, finished // 2, BATCH):
            SQL.execute("finished_steps", {"like": str(step.pk), "many": min(BATCH, finished // 2 - first)})
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE runs_stepexecution")
    tenant = jobs_version.tenant_id

    def external(size: int) -> int:
        return len(jobs.poll(tenant=tenant, worker="bench", queues=["bench-claims"], max_jobs=size))

    def own(size: int) -> int:
        return len(hot.claim(queue="bench-own", worker="bench", cursor=0, limit=size))

    figures: Figures = {"steps that are over": finished}
    for size in SIZES:
        figures |= _timed(f"poll of {size}", external, size)
        figures |= _timed(f"claim of {size}", own, size)
    return figures


def _timed(name: str, claim: Callable[[int], int], size: int) -> Figures:
    took = []
    for _ in range(TIMES):
        began = time.perf_counter()
        found = claim(size)
        took.append((time.perf_counter() - began) * 1000)
        if found != size:
            raise SystemExit(f"{name}: {found} were found")
    return {f"least ms, {name}": round(min(took), 2), **percentiles(f"ms, {name}", took)}
