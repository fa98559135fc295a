"""The page that says how workers hear of work, and whether that is enough."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect

from accounts.access import PageRequest, page
from accounts.roles import RUNS_OPERATE
from engine.catalogue import Json
from lib.reader import number_text
from runs.commands.asides import retry
from runs.reading import dispatch
from runs.reading.asides import asides_of
from runs.reading.outbox import outbox_complaint
from runs.store.dispatch import MOST_READY
from runs.web import contexts
from workflows import titles


@page(RUNS_OPERATE)
def dispatch_page(request: PageRequest) -> HttpResponse:
    """How workers hear of work here, and the three gauges."""
    facts = dispatch.facts()
    outbox = dispatch.outbox()
    asides = asides_of(request.principal) if outbox else None
    if asides:
        titles.learn(request.principal.tenant_id, {one.place.workflow for one in asides.shown})
    gauges = facts.gauges
    context: dict[str, Json] = {
        "facts": facts,
        "gauges": gauges,
        "rate": _written(gauges.per_second) if gauges else "",
        "contended": _written(gauges.contended_share, 100.0, " %") if gauges else "",
        "outbox": dispatch.outbox_told(outbox),
        "outbox_complaint": outbox and outbox_complaint(outbox),
        "asides": asides,
        "most_ready": MOST_READY,
    }
    return contexts.following(request, "operations/dispatch.html", "operations/_dispatch.html", context)


@page(RUNS_OPERATE, "POST")
def retry_asides(request: PageRequest) -> HttpResponse:
    """Has events tried again that the broker would not take and that were set aside."""
    retried = retry(request.principal)
    message = (
        "1 event is tried again." if retried.count == 1 else f"{retried.count:,} events are tried again."
    )
    more = " There may be more: try again in a while." if retried.more else ""
    messages.success(request, message + more)
    return redirect("operations-dispatch")


def _written(value: float | None, times: float = 1.0, unit: str = "") -> str:
    return "not known" if value is None else f"{number_text(f'{value * times:.1f}')}{unit}"
