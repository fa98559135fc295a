"""What waiting costs: timers due together or spread over a minute, a hundred thousand that are not, signals."""

import time
from datetime import UTC, datetime, timedelta
from typing import Any

from benchmarks.scenarios import percentiles, published, started, wait_for
from runs.commands.signals import NewSignal, send_signals
from runs.models import Run, StepExecution, Timer
from workflows.models import WorkflowVersion

SPREAD_SECONDS = 60
GRACE_SECONDS = 15


def due_at_once(timers: int) -> dict[str, Any]:
    """`timers` runs wait until one moment; how late their steps ended."""
    moment = datetime.now(UTC) + timedelta(seconds=GRACE_SECONDS + timers / 500)
    version = published([{"id": "w", "type": "wait", "params": {"until": moment.isoformat()}}])
    started(version, timers)
    _entered(version, timers)
    wait_for(version, timers)
    return {"timers": timers, **_lateness(version)}


def due_over_a_minute(timers: int) -> dict[str, Any]:
    """`timers` runs wait until moments that are spread over a minute; how late their steps ended."""
    begin = datetime.now(UTC) + timedelta(seconds=GRACE_SECONDS + timers / 500)
    version = published([{"id": "w", "type": "wait", "params": {"until": "{{ input.until }}"}}])
    step = SPREAD_SECONDS / timers
    moments = [(begin + timedelta(seconds=n * step)).isoformat() for n in range(timers)]
    started(version, timers, lambda n: {"until": moments[n]})
    _entered(version, timers)
    wait_for(version, timers)
    return {"timers": timers, **_lateness(version)}


def signals(runs: int) -> dict[str, Any]:
    """One call that sends a signal to each of `runs` waiting runs, until all of them are completed."""
    version = published([{"id": "s", "type": "signal", "params": {"name": "go"}}])
    started(version, runs)
    _entered(version, runs)
    ids = [str(run) for run in Run.unsafe_all_tenants.filter(version=version).values_list("pk", flat=True)]
    began = time.monotonic()
    send_signals(version.tenant_id, [(run, NewSignal("1", "go", {"n": 1})) for run in ids], by="bench")
    took = time.monotonic() - began
    wait_for(version, runs)
    return {
        "runs": runs,
        "seconds": round(took, 3),
        "seconds until all are done": round(time.monotonic() - began, 3),
    }


def pending(timers: int) -> dict[str, Any]:
    """`timers` runs that wait for a month, left as they are: what is measured next has them beside it."""
    version = published([{"id": "w", "type": "wait", "params": {"duration": "P30D"}}])
    began = time.monotonic()
    started(version, timers)
    _entered(version, timers)
    took = time.monotonic() - began
    return {"timers": timers, "seconds": round(took, 1), "waits entered/s": round(timers / took)}


def _entered(version: WorkflowVersion, runs: int) -> None:
    while StepExecution.unsafe_all_tenants.filter(version_id=version.pk, status="WAITING").count() < runs:
        if StepExecution.unsafe_all_tenants.filter(version_id=version.pk, status="COMPLETED").exists():
            raise SystemExit("Timers fired before all runs waited: this machine needs a longer grace.")
        time.sleep(0.05)


def _lateness(version: WorkflowVersion) -> dict[str, float]:
    steps = StepExecution.unsafe_all_tenants.filter(version_id=version.pk, completed_at__isnull=False)
    ended = {pk: at for pk, at in steps.values_list("pk", "completed_at") if at is not None}
    due = Timer.unsafe_all_tenants.filter(step_id__in=ended.keys()).values_list("step_id", "fire_at")
    return percentiles("s late", [(ended[step] - at).total_seconds() for step, at in due])
