"""Every component on one page, so that whoever builds a page sees what there is."""

from datetime import UTC, datetime

from django.http import HttpResponse
from django.shortcuts import render

from accounts.access import PageRequest, page
from accounts.roles import TOKENS_MANAGE
from engine.statuses import RunStatus


@page(TOKENS_MANAGE)
def styleguide(request: PageRequest) -> HttpResponse:
    """The page; only admins hold its scope."""
    return render(request, "styleguide.html", {"statuses": ["PENDING", *RunStatus], "now": datetime.now(UTC)})
