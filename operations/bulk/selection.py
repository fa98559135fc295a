"""Which runs were selected in the list: those on the page, or all that match."""

from accounts.access import PageRequest
from runs.limits import BULK_RUNS
from runs.web import contexts


def is_all(request: PageRequest) -> bool:
    """Whether all that match are meant."""
    return "all" in request.POST


def picked(request: PageRequest) -> list[str]:
    """The ids of the runs that were selected one by one, at most as many as are taken at once."""
    texts = [*request.POST.getlist("ids"), *request.POST.get("runs", "").split(",", BULK_RUNS)]
    ids = (contexts.uuid_of(text) for text in texts[:BULK_RUNS])
    return list(dict.fromkeys(str(run) for run in ids if run))
