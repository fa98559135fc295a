"""The pages that say how workers hear of work and whether that is enough, and what is in the queues."""

from django.http import HttpResponse

from accounts.access import PageRequest, page
from accounts.roles import RUNS_OPERATE, RUNS_READ
from engine.catalogue import Json
from lib.reader import number_text
from operations.dispatch import queues
from operations.dispatch.gauges import facts
from operations.dispatch.limits import (
    READY_STEPS,
    START_BATCH_JOBS,
    START_PAUSE_MILLISECONDS,
    START_WORKERS,
)
from runs.web import contexts
from workflows import titles


@page(RUNS_OPERATE)
def dispatch_page(request: PageRequest) -> HttpResponse:
    """How workers hear of work here, and the three gauges."""
    known = facts()
    gauges = known.gauges
    context: dict[str, Json] = {
        "facts": known,
        "gauges": gauges,
        "rate": _written(gauges.per_second) if gauges else "",
        "contended": _written(gauges.contended_share, 100.0, " %") if gauges else "",
        "empty": _written(gauges.empty_share, 100.0, " %") if gauges else "",
        "most_ready": READY_STEPS,
        "start": {
            "workers": "{} to {}".format(*START_WORKERS),
            "batch": START_BATCH_JOBS,
            "pause": f"{START_PAUSE_MILLISECONDS} ms",
        },
    }
    return contexts.following(request, "dispatch/dispatch.html", "dispatch/_dispatch.html", context)


@page(RUNS_READ)
def queue_list(request: PageRequest) -> HttpResponse:
    """The queues, and of one of them (`?queue=`) the steps at work and those that come next."""
    who = request.principal
    rows = [
        row
        | {
            "oldest_ms": _milliseconds(row["oldest_seconds"]),
            "came": _a_minute(row["in_per_minute"]),
            "ended": _a_minute(row["out_per_minute"]),
        }
        for row in queues.queue_rows(who)
    ]
    queue = request.GET.get("queue", "")
    steps = queues.steps_of_queue(who, queue) if queue else []
    titles.learn(who.tenant_id, {one.place.workflow for one in steps})
    context = {
        "queues": rows,
        "unserved": [row for row in rows if row["unserved"]],
        "asked": queue,
        "steps": steps,
        "most": queues.SHOWN,
    }
    return contexts.following(request, "dispatch/queues.html", "dispatch/_queues.html", context)


def _written(value: float | None, times: float = 1.0, unit: str = "") -> str:
    return "not known" if value is None else f"{number_text(f'{value * times:.1f}')}{unit}"


def _a_minute(rate: float) -> float | int:
    """A rate as it is shown: from ten on, and where there is no part, without one."""
    return round(rate) if rate >= 10 or rate == int(rate) else rate


def _milliseconds(seconds: float | None) -> float | None:
    return None if seconds is None else seconds * 1000
