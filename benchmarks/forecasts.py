"""What a tick of forecasts takes and writes beside tens of thousands of runs that wait for days and weeks."""

import random
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from math import ceil
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

from django.contrib.auth import get_user_model
from django.db import connection
from django.test import Client

from benchmarks.scenarios import published, started
from benchmarks.seeing import measured
from lib.clock import set_now
from lib.named_sql import Statements
from lib.rest_times import bucket_of, coarse_of
from runs.maintenance import forecasts
from runs.models import Calendar, Forecast, RestTime, Run, StepExecution
from workflows.models import WorkflowVersion

SQL = Statements(Path(__file__).parent)
WORKFLOWS = 10
WAIT_DAYS = 21
COMPLETED = 5_000
"""So many runs of each workflow have completed, in `WEEKS` weeks."""
WEEKS = 13
TICKS = 20
TICK = timedelta(seconds=15)
HOURS = 8 * 3_600
WAITS = {"id": "paid", "type": "signal", "params": {"name": "paid"}}
ASKS = {"id": "approve", "type": "human.approval", "params": {"title": "Go on?"}}
Figures = dict[str, Any]


def waiting(runs: int) -> Figures:
    """So many open runs of ten workflows: what the first ticks take until each has its forecast, and then one of
    `TICKS` that follow each other; how many runs it looks at, and how many forecasts it writes; and how many are
    written when all have been looked at again an hour later.
    """
    SQL.execute("hold_forecasts", {})
    dice = random.Random(7)
    for _ in range(WORKFLOWS):
        _filled(published([WAITS, ASKS]), runs // WORKFLOWS, dice)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    now = _monday() + timedelta(days=9, hours=10)
    try:
        first = []
        while Forecast.unsafe_all_tenants.count() < runs:
            first.append(_tick(now := now + TICK))
        later = [_tick(now := now + TICK) for _ in range(TICKS)]
        now += timedelta(hours=1)
        again = [_tick(now := now + TICK) for _ in range(ceil(runs / mean(tick.looked_at for tick in later)))]
    finally:
        set_now(None)
    return {
        "open runs": runs,
        "ticks until all have a forecast": len(first),
        "ms of the first tick": round(first[0].ms),
        "ms a tick": round(mean(tick.ms for tick in later)),
        "runs looked at a tick": round(mean(tick.looked_at for tick in later)),
        "rows written a tick": round(mean(tick.written for tick in later), 1),
        "rows written an hour later": sum(tick.written for tick in again),
        **_lists(),
    }


def _lists() -> Figures:
    """The p95 in milliseconds of pages in the order of forecasts; as an `error` what is wrong with them."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE runs_forecast")
    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(get_user_model().objects.get(username="admin"))
    figures: Figures = {}
    faults = []
    for order in ("likely", "risk"):
        figures[f"ms of the list by {order}, p95"], fault = measured(client, f"/runs/?order={order}")
        faults += [f"{order} {fault}"] if fault else []
    return figures | ({"error": "; ".join(faults)} if faults else {})


class Tick(NamedTuple):
    """What one took, how many runs it looked at and how many rows it wrote."""

    ms: float
    looked_at: int
    written: int


def _tick(now: datetime) -> Tick:
    set_now(now)
    began = time.perf_counter()
    looked_at = forecasts.make()
    ms = (time.perf_counter() - began) * 1000
    return Tick(ms, looked_at, Forecast.unsafe_all_tenants.filter(made_at=now).count())


def _monday() -> datetime:
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return today - timedelta(days=today.weekday())


def _filled(version: WorkflowVersion, runs: int, dice: random.Random) -> None:
    """Open runs of a version, and how long others took."""
    Calendar.unsafe_all_tenants.get_or_create(
        tenant_id=version.tenant_id,
        name="default",
        defaults={
            "timezone": "Europe/Berlin", "region": "DE", "weekdays": [1, 2, 3, 4, 5], "opens": 540, "closes": 1020,
        },
    )  # fmt: skip
    started(version, 1)
    while not StepExecution.unsafe_all_tenants.filter(version_id=version.pk, status="WAITING").exists():
        time.sleep(0.05)
    like = Run.unsafe_all_tenants.get(version=version)
    SQL.execute("waiting_runs", {"like": like.pk, "many": runs, "days": WAIT_DAYS})
    counts: Counter[tuple[str, int, int, int]] = Counter()
    for _ in range(COMPLETED):
        took = WAIT_DAYS / 3 * HOURS * dice.lognormvariate(0, 0.8)
        week = dice.randrange(WEEKS)
        counts["paid", week, coarse_of(took * 0.9), bucket_of(took)] += 1
        counts["", week, coarse_of(took), bucket_of(took)] += 1
    of = {"tenant_id": version.tenant_id, "workflow_id": version.workflow_id, "version_id": version.pk}
    RestTime.unsafe_all_tenants.bulk_create(
        RestTime(
            **of,
            node=node,
            week=_monday().date() - timedelta(weeks=week),
            is_working=True,
            lasted=lasted,
            bucket=bucket,
            times=times,
        )
        for (node, week, lasted, bucket), times in counts.items()
    )
