"""Pages and lists beside a million runs of ten steps: how long they take, and that no large table is read whole."""

import gc
import time
from collections.abc import Callable, Iterator
from http import HTTPStatus
from pathlib import Path
from statistics import quantiles
from typing import Any

from django.contrib.auth import get_user_model
from django.db import connection, transaction
from django.test import Client

from benchmarks.scenarios import published, started, wait_for
from lib.named_sql import Statements
from operations.bulk.models import BulkJob
from operations.telemetry.models import TelemetryCursor
from runs.models import HistoryEvent, Run, StepExecution
from workflows.models import Workflow

SQL = Statements(Path(__file__).parent)
STEPS = 10
BATCH = 10_000
SPREAD = 20_000
"""So many runs lie anywhere in the 90 days and are counted by telemetry; the others follow one another."""
TIMES = 20
LARGE = (
    "runs_run",
    "runs_stepexecution",
    "runs_historyevent",
    "runs_deadletter",
    "runs_runkey",
    "runs_signal",
    "runs_forecast",
)
BESIDE = (
    "runs_timer",
    "runs_bulkjob",
    "runs_bulkitem",
    "runs_alert",
    "runs_outgoingdelivery",
    "tasks_inbox_manualtask",
    "tasks_inbox_notification",
)
"""What is written beside runs; where few are there, to read all of them is as good."""
MESSAGES = 100_000
"""So many mails and deliveries there are at most, and a fifth as many alerts and results of a bulk job."""
MOST_ROWS = 100_000
"""So many rows of a large table may a page read: more, and a whole index is walked as a whole table would be."""
TELEMETRY_SECONDS = 900
Figures = dict[str, Any]


