"""The door of links to files, which workers get with their jobs."""

from uuid import UUID

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseNotFound
from django.views.decorators.http import require_GET

from runs.files import links, trees
from runs.files.sending import sent

_NO_FILE = (
    "This link gives no file: it is more than an hour old, was changed, or its run is no longer kept.\n"
)


@login_not_required
@require_GET
def file_link(request: HttpRequest, file_id: UUID) -> HttpResponse:
    """A file of a run as a download, for whoever has its link. It works for an hour, also once the run has ended."""
    claim = links.linked(str(file_id), request.GET.get("token", ""))
    rows = claim and trees.files_of_run(claim.tenant, claim.run_id, [claim.file_id])
    content = trees.content_of(claim.tenant, claim.file_id) if claim and rows else None
    if not claim or not rows or content is None:
        return HttpResponseNotFound(_NO_FILE, content_type="text/plain; charset=utf-8")
    return sent(rows[claim.file_id], content, is_shown=False)
