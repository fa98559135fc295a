"""Values that are read page by page."""

from urllib.parse import urlencode
from uuid import UUID

from django.urls import reverse

from accounts.access import PageRequest
from engine.catalogue import Json
from runs.limits import VALUE_SEARCH_CHARACTERS
from runs.reading.value_pages import value_page
from runs.web.contexts import Value
from runs.web.view_options import number_of

_ASKED = ("of", "node", "index", "field")


def reading_context(request: PageRequest, run_id: UUID, content: Value) -> dict[str, Json]:
    """The page of a value that the address asks for, or the lines with the text `q` in them."""
    q = request.GET.get("q", "").replace("\x00", "")[:VALUE_SEARCH_CHARACTERS]
    lines_page = value_page(content.value, number_of(request.GET.get("page", "")) or 1, q)
    parameters = [(name, request.GET[name]) for name in _ASKED if name in request.GET]
    address = f"{reverse('run-value', args=[run_id])}?{urlencode(parameters)}"
    return {
        "run_id": run_id,
        "name": content.name,
        "asked": parameters,
        "address": address,
        "q": q,
        "found": lines_page,
        "back": f"{address}&page={lines_page.page - 1}" if lines_page.page > 1 else None,
        "forth": f"{address}&page={lines_page.page + 1}" if lines_page.page < lines_page.pages else None,
    }
