"""Steps that nobody begins in time, for the crash points (`test_crash_points.py`)."""

from collections.abc import Callable
from typing import Any

from runs.commands import job_reports, jobs
from runs.maintenance import timers
from tests import factories as make
from tests.crash import victim

UNBEGUN = make.graph(
    [
        {
            "id": "a",
            "type": "job",
            "queue": victim.OUTSIDE,
            "schedule_to_start_seconds": 20,
            "on_error": "continue",
        },
        "b",
    ],
    ["a>b"],
)


def wait_for_nobody(tenant: int) -> None:
    """Fail one job for now, then let the time go by in which both should have been begun."""
    for job in jobs.poll(tenant=tenant, worker="outside", queues=[victim.OUTSIDE], max_jobs=1):
        held = {"tenant": tenant, "job": job.step.id, "lease_token": job.lease_token}
        job_reports.fail(**held, code="Away", message="It is away.", retryable=True)
    victim.later()
    timers.fire()
    victim.drain()


def not_begun() -> tuple[Callable[..., None], tuple[Any, ...]]:
    """Two runs of which nobody will begin a step."""
    make.start(UNBEGUN, {"n": 1}, {"n": 2})
    return wait_for_nobody, (make.a_tenant().pk,)
