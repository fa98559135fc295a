"""The home page, and what the palette finds: a first look at all that goes on."""

from django.http import HttpResponse

from accounts.access import PageRequest, page
from accounts.roles import RUNS_READ, RUNS_START, WORKFLOWS_READ, WORKFLOWS_WRITE
from runs.reading import filters, queries
from runs.web import contexts, listing
from workflows import titles
from workflows.access import may, may_anywhere, sees_nothing
from workflows.queries import published_workflows

LAST, FOUND = 5, 8
COLUMNS = ("status", "now", "started", "took")
"""The columns of its lists beside the run."""


@page(RUNS_READ)
def home_page(request: PageRequest) -> HttpResponse:
    """The last runs, what runs now, what failed, and what can be started."""
    last, open_now, failed = queries.at_a_glance(request.principal, LAST)
    workflows = published_workflows(request.principal)[:FOUND]
    titles.learn_titles((workflow.name, workflow.title) for workflow in workflows)
    rows = {row["id"]: row for row in listing.brief_rows(request.principal, [*{*last, *open_now, *failed}])}
    context = {
        "headings": [(name, filters.COLUMNS[name]) for name in COLUMNS],
        "last": [rows[run] for run in last if run in rows],
        "open_now": [rows[run] for run in open_now if run in rows],
        "failed": [rows[run] for run in failed if run in rows],
        "workflows": [
            (one, may(request.principal, WORKFLOWS_READ, one), may(request.principal, RUNS_START, one))
            for one in workflows
        ],
        "sees_nothing": sees_nothing(request.principal),
        "may_start": may_anywhere(request.principal, RUNS_START),
        "may_write": may_anywhere(request.principal, WORKFLOWS_WRITE),
    }
    return contexts.following(request, "runs/home.html", "runs/_glance.html", context)