def million(runs: int) -> Figures:
    """So many runs; of each page and list the p95 of `TIMES` in milliseconds, without the network.

    The `error` names those that read a large table whole, or much of it by an index, or did not answer.
    """
    version = published([{"id": f"s{n}", "type": "noop"} for n in range(STEPS)])
    started(version, 1)
    wait_for(version, 1)
    like = Run.unsafe_all_tenants.get(version=version)
    began = time.monotonic()
    spread = min(SPREAD, runs // 10)
    _write(like, 0, spread, runs, spread=True)
    _wait_for_telemetry()
    _write(like, spread, runs, runs, spread=False)
    SQL.execute("skip_telemetry", {})
    _write_beside(like, runs)
    with connection.cursor() as cursor:
        cursor.execute(f"VACUUM ANALYZE {', '.join((*LARGE, *BESIDE))}")
    figures: Figures = {
        "runs": runs,
        "steps": StepExecution.unsafe_all_tenants.count(),
        "events": HistoryEvent.unsafe_all_tenants.count(),
        "seconds to write them": round(time.monotonic() - began),
    }
    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(get_user_model().objects.get(username="admin"))
    faults = []
    for name, address in _addresses(like, runs):
        figures[name], fault = measured(client, address)
        faults += [f"{name} {fault}"] if fault else []
    return figures | ({"error": "; ".join(faults)} if faults else {})


def _write(like: Run, first: int, until: int, total: int, *, spread: bool) -> None:
    for start in range(first, until, BATCH):
        many = min(BATCH, until - start)
        params = {"like": like.pk, "first": start, "many": many, "total": total, "spread": spread}
        SQL.execute("many_runs", params)


def _write_beside(like: Run, runs: int) -> None:
    """Keys, signals, timers, forecasts, tasks, bulk jobs, alerts, deliveries and mails, a statement each."""
    of_run = {"like": like.pk}
    for name in ("many_keys", "many_signals", "many_waits"):
        SQL.execute(name, of_run)
    messages = min(MESSAGES, runs)
    SQL.execute("many_messages", of_run | {"most": messages})
    for name in ("many_bulk_jobs", "many_alerts"):
        SQL.execute(name, of_run | {"most": messages // 5})


def _wait_for_telemetry() -> None:
    """Return when all that has happened is counted."""
    last = HistoryEvent.unsafe_all_tenants.order_by("-id").values_list("id", flat=True)[0]
    until = time.monotonic() + TELEMETRY_SECONDS
    while TelemetryCursor.objects.filter(after__gte=last).first() is None:
        if time.monotonic() > until:
            raise SystemExit(f"Telemetry was not counted in {TELEMETRY_SECONDS} s.")
        time.sleep(0.5)


def _addresses(like: Run, runs: int) -> Iterator[tuple[str, str]]:
    name = Workflow.objects.for_tenant(like.tenant_id).get(pk=like.workflow_id).name
    of_runs = Run.objects.for_tenant(like.tenant_id)
    failed = of_runs.filter(status="FAILED").order_by("-id").values_list("pk", flat=True)[0]
    middle = of_runs.get(business_key=f"ORDER-{runs // 2}").pk
    yield "home", "/"
    yield "list", "/runs/"
    yield "tabs with counts", "/runs/counts"
    for status in ("open", "waiting", "people", "failed", "unresolved", "stuck", "completed"):
        yield f"list, status:{status}", f"/runs/?status={status}"
    searches = (
        f"workflow:{name}",
        f"workflow:{name} version:1",
        "by:user7",
        "since:7d",
        "until:2020-01-01",
        "step:s4",
    )
    more = (
        "waiting:>2d",
        f"key:ORDER-{runs // 3}",
        "input.order_id:7",
        "input.amount>99990",
        "ORDER-4711",
        "nowhere",
    )
    for text in (*searches, *more):
        yield f"list, {text.replace(name, '…')}", f"/runs/?q={text.replace(' ', '+').replace('>', '%3E')}"
    for order in ("likely", "risk", "due", "waiting"):
        yield f"list, {order} first", f"/runs/?order={order}"
    yield "offers of keys", "/runs/search-offers?q=key:ORDER-4"
    yield "REST list of 20", "/api/v1/runs?limit=20"
    yield "REST list of 200", "/api/v1/runs?limit=200"
    yield "REST run", f"/api/v1/runs/{middle}"
    for view in ("graph", "timeline", "story"):
        yield f"run, {view}", f"/runs/{failed}?view={view}"
    yield "compare", f"/api/v1/runs/{middle}/compare/{failed}"
    yield "queues", "/operations/"
    yield "steps of a queue", "/operations/?queue=engine"
    yield "timers", "/operations/timers"
    yield "dead letters", "/operations/dead-letters"
    yield "messages", "/operations/messages"
    yield "repairs", "/operations/repairs"
    yield "alerts", "/operations/alerts"
    yield "alerts that are over", "/operations/alerts?status=resolved"
    yield "bulk jobs", "/bulk-jobs"
    job = BulkJob.objects.for_tenant(like.tenant_id).order_by("-id").values_list("pk", flat=True)[0]
    yield "a bulk job", f"/bulk-jobs/{job}"
    yield "why of a bulk job", f"/bulk-jobs/{job}?result=refused"
    yield "webhooks out", "/settings/webhooks/out"
    yield "inbox", "/inbox/"
    yield "telemetry, 30 days", "/telemetry?days=30"
    yield "telemetry of a workflow", f"/telemetry/{name}?days=30"
    yield "REST telemetry, summary", "/api/v1/telemetry/summary"
    yield "REST telemetry, step types", "/api/v1/telemetry/step-types"


def measured(client: Client, address: str) -> tuple[float, str]:
    """The p95 of what an address takes, and what is wrong with it."""
    took = []
    client.get(address)
    # As in a web process, whose collector need not walk what it loaded (`config.nursery`).
    gc.collect()
    gc.freeze()
    for _ in range(TIMES):
        began = time.perf_counter()
        answer = client.get(address)
        took.append((time.perf_counter() - began) * 1000)
    fault = _reads(lambda: client.get(address))
    if answer.status_code != HTTPStatus.OK:
        fault = f"answers {answer.status_code}"
    return round(quantiles(took, n=100, method="inclusive")[94], 1), fault


def _reads(do: Callable[[], Any]) -> str:
    """What is wrong with how much of the large tables is read by what is done; empty where nothing is."""
    with transaction.atomic(), connection.cursor() as cursor:
        # What this connection read before counts until it is idle for a second.
        before = _read(cursor)
        do()
        after = _read(cursor)
    read = {
        table: [now - then for now, then in zip(after[table], before[table], strict=True)] for table in after
    }
    whole = [table for table, (scans, _) in read.items() if scans]
    much = [f"{rows:,} rows of {table}" for table, (_, rows) in read.items() if rows > MOST_ROWS]
    return "; ".join([*(f"reads {table} whole" for table in whole), *(f"reads {text}" for text in much)])


def _read(cursor: Any) -> dict[str, tuple[int, int]]:
    """How often each large table was scanned, and how many rows were fetched from it by an index."""
    cursor.execute(
        "SELECT relname, coalesce(seq_scan, 0), coalesce(idx_tup_fetch, 0)"
        " FROM pg_stat_xact_user_tables WHERE relname = ANY (%s)",
        [list(LARGE)],
    )
    return {table: (scans, rows) for table, scans, rows in cursor.fetchall()}
