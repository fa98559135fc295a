"""The page that says how workers hear of work, and whether that is enough."""

from django.http import HttpResponse

from accounts.access import PageRequest, page
from accounts.roles import RUNS_OPERATE
from engine.catalogue import Json
from lib.reader import number_text
from runs.reading import dispatch
from runs.store.dispatch import MOST_READY
from runs.web import contexts


@page(RUNS_OPERATE)
def dispatch_page(request: PageRequest) -> HttpResponse:
    """How workers hear of work here, and the three gauges."""
    facts = dispatch.facts()
    gauges = facts.gauges
    context: dict[str, Json] = {
        "facts": facts,
        "gauges": gauges,
        "rate": _written(gauges.per_second) if gauges else "",
        "contended": _written(gauges.contended_share, 100.0, " %") if gauges else "",
        "most_ready": MOST_READY,
    }
    return contexts.following(request, "operations/dispatch.html", "operations/_dispatch.html", context)


def _written(value: float | None, times: float = 1.0, unit: str = "") -> str:
    return "not known" if value is None else f"{number_text(f'{value * times:.1f}')}{unit}"
