"""Lists of requests: whose they are, and what a search in them finds."""

from dataclasses import replace
from typing import Any

from django.http import HttpRequest

from accounts.principal import Principal
from lib.api.pagination import Page, keyset_page
from runs.reading.filters import filters_of_search
from runs.reading.lists import page_of_runs
from runs.reading.orders import NEWEST
from runs.reading.requests import filed_runs, own_runs
from runs.reading.search_words import OF_REQUESTS
from runs.reading.searched import Searched


def page_of(
    who: Principal, request: HttpRequest, show: str, text: str, *, field: str = "query", **bounds: Any
) -> tuple[Page, Searched | None]:
    """The page that `cursor` of `bounds` asks for of their requests, or those that they filed for others, that a search
    finds, and how far it was searched. Raises Invalid at the `field` for a search that can't be read.
    """
    runs = filed_runs(who) if show == "filed" else own_runs(who, show)
    if not text:
        return keyset_page(runs, request, keys=("id",), **bounds), None
    filters = filters_of_search(text, who.username, field, OF_REQUESTS)
    page, searched = page_of_runs(who.tenant_id, request, filters, runs, order=NEWEST, **bounds)
    whole = runs.in_bulk([run.id for run in page.rows])
    return replace(page, rows=[whole[run.id] for run in page.rows if run.id in whole]), searched
